/**
 * Answers one tool call: prepare, ask for permission, execute. Whatever happens becomes a result.
 *
 * Floor 5 (runtime). Seam 2: the only place where an error from a tool becomes a `ToolError`.
 */
import type { ToolCall } from "../contract/message.ts";
import type { FailedAttempt } from "../contract/run.ts";
import type { AnyTool, ToolResult } from "../contract/tool.ts";
import { type HarnessError, PermissionError, RuntimeError, ToolError, toHarnessError } from "../errors/index.ts";
import { allowTools } from "../permission/allow-tools.ts";
import { askPermission, type CheckedDecision, denyForFailure, readDecision } from "../permission/check-call.ts";
import type { PreparedCall } from "../registry/tool-registry.ts";
import { failureOf } from "../registry/tool-result.ts";
import { freezeJson } from "../util/json.ts";
import type { AskedCall } from "./asked-calls.ts";
import { passEffect } from "./effects-seam.ts";
import { executeTool } from "./execute-tool.ts";
import type { RunScope } from "./run-scope.ts";

/** How one call was answered. Plain JSON. */
export interface ToolOutcome {
  readonly result: ToolResult;
  /** How often the tool was started. */
  readonly attempts: number;
  readonly failures: readonly FailedAttempt[];
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Without a gate, what may change the world is refused. */
const NO_GATE = allowTools();

/** Never rejects. */
export async function runTool(scope: RunScope, asked: AskedCall, turn: number): Promise<ToolOutcome> {
  const startedAt = scope.now();
  const { call } = asked;
  if (scope.stopReason !== undefined) return notRun(scope, notStarted(scope.stopReason), startedAt);
  scope.recorder.emit("tool:start", { call });
  const answered = await answer(scope, asked, turn, startedAt);
  // Frozen before listeners see it: nothing that they do changes the record.
  freezeJson(answered.result);
  const outcome = { ...answered, startedAt, durationMs: scope.now() - startedAt };
  scope.recorder.emit("tool:end", { call, result: outcome.result, durationMs: outcome.durationMs });
  return outcome;
}

/** The outcome of a call that was never started. */
export function notRun(scope: RunScope, error: HarnessError, startedAt = scope.now()): ToolOutcome {
  return { result: freezeJson(failureOf(error)), attempts: 0, failures: [], startedAt, durationMs: 0 };
}

type Answered = Pick<ToolOutcome, "result" | "attempts" | "failures">;

async function answer(scope: RunScope, asked: AskedCall, turn: number, startedAt: number): Promise<Answered> {
  const { call, read } = asked;
  if (!read.ok) return refusal(new ToolError(read.problem, { code: "TOOL_INVALID_ARGUMENTS" }));
  const prepared = await prepare(scope, call);
  if (!prepared.ok) return { result: prepared.result, attempts: 0, failures: [] };
  const decision = await decide(scope, call, prepared.tool, startedAt);
  if (decision.decision !== "allow") return refusal(decision.error);
  if (scope.stopReason !== undefined) return refusal(notStarted(scope.stopReason));
  try {
    return await passEffect(scope, `${turn}/tool/${call.id}`, () => executeTool(scope, call, prepared));
  } catch (error) {
    return refusal(toHarnessError(error, "tool"));
  }
}

function refusal(error: HarnessError): Answered {
  return { result: failureOf(error), attempts: 0, failures: [] };
}

function notStarted(reason: HarnessError): HarnessError {
  return new RuntimeError(`Not run: the run was stopped before this call started, it is cancelled. ${reason.message}`, {
    code: reason.code,
    cause: reason,
  });
}

/** Finds the tool and validates the arguments; a validator of the host's may take its time. */
async function prepare(scope: RunScope, call: ToolCall): Promise<PreparedCall> {
  const { registry, toolTimeoutMs, graceMs } = scope.options;
  const prepared = registry.prepare(call, call.arguments);
  if (!(prepared instanceof Promise)) return prepared;
  const timeoutError = () =>
    new ToolError(`The arguments of "${call.name}" could not be validated within ${toolTimeoutMs} ms.`, {
      code: "TOOL_TIMEOUT",
    });
  const as = { type: "tool" as const, name: call.name, callId: call.id };
  const outcome = await scope.calls.race(
    { as, deadline: scope.now() + toolTimeoutMs, timeoutError, graceMs },
    () => prepared,
  );
  if (outcome.status === "returned") return outcome.value;
  const error = outcome.status === "stopped" ? outcome.reason : toHarnessError(outcome.error, "tool");
  return { ok: false, result: failureOf(error) };
}

/** Asks the gate, closed to everything that is not exactly a yes, and records what it said. */
async function decide(scope: RunScope, call: ToolCall, tool: AnyTool, startedAt: number): Promise<CheckedDecision> {
  const { permission } = scope.options;
  const decision = await check(scope, call, tool);
  if (permission === undefined && decision.decision === "allow") return decision;
  const { reason } = decision;
  const facts = {
    callId: call.id,
    decision: decision.decision,
    by: decision.by,
    ...(reason !== undefined && { reason }),
  };
  scope.recorder.emit("permission:decision", facts);
  scope.recorder.add({ type: "permission", tool: call.name, ...facts, startedAt, durationMs: scope.now() - startedAt });
  return decision;
}

async function check(scope: RunScope, call: ToolCall, tool: AnyTool): Promise<CheckedDecision> {
  const outcome = await scope.calls.race<unknown>(
    {
      as: { type: "permission", name: call.name },
      deadline: Number.POSITIVE_INFINITY,
      timeoutError: () => new PermissionError("A permission check has no deadline.", { code: "PERMISSION_TIMEOUT" }),
      graceMs: 0,
    },
    (running) =>
      askPermission(scope.options.permission ?? NO_GATE, call, {
        runId: scope.id,
        toolAccess: tool.access,
        get signal() {
          return running.signal;
        },
      }),
  );
  if (outcome.status === "returned") return readDecision(call, outcome.value);
  return denyForFailure(call, outcome.status === "threw" ? outcome.error : outcome.reason);
}
