/**
 * The gate: asks every rule about a call and takes the strictest answer.
 *
 * Floor 4 (permission). Node only. Closed: a rule that throws, answers nonsense or takes too long denies.
 */
import type {
  AnswerFacts,
  ApprovalDecision,
  ApprovalGate,
  ApprovalRequest,
  Approver,
  Grant,
  PendingApproval,
  QuestionFacts,
} from "../contract/approval.ts";
import type { ToolCall } from "../contract/message.ts";
import type { Decision, GateDecision, PermissionContext } from "../contract/permission.ts";
import type { Clock } from "../util/clock.ts";
import { canonicalJson, toJson } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { createApprovalRequest, toPendingApproval, verifyApproval } from "./approval.ts";
import { askApprover } from "./ask-approver.ts";
import { combineCommands } from "./combine-commands.ts";
import { digestArguments, sha256 } from "./digest.ts";
import { checkExamples } from "./examples.ts";
import { createGrants } from "./grants.ts";
import { denied } from "./read-answer.ts";
import type { JudgedCall, Rule } from "./rule.ts";
import { isAbout, matchesCall, type ResolvedRule, resolveRules } from "./rules.ts";
import { stricter } from "./verdict.ts";
import { withinTime } from "./within-time.ts";

/** What {@link createGate} takes. */
export interface GateOptions {
  readonly rules: readonly Rule[];
  /** What happens with calls that no rule matches. @defaultValue "ask" */
  readonly default?: Decision | undefined;
  /** What an "ask" becomes. @defaultValue "deny" */
  readonly onAsk?: "deny" | "pause" | Approver | undefined;
  /** Longest wait for an approver in milliseconds; 0: none. @defaultValue 0 */
  readonly approverTimeoutMs?: number | undefined;
  /** Longest time for one rule in milliseconds. @defaultValue 1_000 */
  readonly ruleTimeoutMs?: number | undefined;
  /** Signs the questions of paused runs, 16 bytes or more, so that nobody else can write one. */
  readonly secret?: Uint8Array | undefined;
}

/** A gate made of rules. */
export interface RuleGate extends ApprovalGate {
  /** The hash of all rules and of the default; the order of the rules does not change it. */
  readonly policyHash: string;
  /**
   * Resolves when all examples have been checked, those about commands included, which need the parser.
   * Until then `check` waits.
   *
   * @throws TypeError that names the rule whose example does not hold.
   */
  ready(): Promise<void>;
  /** Asks every rule about the call and gives the strictest answer. Never rejects for what a rule does. */
  check(call: ToolCall, context: PermissionContext): Promise<GateDecision>;
}

const MIN_SECRET_BYTES = 16;

/**
 * Makes a gate of rules.
 *
 * @throws TypeError that names the rule which cannot be meant, or whose example does not hold.
 * @example
 * const gate = createGate({
 *   rules: [
 *     { tool: "readFile", decision: "allow" },
 *     { tool: "bash", when: Commands(["ls", "git status"], { roots: ["/srv/project"] }), decision: "allow" },
 *     { tool: "bash", when: Command(["rm"]), decision: "deny", reason: "Nothing is deleted here." },
 *   ],
 * });
 */
export function createGate(options: GateOptions): RuleGate {
  const {
    default: fallback = "ask",
    onAsk = "deny",
    approverTimeoutMs = 0,
    ruleTimeoutMs = 1_000,
    secret,
  } = checked(options);
  const rules = resolveRules(options.rules);
  const judging = [...rules, ...combineCommands(rules)];
  const policyHash = hashPolicy(rules, fallback);
  const examples = checkExamples(rules);
  const grants = createGrants();
  const decide = async (call: ToolCall, context: PermissionContext): Promise<GateDecision> => {
    await examples;
    const { args, digest } = digestArguments(readArguments(call.arguments));
    const judged: JudgedCall = Object.freeze({ tool: call.name, args, context });
    const verdict = await strictest(judging, judged, fallback, ruleTimeoutMs);
    const identity = { argsDigest: digest, policyHash };
    if (verdict.decision !== "ask") return { ...verdict, ...identity };
    const isGranted = await grants.allows({
      tool: call.name,
      args,
      argsDigest: digest,
      policyHash,
      runId: context.runId,
    });
    return isGranted
      ? { decision: "allow", by: "grant", reason: "Approved before.", ...identity }
      : { ...verdict, ...identity };
  };
  return Object.freeze({
    onAsk,
    approverTimeoutMs,
    secret,
    policyHash,
    ready: () => examples,
    remember: (request: ApprovalRequest, grant: Grant) => grants.add(request, grant),
    question: (call: ToolCall, facts: QuestionFacts) =>
      toPendingApproval(createApprovalRequest(call, { ...facts, validMs: approverTimeoutMs }), secret),
    ask: (question: PendingApproval, signal: AbortSignal, clock: Clock) =>
      typeof onAsk === "function"
        ? askApprover(onAsk, question, { signal, clock, timeoutMs: approverTimeoutMs })
        : Promise.resolve(denied(question.reason, "PERMISSION_NO_APPROVER")),
    verify: (question: PendingApproval, decision: ApprovalDecision, facts: AnswerFacts) =>
      verifyApproval(question, decision, { ...facts, policyHash, secret }),
    check: (call: ToolCall, context: PermissionContext) =>
      decide(call, context).catch((error: unknown) => failed("gate", error)),
  });
}

