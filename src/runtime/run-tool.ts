/**
 * Answers one tool call: prepare, ask for permission, execute. Whatever happens becomes a result.
 *
 * Floor 5 (runtime). Seam 2: the only place where an error from a tool becomes a `ToolError`.
 */
import type { PendingApproval } from "../contract/approval.ts";
import type { ToolCall } from "../contract/message.ts";
import type { ToolResult } from "../contract/tool.ts";
import { ToolError, toHarnessError } from "../errors/index.ts";
import { failureOf } from "../registry/tool-result.ts";
import { freezeJson } from "../util/json.ts";
import type { AskedCall } from "./asked-calls.ts";
import { type Decided, decide } from "./decide.ts";
import { passEffect } from "./effects-seam.ts";
import { cancelled, executeTool, isToolOutcome, type ToolOutcome } from "./execute-tool.ts";
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

/** Never rejects. */
export async function runTool(scope: RunScope, asked: AskedCall, turn: Turn): Promise<ToolOutcome | WaitingCall> {
  const { call } = asked;
  if (scope.stopReason !== undefined) return notRun(notStarted(scope.stopReason), turn.at);
  // A call that waited for its approval was started before the pause.
  if (!scope.answers.has(call.id)) scope.recorder.emit("tool:start", { call });
  const outcome = await answer(scope, asked, turn);
  if ("pending" in outcome) return outcome;
  scope.recorder.emit("tool:end", { call, result: outcome.result, durationMs: outcome.durationMs });
  return outcome;
}

async function answer(scope: RunScope, { call, read }: AskedCall, turn: Turn): Promise<ToolOutcome | WaitingCall> {
  if (!read.ok) return notRun(new ToolError(read.problem, { code: "TOOL_INVALID_ARGUMENTS" }), turn.at);
  let isStarted = false;
  try {
    const preparing = prepareCall(scope, call);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    if (!prepared.ok) return await refused(scope, call, turn, prepared.result);
    const deciding = decide(scope, call, prepared.tool, turn.number);
    const decided = deciding instanceof Promise ? await deciding : deciding;
    if (decided.pending !== undefined) return { pending: decided.pending };
    if (decided.decision !== "allow") return denied(decided, turn);
    if (scope.stopReason !== undefined) return notRun(notStarted(scope.stopReason), turn.at);
    const run = () => {
      isStarted = true;
      return executeTool(scope, call, prepared);
    };
    return await passTool(scope, call, turn, {
      run,
      mayRepeat: prepared.tool.idempotent === true && scope.journal?.isClosing !== true,
    });
  } catch (error) {
    const adopted = toHarnessError(error, "tool");
    if (adopted !== scope.stopReason) return notRun(adopted, turn.at);
    return notRun(isStarted ? cancelled(adopted) : notStarted(adopted), turn.at);
  }
}

interface Work {
  readonly run: () => Promise<ToolOutcome>;
  /** Whether a call that was in flight when its process died may be started again. */
  readonly mayRepeat: boolean;
}

function passTool(scope: RunScope, call: ToolCall, turn: Turn, { run, mayRepeat }: Work): Promise<ToolOutcome> {
  const uncertain = mayRepeat ? undefined : (since: number) => unknownOutcome(scope, call, since);
  return passEffect(scope, keyOf(call, turn), { run, isOutcome: isToolOutcome, uncertain });
}

function keyOf(call: ToolCall, turn: Turn): string {
  return `${turn.number}/tool/${call.id}`;
}

/** A call that cannot be made. What it did before a crash stands, whatever became of its tool since. */
async function refused(scope: RunScope, call: ToolCall, turn: Turn, result: ToolResult): Promise<ToolOutcome> {
  const outcome: ToolOutcome = freezeJson({ ...NOT_STARTED, result, startedAt: turn.at });
  if (scope.journal?.stands(keyOf(call, turn)) !== true) return outcome;
  return passTool(scope, call, turn, { run: async () => outcome, mayRepeat: false });
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
