/**
 * Answers one tool call: prepare, ask for permission, execute. Whatever happens becomes a result.
 *
 * Floor 5 (runtime). Seam 2: the only place where an error from a tool becomes a `ToolError`.
 */
import type { PendingApproval } from "../contract/approval.ts";
import { ToolError, toHarnessError } from "../errors/index.ts";
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
  try {
    const prepared = await prepareCall(scope, call);
    if (!prepared.ok) return freezeJson({ ...NOT_STARTED, result: prepared.result, startedAt: turn.at });
    const decided = await decide(scope, call, prepared.tool, turn.number);
    if (decided.pending !== undefined) return { pending: decided.pending };
    if (decided.decision !== "allow") return denied(decided, turn);
    if (scope.stopReason !== undefined) return notRun(notStarted(scope.stopReason), turn.at);
    const run = () => executeTool(scope, call, prepared);
    return await passEffect(scope, `${turn.number}/tool/${call.id}`, { run, isOutcome: isToolOutcome });
  } catch (error) {
    const adopted = toHarnessError(error, "tool");
    return notRun(adopted === scope.stopReason ? cancelled(adopted) : adopted, turn.at);
  }
}

const NOT_STARTED = { attempts: 0, failures: [], durationMs: 0 } as const;

function denied({ reason, error }: Decided, { at }: Turn): ToolOutcome {
  if (error === undefined) throw new TypeError("A denial without an error.");
  const { kind, code, retryable, message } = error;
  const result = { ok: false as const, error: reason ?? message, kind, retryable, code, detail: error };
  return freezeJson({ ...NOT_STARTED, result, startedAt: at });
}
