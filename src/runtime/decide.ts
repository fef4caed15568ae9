/**
 * Asks the gate about one call and records what it said.
 *
 * Floor 5 (runtime). Closed to everything that is not exactly a yes. The decision passes the effects
 * seam, so that a replay does not ask again.
 */
import type { ToolCall } from "../contract/message.ts";
import type { AnyTool } from "../contract/tool.ts";
import { PermissionError, type SerializedError, serializeError } from "../errors/index.ts";
import { allowTools } from "../permission/allow-tools.ts";
import { askPermission, type CheckedDecision, denyForFailure, readDecision } from "../permission/check-call.ts";
import { freezeJson } from "../util/json.ts";
import { passEffect } from "./effects-seam.ts";
import { notStarted } from "./not-run.ts";
import type { RunScope } from "./run-scope.ts";

/** What was decided. Plain JSON, frozen. */
export interface Decided {
  readonly decision: "allow" | "deny";
  readonly by: string;
  readonly reason?: string | undefined;
  /** What the model and the record are told, when the call may not run. */
  readonly error?: SerializedError | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Without a gate, what may change the world is refused. */
const NO_GATE = allowTools();

/** What is not even asked without a gate, and does not stand in the record. */
const HARMLESS: Decided = Object.freeze({ decision: "allow", by: "default", startedAt: 0, durationMs: 0 });

/** Never rejects for anything that the gate does. @throws HarnessError when the effects of the host fail. */
export async function decide(scope: RunScope, call: ToolCall, tool: AnyTool, turn: number): Promise<Decided> {
  const { permission } = scope.options;
  if (permission === undefined && tool.access !== "write" && tool.access !== "exec") return HARMLESS;
  const key = `${turn}/permission/${call.id}`;
  const run = () => askGate(scope, call, tool);
  const decided = permission === undefined ? await run() : await passEffect(scope, key, { run, isOutcome: isDecided });
  const { decision, by, reason, startedAt, durationMs } = decided;
  const facts = { callId: call.id, decision, by, ...(reason !== undefined && { reason }) };
  scope.recorder.emit("permission:decision", facts);
  scope.recorder.add({ type: "permission", tool: call.name, ...facts, startedAt, durationMs });
  return decided;
}

function isDecided(value: object): boolean {
  const { decision, error } = value as Partial<Decided>;
  return decision === "allow" || (decision === "deny" && typeof error === "object" && error !== null);
}

async function askGate(scope: RunScope, call: ToolCall, tool: AnyTool): Promise<Decided> {
  const startedAt = scope.clockNow();
  const checked = await check(scope, call, tool);
  const { decision, by, reason } = checked;
  return freezeJson({
    decision,
    by,
    ...(reason !== undefined && { reason }),
    ...("error" in checked && { error: serializeError(checked.error) }),
    startedAt,
    durationMs: scope.clockNow() - startedAt,
  });
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
  if (outcome.status === "threw") return denyForFailure(call, outcome.error);
  const { message } = notStarted(outcome.reason);
  const error = new PermissionError(message, { code: "PERMISSION_NO_APPROVER", cause: outcome.reason });
  return { decision: "deny", by: "gate", reason: message, error };
}
