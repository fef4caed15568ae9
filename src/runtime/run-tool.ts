/**
 * Answers one tool call: prepare, ask for permission, execute. Whatever happens becomes a result.
 *
 * Floor 5 (runtime). Seam 2: the only place where an error from a tool becomes a `ToolError`.
 */
import type { PendingApproval } from "../contract/approval.ts";
import type { ToolCall } from "../contract/message.ts";
import type { ToolResult } from "../contract/tool.ts";
import { ToolError, toHarnessError } from "../errors/index.ts";
import type { PreparedCall } from "../registry/tool-registry.ts";
import { failureOf } from "../registry/tool-result.ts";
import { freezeJson } from "../util/json.ts";
import type { AskedCall } from "./asked-calls.ts";
import { type Decided, decide } from "./decide.ts";
import { passEffect } from "./effects-seam.ts";
import { cancelled, executeTool, isToolOutcome, type ReadyCall, type ToolOutcome } from "./execute-tool.ts";
import { notRun, notStarted } from "./not-run.ts";
import { prepareCall } from "./prepare-call.ts";
import type { RunScope } from "./run-scope.ts";

/** The turn that a call belongs to. */
export interface Turn {
  /** From 1. */
  readonly number: number;
  /** When it came to its tools, in milliseconds since the epoch. */
  readonly at: number;
}

/** A call that waits for an approval. */
export interface WaitingCall {
  readonly pending: PendingApproval;
}

type Answer = ToolOutcome | WaitingCall;

/** Never throws, never rejects. The answer comes at once where nothing had to be waited for. */
export function runTool(scope: RunScope, asked: AskedCall, turn: Turn): Answer | Promise<Answer> {
  const { call } = asked;
  if (scope.stopReason !== undefined) return notRun(notStarted(scope.stopReason), turn.at);
  // A call that waited for its approval was started before the pause.
  if (!scope.answers.has(call.id)) scope.recorder.emit("tool:start", { call });
  const work = new CallWork(scope, asked, turn);
  try {
    const answer = work.answer();
    return answer instanceof Promise ? runLate(work, answer) : work.tell(answer);
  } catch (error) {
    return work.tell(work.broken(error));
  }
}

async function runLate(work: CallWork, answer: Promise<Answer>): Promise<Answer> {
  try {
    return work.tell(await answer);
  } catch (error) {
    return work.tell(work.broken(error));
  }
}

/** The way of one call to its outcome. Each part waits only where there is something to wait for. */
class CallWork {
  #isStarted = false;

  constructor(
    private readonly scope: RunScope,
    private readonly asked: AskedCall,
    private readonly turn: Turn,
  ) {}

  /** Prepares the call, asks for permission, executes it. */
  answer(): Answer | Promise<Answer> {
    const { call, read } = this.asked;
    if (!read.ok) return notRun(new ToolError(read.problem, { code: "TOOL_INVALID_ARGUMENTS" }), this.turn.at);
    const prepared = prepareCall(this.scope, call);
    return prepared instanceof Promise ? prepared.then((ready) => this.#judge(ready)) : this.#judge(prepared);
  }

  /** The outcome when a part of ours or of the host's broke. */
  broken(error: unknown): ToolOutcome {
    const adopted = toHarnessError(error, "tool");
    if (adopted !== this.scope.stopReason) return notRun(adopted, this.turn.at);
    return notRun(this.#isStarted ? cancelled(adopted) : notStarted(adopted), this.turn.at);
  }

  /** Tells that the call is over, unless it waits for an approval. */
  tell(answer: Answer): Answer {
    if ("pending" in answer) return answer;
    const { result, durationMs } = answer;
    this.scope.recorder.emit("tool:end", { call: this.asked.call, result, durationMs });
    return answer;
  }

  #judge(prepared: PreparedCall): Answer | Promise<Answer> {
    if (!prepared.ok) return this.#refused(prepared.result);
    const decided = decide(this.scope, this.asked.call, prepared.tool, this.turn.number);
    return decided instanceof Promise
      ? decided.then((decision) => this.#obey(decision, prepared))
      : this.#obey(decided, prepared);
  }

  #obey(decided: Decided, ready: ReadyCall): Answer | Promise<Answer> {
    const { scope, turn } = this;
    if (decided.pending !== undefined) return { pending: decided.pending };
    if (decided.decision !== "allow") return denied(decided, turn);
    if (scope.stopReason !== undefined) return notRun(notStarted(scope.stopReason), turn.at);
    if (!scope.hasSeam) return this.#execute(ready);
    const mayRepeat = ready.tool.idempotent === true && scope.journal?.isClosing !== true;
    return this.#pass(async () => this.#execute(ready), mayRepeat);
  }

  #execute(ready: ReadyCall): ToolOutcome | Promise<ToolOutcome> {
    this.#isStarted = true;
    return executeTool(this.scope, this.asked.call, ready);
  }

  /** A call that cannot be made. What it did before a crash stands, whatever became of its tool since. */
  #refused(result: ToolResult): ToolOutcome | Promise<ToolOutcome> {
    const { scope, asked, turn } = this;
    const outcome: ToolOutcome = freezeJson({ ...NOT_STARTED, result, startedAt: turn.at });
    if (scope.journal?.stands(keyOf(asked.call, turn)) !== true) return outcome;
    return this.#pass(async () => outcome, false);
  }

  /** @param mayRepeat - Whether a call that was in flight when its process died may be started again. */
  #pass(run: () => Promise<ToolOutcome>, mayRepeat: boolean): Promise<ToolOutcome> {
    const { scope, turn } = this;
    const { call } = this.asked;
    const uncertain = mayRepeat ? undefined : (since: number) => unknownOutcome(scope, call, since);
    return passEffect(scope, keyOf(call, turn), { run, isOutcome: isToolOutcome, uncertain });
  }
}

function keyOf(call: ToolCall, turn: Turn): string {
  return `${turn.number}/tool/${call.id}`;
}

const NOT_STARTED = { attempts: 0, failures: [], durationMs: 0 } as const;

function denied({ reason, error }: Decided, { at }: Turn): ToolOutcome {
  if (error === undefined) throw new TypeError("A denial without an error.");
  const { kind, code, retryable, message } = error;
  const result = { ok: false as const, error: reason ?? message, kind, retryable, code, detail: error };
  return freezeJson({ ...NOT_STARTED, result, startedAt: at });
}

/** What is known of a call that was running when its process died. */
function unknownOutcome(scope: RunScope, call: ToolCall, since: number): ToolOutcome {
  const message =
    `The process ended while "${call.name}" was running, since ${new Date(since).toISOString()}; whether it took effect is ` +
    `unknown, and it was not started again. Find out before you call it again. Its idempotency key was ${scope.id}/${call.id}.`;
  const result = failureOf(new ToolError(message, { code: "TOOL_OUTCOME_UNKNOWN" }));
  return freezeJson({ result, attempts: 1, failures: [], startedAt: since, durationMs: 0 });
}
