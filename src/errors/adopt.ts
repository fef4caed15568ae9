/**
 * Makes an error of ours out of whatever was thrown.
 *
 * Floor 1 (errors): used at three seams only, the model call, the tool call and restore. It is total (no
 * value makes it throw) and idempotent (an error of ours passes as it is).
 */

import { kindOf } from "./brand.ts";
import { classifyLayer, type ToolCallFacts } from "./classify-layer.ts";
import { classifyModel } from "./classify-model.ts";
import type { ErrorCode } from "./codes.ts";
import { gatherEvidence } from "./evidence.ts";
import { type AnyHarnessError, ERROR_CLASSES, RuntimeError } from "./harness-error.ts";
import { type ErrorKind, isErrorKind } from "./kinds.ts";
import { errorMessage } from "./message.ts";
import { collectNodes, type Nodes } from "./nodes.ts";
import { type HarnessErrorOptions, isDuration } from "./options.ts";
import { attempt, read, readList, readText } from "./read.ts";
import { type RedactOptions, rememberRedaction } from "./redact.ts";
import { safeText } from "./safe-text.ts";

/** What an adapter may say about an error that its SDK threw. Everything left out is found out as usual. */
export interface ErrorHint {
  code?: ErrorCode | undefined;
  retryable?: boolean | undefined;
  retryAfterMs?: number | undefined;
}

/** What the place knows where the value was caught. */
export interface AdoptOptions extends RedactOptions, ToolCallFacts {
  /** The signal the failed operation was given. When it has fired, its reason decides. */
  signal?: AbortSignal | undefined;
  /** How many deltas of the answer a consumer has seen. @defaultValue 0 */
  delivered?: number | undefined;
  /** The adapter's own judgement, asked before ours. */
  classify?: ((error: unknown) => ErrorHint | undefined) | undefined;
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. @defaultValue Date.now */
  now?: (() => number) | undefined;
}

/**
 * Turns any value into an error of ours that keeps it as `cause`. An error of ours is returned unchanged,
 * whatever its kind.
 *
 * @param fallbackKind - The layer in which the value was caught. `"runtime"` when it is left out.
 * @returns A `ModelError` for the model layer and so on, unless the value or the signal's reason is an
 *   error of ours already, or the signal says that the run was aborted.
 * @example
 * try {
 *   await fetch(url, { signal });
 * } catch (error) {
 *   throw toHarnessError(error, "model", { signal });
 * }
 */
export function toHarnessError(value: unknown, fallbackKind?: ErrorKind, options?: AdoptOptions): AnyHarnessError {
  if (kindOf(value) !== undefined) return value as AnyHarnessError;
  const known = options ?? {};
  const stopped = adoptAbort(value, known);
  if (stopped !== undefined) return stopped;
  const kind = isErrorKind(fallbackKind) ? fallbackKind : "runtime";
  const hint = askAdapter(value, known);
  const nodes = collectNodes(value);
  const inner = hint.code === undefined ? findOwn(nodes, kind) : undefined;
  return inner ?? build(kind, value, judge(kind, nodes, known, hint), known);
}

/** When the signal has fired, the error at hand says nothing: SDKs hide, replace or rethrow the reason. */
function adoptAbort(value: unknown, options: AdoptOptions): AnyHarnessError | undefined {
  const signal = read(options, "signal");
  if (read(signal, "aborted") !== true) return undefined;
  const reason = read(signal, "reason");
  if (kindOf(reason) !== undefined) return reason as AnyHarnessError;
  const message = reason === undefined || reason === null ? "The run was aborted." : errorMessage(reason, options);
  const error = new RuntimeError(message, { code: "RUN_ABORTED", cause: value });
  rememberRedaction(error, options);
  return error;
}

/** An error of ours inside a foreign wrapper, when it belongs to this layer or says that the run was aborted. */
function findOwn({ foreign, own }: Nodes, kind: ErrorKind): AnyHarnessError | undefined {
  const found = own.find((error) => error.kind === kind || error.code === "RUN_ABORTED");
  return found ?? (readList(foreign[0], "errors", 16).find(isRunAbort) as AnyHarnessError | undefined);
}

function isRunAbort(value: unknown): boolean {
  return kindOf(value) !== undefined && read(value, "code") === "RUN_ABORTED";
}

/** What the adapter says. One that fails to judge must not hide what it was asked about. */
function askAdapter(value: unknown, { classify }: AdoptOptions): ErrorHint {
  const hint = attempt(() => classify?.(value));
  const retryable = read(hint, "retryable");
  const retryAfterMs = read(hint, "retryAfterMs");
  return {
    code: readText(hint, "code"),
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    retryAfterMs: isDuration(retryAfterMs) ? retryAfterMs : undefined,
  };
}

const MAX_WORD_CHARS = 120;

function judge(kind: ErrorKind, nodes: Nodes, options: AdoptOptions, hint: ErrorHint): HarnessErrorOptions {
  const evidence = gatherEvidence(nodes);
  const asModel = classifyModel(nodes, evidence, options);
  const own = classifyLayer(kind, { nodes, facts: evidence.facts, asModel }, options);
  // A verdict belongs to its code: with the adapter's code only a veto still counts.
  const veto = asModel.vetoed === true ? false : undefined;
  const word = (text: string | undefined) => (text === undefined ? undefined : safeText(text, options, MAX_WORD_CHARS));
  const verdict = {
    status: asModel.status,
    retryAfterMs: hint.retryAfterMs ?? asModel.retryAfterMs,
    providerCode: word(asModel.providerCode),
    requestId: word(asModel.requestId),
    attempts: asModel.attempts,
    code: hint.code ?? own.code,
    retryable: hint.retryable ?? (hint.code === undefined ? own.retryable : veto),
  };
  return kind === "model" && Number(options.delivered) > 0 ? afterDelivery(verdict) : verdict;
}

/** Codes that mean "the answer broke off" once a part of it was shown. */
const BREAKS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "MODEL_NETWORK",
  "MODEL_TIMEOUT",
  "MODEL_BAD_RESPONSE",
  "MODEL_UNKNOWN",
]);

/** A part that was shown cannot be taken back, so that the call must not be made again. */
function afterDelivery(verdict: HarnessErrorOptions & { code: ErrorCode }): HarnessErrorOptions {
  if (!BREAKS.has(verdict.code)) return { ...verdict, retryable: false };
  return { ...verdict, code: "MODEL_STREAM_INTERRUPTED", retryable: false, detail: { interruptedBy: verdict.code } };
}

function build(kind: ErrorKind, value: unknown, verdict: HarnessErrorOptions, options: AdoptOptions): AnyHarnessError {
  const error = new ERROR_CLASSES[kind](errorMessage(value, options), { ...verdict, cause: value });
  rememberRedaction(error, options);
  return error;
}
