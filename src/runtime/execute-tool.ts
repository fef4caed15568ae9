/**
 * Executes a prepared call, again where that is harmless and worth it.
 *
 * Floor 5 (runtime).
 */
import type { ToolCall } from "../contract/message.ts";
import type { AbandonedCall, FailedAttempt } from "../contract/run.ts";
import type { AnyTool, ToolContext, ToolResult } from "../contract/tool.ts";
import { type HarnessError, RuntimeError, ToolError, toHarnessError } from "../errors/index.ts";
import type { PreparedCall } from "../registry/tool-registry.ts";
import { failureOf, MAX_RESULT_CHARS, resultOf } from "../registry/tool-result.ts";
import { planRetry } from "../retry/plan.ts";
import { freezeJson, toJson } from "../util/json.ts";
import type { CallSpec, ForeignCall, Outcome } from "./foreign-call.ts";
import { wrapTool } from "./plugins.ts";
import { prepareCall } from "./prepare-call.ts";
import type { RunScope } from "./run-scope.ts";

/** A call that may be executed. */
export type ReadyCall = Extract<PreparedCall, { ok: true }>;

/** How one call was answered. Plain JSON; the result is frozen. */
export interface ToolOutcome {
  readonly result: ToolResult;
  /** How often the tool was started. */
  readonly attempts: number;
  readonly failures: readonly FailedAttempt[];
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Tells the outcome of {@link executeTool}, or a copy of it, from anything else. */
export function isToolOutcome(value: object): boolean {
  const { result, failures } = value as Partial<ToolOutcome>;
  return typeof result === "object" && typeof result?.ok === "boolean" && Array.isArray(failures);
}

/** Never throws, never rejects. The outcome of a tool that came back at once is there at once. */
export function executeTool(scope: RunScope, call: ToolCall, ready: ReadyCall): ToolOutcome | Promise<ToolOutcome> {
  const startedAt = scope.clockNow();
  const outcome = attemptTool(scope, call, ready, { number: 1, startedAt });
  if (!(outcome instanceof Promise)) return afterFirst(scope, call, ready, startedAt, outcome);
  return outcome.then((late) => afterFirst(scope, call, ready, startedAt, late));
}

/** What the end of the first try means: the outcome at once, or further tries. */
function afterFirst(
  scope: RunScope,
  call: ToolCall,
  ready: ReadyCall,
  startedAt: number,
  outcome: Outcome<unknown>,
): ToolOutcome | Promise<ToolOutcome> {
  const { result, error } = settle(ready.tool, outcome);
  const tries: Tries = { result, attempts: 1, failures: NO_FAILURES };
  if (error === undefined || ready.tool.idempotent !== true) return outcomeOf(scope, tries, startedAt);
  return tryAgain(scope, call, ready, { result, error }).then((last) => outcomeOf(scope, last, startedAt));
}

type Tries = Pick<ToolOutcome, "result" | "attempts" | "failures">;

function outcomeOf(scope: RunScope, { result, attempts, failures }: Tries, startedAt: number): ToolOutcome {
  const durationMs = scope.clockNow() - startedAt;
  return { result: frozen(result), attempts, failures, startedAt, durationMs };
}

/** Only the value of a success may be deep, and often it is no object at all. */
function frozen(result: ToolResult): ToolResult {
  if (!result.ok) return freezeJson(result);
  freezeJson(result.value);
  return Object.freeze(result);
}

const NO_FAILURES: readonly FailedAttempt[] = Object.freeze([]);

/** Repeats a call that failed, as long as that is harmless and worth it. */
async function tryAgain(scope: RunScope, call: ToolCall, { tool }: ReadyCall, first: Tried): Promise<Tries> {
  const failures: FailedAttempt[] = [];
  let tried = first;
  for (let attempts = 1; ; attempts++) {
    const { error, result } = tried;
    const goesOn =
      error !== undefined && (await waitForRetry(scope, { call, tool, error, attempt: attempts }, failures));
    if (!goesOn) return { result, attempts, failures: Object.freeze(failures) };
    // The tool may have changed the arguments that it was given.
    const again = await prepareCall(scope, call);
    if (!again.ok) return { result: again.result, attempts, failures: Object.freeze(failures) };
    const attempt = { number: attempts + 1, startedAt: scope.clockNow() };
    tried = settle(tool, await attemptTool(scope, call, { ...again, tool }, attempt));
  }
}

interface Tried {
  readonly result: ToolResult;
  /** Set when the call failed: what the retry is decided by. */
  readonly error: HarnessError | undefined;
}

function attemptTool(
  scope: RunScope,
  call: ToolCall,
  ready: ReadyCall,
  which: Try,
): Outcome<unknown> | Promise<Outcome<unknown>> {
  return scope.calls.race<unknown, ToolStart>(new ToolStart(scope, call, ready, which), startTool);
}

const startTool = (running: ForeignCall<unknown>, start: ToolStart) => start.execute(running);

/** Which try it is, from 1, and when it starts. */
interface Try {
  readonly number: number;
  readonly startedAt: number;
}

async function execute(tool: AnyTool, args: unknown, context: ToolContext): Promise<Outcome<unknown>> {
  try {
    return { status: "returned", value: await tool.execute(args as never, context) };
  } catch (error) {
    return { status: "threw", error };
  }
}

/** Makes a result of however the call ended. */
function settle(tool: AnyTool, outcome: Outcome<unknown>): Tried {
  if (outcome.status === "returned") {
    const result = resultOf(tool.name, outcome.value, tool.maxResultChars ?? MAX_RESULT_CHARS);
    return { result, error: result.ok ? undefined : errorOf(result) };
  }
  const error =
    outcome.status === "threw"
      ? toHarnessError(outcome.error, "tool", { idempotent: tool.idempotent === true })
      : cancelled(outcome.reason);
  return { result: failureOf(error), error };
}

function errorOf(result: Extract<ToolResult, { ok: false }>): HarnessError {
  return new ToolError(result.error, { code: result.code, retryable: result.retryable });
}

/** A tool's own timeout stays what it is; the end of the run is told as what it means for this call. */
export function cancelled(reason: HarnessError): HarnessError {
  if (reason.kind === "tool") return reason;
  const message = `The call was cancelled before it finished; what it did until then is unknown. ${reason.message}`;
  return new RuntimeError(message, { code: reason.code, cause: reason });
}

/** One try of a tool, as the table of calls sees it. */
class ToolStart implements CallSpec {
  readonly deadline: number;
  readonly graceMs: number;
  readonly #timeoutMs: number;