function checked(options: GateOptions): GateOptions {
  if (typeof options !== "object" || options === null)
    throw misuse("createGate takes options. Write createGate({ rules: [] }).");
  const { default: fallback, onAsk, approverTimeoutMs, ruleTimeoutMs, secret } = options;
  if (![undefined, "allow", "ask", "deny"].includes(fallback)) {
    throw misuse(`The default of a gate is "allow", "ask" or "deny", got ${quoteValue(fallback)}.`);
  }
  if (onAsk !== undefined && onAsk !== "deny" && onAsk !== "pause" && typeof onAsk !== "function") {
    throw misuse(`onAsk is "deny", "pause" or a function, got ${quoteValue(onAsk)}.`);
  }
  for (const [name, ms] of Object.entries({ approverTimeoutMs, ruleTimeoutMs })) {
    if (ms !== undefined && !(typeof ms === "number" && ms >= 0)) {
      throw misuse(`${name} is a number of milliseconds from 0 up, got ${quoteValue(ms)}.`);
    }
  }
  if (secret !== undefined && !(secret instanceof Uint8Array && secret.byteLength >= MIN_SECRET_BYTES)) {
    throw misuse(`The secret of a gate is a Uint8Array of at least ${MIN_SECRET_BYTES} bytes.`);
  }
  return options;
}

/** All rules are asked, also when one has denied already: who decides must not depend on the order. */
async function strictest(
  rules: readonly ResolvedRule[],
  call: JudgedCall,
  fallback: Decision,
  timeoutMs: number,
): Promise<GateDecision> {
  const answers = await Promise.all(
    rules.filter((rule) => isAbout(rule, call.tool)).map((rule) => ask(rule, call, timeoutMs)),
  );
  const matching = answers.flatMap((answer) => answer ?? []);
  if (matching.length === 0) return { decision: fallback, by: "default", reason: noRule(call.tool, fallback) };
  const decision = matching.map((answer) => answer.decision).reduce(stricter);
  return matching
    .filter((answer) => answer.decision === decision)
    .reduce((first, next) => (rank(next) < rank(first) ? next : first));
}

/** A failure is told before a denial that would have come anyway; then the first name decides. */
function rank({ code, by }: GateDecision): string {
  return `${code === undefined ? "b" : "a"} ${by}`;
}

async function ask(rule: ResolvedRule, call: JudgedCall, timeoutMs: number): Promise<GateDecision | undefined> {
  try {
    const matches = await withinTime(async () => matchesCall(rule, call), timeoutMs);
    if (!matches) return undefined;
    const { id, decision, reason } = rule;
    return { decision, by: `rule:${id}`, reason: reason ?? told(decision, call.tool) };
  } catch (error) {
    return failed(`rule:${rule.id}`, error);
  }
}

function told(decision: Decision, tool: string): string {
  if (decision === "allow") return `A rule allows this call of "${tool}".`;
  return decision === "ask" ? `This call of "${tool}" needs an approval.` : `A rule denies this call of "${tool}".`;
}

function noRule(tool: string, fallback: Decision): string {
  if (fallback === "allow") return `No rule is against this call of "${tool}".`;
  return fallback === "ask"
    ? `No rule allows this call of "${tool}", so it needs an approval.`
    : `No rule allows this call of "${tool}".`;
}

function failed(by: string, error: unknown): GateDecision {
  const text = error instanceof Error ? error.message : quoteValue(error);
  return { decision: "deny", by, reason: `The permission check failed: ${text}`, code: "PERMISSION_POLICY_ERROR" };
}

/** The provider's JSON text, where the runtime has not read it yet. */
function readArguments(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value.trim() === "" ? {} : JSON.parse(value);
}

function hashPolicy(rules: readonly ResolvedRule[], fallback: Decision): string {
  const descriptions = rules.map(({ id, tool, decision, condition }) =>
    canonicalJson(toJson({ id, tool, decision, when: condition.description })),
  );
  return sha256(canonicalJson([fallback, ...descriptions.sort()]));
}
