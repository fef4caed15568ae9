/**
 * Decides what a foreign error from the model layer means.
 *
 * Floor 1 (errors). The order is the point: a status beats a system code, a timeout beats the abort that
 * it caused, a word beats a sentence.
 */

import { kindOf } from "./brand.ts";
import { type Evidence, type Fact, gatherEvidence, headerIn, requestIdIn } from "./evidence.ts";
import type { AnyHarnessError } from "./harness-error.ts";
import { isFailedStatus, PERMANENT_STATUSES } from "./http-status.ts";
import { MODEL_CODES } from "./model-codes.ts";
import { isAbort, isDefect, isTimeout, isUnreadable } from "./names.ts";
import { collectNodes, type Nodes } from "./nodes.ts";
import { strongestWord } from "./provider-words.ts";
import { read, readList } from "./read.ts";
import { refineStatus } from "./refine-status.ts";
import { parseRetryAfter, parseRetryInfo, type RetryAfterOptions } from "./retry-after.ts";
import { codeForSystemCode, GRPC_CODES } from "./system-codes.ts";
import type { ModelCode, Verdict } from "./verdict.ts";
import { codeForConnectionWording, codeForWording } from "./wording.ts";

/** How many errors one adoption looks at, however wide and deep an aggregate is. */
const MAX_CHILDREN = 1_000;
const MAX_NESTING = 8;

interface Search extends RetryAfterOptions {
  /** The aggregates that are being looked at, so that one inside itself ends. */
  readonly parents: readonly object[];
  /** How many members may still be looked at. */
  readonly budget: { left: number };
}

/** The verdict on a chain of foreign errors as if the model layer had thrown it. */
export function classifyModel(nodes: Nodes, evidence: Evidence, options: RetryAfterOptions = {}): Verdict {
  return classify(nodes, evidence, { now: options.now, parents: [], budget: { left: MAX_CHILDREN } });
}

function classify(nodes: Nodes, evidence: Evidence, search: Search): Verdict {
  const children = isFailedStatus(evidence.status) ? [] : classifyChildren(nodes.foreign, search);
  const decisive =
    children.find((child) => !child.retryable) ?? children.find((child) => child.code !== "MODEL_UNKNOWN");
  const code = decisive?.code ?? codeFor(evidence);
  const header = headerIn(evidence, "x-should-retry")?.trim().toLowerCase();
  const vetoed = decisive?.retryable === false || header === "false" || isVetoed(nodes);
  return {
    code,
    vetoed,
    retryable: !vetoed && isRetryable(code, evidence.status, header === "true"),
    status: evidence.status ?? decisive?.status,
    retryAfterMs: longestWait([retryAfterIn(evidence, search), ...children.map((child) => child.retryAfterMs)]),
    providerCode: providerCodeIn(evidence) ?? decisive?.providerCode,
    requestId: requestIdIn(evidence) ?? decisive?.requestId,
    attempts: attemptsIn(nodes.foreign),
  };
}

function codeFor(evidence: Evidence): ModelCode {
  const byStatus = isFailedStatus(evidence.status) ? refineStatus(evidence) : undefined;
  return (
    byStatus ??
    bySystem(evidence.facts) ??
    byName(evidence.facts) ??
    byWord(evidence) ??
    byForm(evidence.facts) ??
    "MODEL_UNKNOWN"
  );
}

/** The innermost error is where it began. */
function bySystem(facts: readonly Fact[]): ModelCode | undefined {
  return last(facts, ({ value, code, message }) => codeForSystemCode(code, message) ?? codeForGrpc(value));
}

/** A DOMException has numbers too: 20 is an abort there and nothing in gRPC. */
function codeForGrpc(value: object): ModelCode | undefined {
  const code = read(value, "code");
  return typeof code === "number" && looksLikeGrpc(value) ? GRPC_CODES[code] : undefined;
}

function looksLikeGrpc(value: object): boolean {
  const grpcJs = read(value, "details") !== undefined && read(value, "metadata") !== undefined;
  return grpcJs || typeof read(value, "rawMessage") === "string";
}

function byName(facts: readonly Fact[]): ModelCode | undefined {
  if (facts.some(isTimeout)) return "MODEL_TIMEOUT";
  return facts.some(isAbort) ? "MODEL_ABORTED" : undefined;
}