  constructor(
    private readonly scope: RunScope,
    private readonly call: ToolCall,
    private readonly ready: ReadyCall,
    private readonly which: Try,
  ) {
    const { toolTimeoutMs, graceMs } = scope.options;
    this.#timeoutMs = timeoutOf(ready.tool, toolTimeoutMs);
    this.deadline = which.startedAt + this.#timeoutMs;
    this.graceMs = graceMs;
  }

  get as(): AbandonedCall {
    return { type: "tool", name: this.ready.tool.name, callId: this.call.id };
  }

  execute(running: ForeignCall<unknown>): unknown {
    const { scope, call } = this;
    const { tool, args } = this.ready;
    const context = new CallContext(scope, running, call.id, this.which.number);
    const { plugins } = scope.options;
    if (plugins.length === 0) return tool.execute(args as never, context);
    const inner = async () => {
      running.checkRunning();
      return settle(tool, await execute(tool, args, context)).result;
    };
    return wrapTool(plugins, call, inner, context)();
  }

  timeoutError(): ToolError {
    return timeoutError(this.ready.tool, this.#timeoutMs);
  }
}

function timeoutOf(tool: AnyTool, fallback: number): number {
  if (tool.timeoutMs === undefined) return fallback;
  return tool.timeoutMs === 0 ? Number.POSITIVE_INFINITY : tool.timeoutMs;
}

function timeoutError(tool: AnyTool, timeoutMs: number): ToolError {
  const message = `The tool "${tool.name}" did not finish within ${timeoutMs} ms and was stopped; what it did until then is unknown.`;
  return new ToolError(message, { code: "TOOL_TIMEOUT", retryable: tool.idempotent === true });
}

interface Failure {
  readonly call: ToolCall;
  readonly tool: AnyTool;
  readonly error: HarnessError;
  readonly attempt: number;
}

/** Plans the next try and waits for it; false when there is none. */
async function waitForRetry(scope: RunScope, failure: Failure, failures: FailedAttempt[]): Promise<boolean> {
  const { call, tool, error, attempt } = failure;
  if (tool.idempotent !== true || scope.stopReason !== undefined) return false;
  const { retry: policy, random } = scope.options;
  const plan = planRetry({
    error,
    attempt,
    target: "tool",
    policy,
    random,
    budget: scope.budget,
    deadline: scope.calls.deadline,
    now: scope.clockNow(),
    aborted: false,
    delivered: 0,
  });
  if (!plan.retry) return false;
  const { code, message } = error;
  scope.recorder.emit("tool:retry", {
    callId: call.id,
    attempt,
    maxAttempts: policy.maxAttempts,
    delayMs: plan.delayMs,
    code,
    message,
    budgetLeft: scope.budget.left,
  });
  await scope.calls.sleep(plan.delayMs);
  if (scope.stopReason !== undefined) return false;
  failures.push(Object.freeze({ attempt, code, message, delayMs: plan.delayMs }));
  return true;
}

/** What a tool gets. The signal is made when it is first read. */
class CallContext implements ToolContext {
  readonly runId: string;

  constructor(
    private readonly scope: RunScope,
    private readonly running: ForeignCall<unknown>,
    readonly callId: string,
    readonly attempt: number,
  ) {
    this.runId = scope.id;
  }

  get signal(): AbortSignal {
    return this.running.signal;
  }

  get deadline(): number {
    return Math.min(this.running.spec.deadline, this.scope.calls.deadline);
  }

  get idempotencyKey(): string {
    return `${this.runId}/${this.callId}`;
  }

  /** A function of its own, so that tools may hand it on. */
  get report(): (progress: unknown) => void {
    return (progress) => {
      const { recorder } = this.scope;
      if (this.running.isStopped || !recorder.hears("tool:progress")) return;
      recorder.emit("tool:progress", { callId: this.callId, data: toJson(progress) });
    };
  }
}