function byWord({ words, names, text }: Evidence): ModelCode | undefined {
  const word = strongestWord([...words, ...names])?.code;
  // Both words are used for all sorts of failures, so that a clear sentence says more.
  if (word !== undefined && word !== "MODEL_SERVER_ERROR" && word !== "MODEL_INVALID_REQUEST") return word;
  return codeForWording(text) ?? word;
}

function byForm(facts: readonly Fact[]): ModelCode | undefined {
  if (facts.some(isUnreadable)) return "MODEL_BAD_RESPONSE";
  const connection = last(facts, ({ message }) => codeForConnectionWording(message));
  return connection ?? (facts.some(isDefect) ? "MODEL_ADAPTER_BUG" : undefined);
}

function last(facts: readonly Fact[], decide: (fact: Fact) => ModelCode | undefined): ModelCode | undefined {
  return facts.map(decide).findLast((code) => code !== undefined);
}

/** The verdicts on the members of the aggregates in the chain. A wrapper with `lastError` is none. */
function classifyChildren(foreign: readonly object[], search: Search): Verdict[] {
  if (search.parents.length > MAX_NESTING) return [];
  const aggregates = foreign.filter((node) => read(node, "lastError") === undefined && !search.parents.includes(node));
  const inside = { ...search, parents: [...search.parents, ...aggregates] };
  return aggregates.flatMap((node) =>
    readList(node, "errors", search.budget.left).map((child) => classifyChild(child, inside)),
  );
}

function classifyChild(child: unknown, search: Search): Verdict {
  search.budget.left -= 1;
  if (kindOf(child) !== undefined) return ownVerdict(child as AnyHarnessError);
  const nodes = collectNodes(child);
  return classify(nodes, gatherEvidence(nodes), search);
}

function ownVerdict({ code, retryable, retryAfterMs }: AnyHarnessError): Verdict {
  const known = Object.hasOwn(MODEL_CODES, code) ? (code as ModelCode) : "MODEL_UNKNOWN";
  return { code: known, retryable, retryAfterMs };
}

/** Codes that no header of a provider makes retryable. */
const NEVER_RETRYABLE: ReadonlySet<ModelCode> = new Set([
  "MODEL_AUTH",
  "MODEL_FORBIDDEN",
  "MODEL_QUOTA_EXCEEDED",
  "MODEL_CONTEXT_OVERFLOW",
  "MODEL_CONTENT_FILTERED",
  "MODEL_ABORTED",
  "MODEL_TLS",
]);

/** Flags of others may take a retry away; none of them may grant one. */
function isVetoed({ foreign, own }: Nodes): boolean {
  return foreign.some(hasVeto) || own.some((error) => !error.retryable);
}

function hasVeto(node: object): boolean {
  return (
    read(node, "isRetryable") === false || read(node, "nonRetryable") === true || read(node, "retryable") === false
  );
}

/** Only the header of the provider itself may grant a retry, and not against what is permanent. */
function isRetryable(code: ModelCode, status: number | undefined, granted: boolean): boolean {
  if (granted && !NEVER_RETRYABLE.has(code)) return true;
  return MODEL_CODES[code].retryable && !PERMANENT_STATUSES.has(status);
}

function retryAfterIn({ headers, text }: Evidence, { now }: Search): number | undefined {
  for (const source of headers) {
    const wait = parseRetryAfter(source, { now });
    if (wait !== undefined) return wait;
  }
  return parseRetryInfo(text);
}

function longestWait(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.max(a, b));
}

const SYSTEM_WORD = /^(?:ERR_|UND_ERR_|HPE_|E[A-Z]{3,}$)|^error$/;

function providerCodeIn({ words, names }: Evidence): string | undefined {
  const vendorWords = words.filter((word) => !SYSTEM_WORD.test(word));
  const strongest = strongestWord(vendorWords);
  const specific = strongest?.code === "MODEL_INVALID_REQUEST" ? vendorWords[0] : strongest?.text;
  return specific ?? vendorWords[0] ?? names.find((name) => name.endsWith("Exception") && name !== "DOMException");
}

/** How often a wrapper that retried has tried already. */
function attemptsIn(foreign: readonly object[]): number | undefined {
  const retried = foreign.find((node) => read(node, "lastError") !== undefined);
  const count = readList(retried, "errors", MAX_CHILDREN).length;
  return count === 0 ? undefined : count;
}
