/**
 * Asks the gate about one call, and whoever the gate wants asked, and records what was said.
 *
 * Floor 5 (runtime). Closed to everything that is not exactly a yes. The decision passes the effects
 * seam, so that a replay does not ask again.
 */
import type { PendingApproval } from "../contract/approval.ts";
import type { ToolCall } from "../contract/message.ts";
import type { AnyTool } from "../contract/tool.ts";
import { type SerializedError, serializeError } from "../errors/index.ts";
import { allowTools } from "../permission/allow-tools.ts";
import { askPermission, readDecision } from "../permission/check-call.ts";
import { freezeJson } from "../util/json.ts";
import { answerQuestion, isQuestion } from "./approvals.ts";
import { passEffect } from "./effects-seam.ts";
import { denyUnanswered, type FullDecision, permissionSpec } from "./permission-call.ts";
import type { RunScope } from "./run-scope.ts";

/** What was decided. Plain JSON, frozen. */
export interface Decided {
  /** "ask": the run is to pause with the question. */
  readonly decision: "allow" | "ask" | "deny";
  readonly by: string;
  readonly reason?: string | undefined;
  /** What the model and the record are told, when the call may not run. */
  readonly error?: SerializedError | undefined;
  /** What waits for an answer, when the decision is "ask". */
  readonly pending?: PendingApproval | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Without a gate, what may change the world is refused. */
const NO_GATE = allowTools();

/** What is not even asked without a gate, and does not stand in the record. */
const HARMLESS: Decided = Object.freeze({ decision: "allow", by: "default", startedAt: 0, durationMs: 0 });

/** Never rejects for anything that the gate does. @throws HarnessError when the effects of the host fail. */
export function decide(scope: RunScope, call: ToolCall, tool: AnyTool, turn: number): Decided | Promise<Decided> {
  const { permission } = scope.options;
  if (permission === undefined && tool.access !== "write" && tool.access !== "exec") return HARMLESS;
  return decideByGate(scope, call, tool, turn);
}

async function decideByGate(scope: RunScope, call: ToolCall, tool: AnyTool, turn: number): Promise<Decided> {
  const { permission } = scope.options;
  const key = `${turn}/permission/${call.id}`;
  const run = () => judge(scope, call, tool);
  const decided = permission === undefined ? await run() : await passEffect(scope, key, { run, isOutcome: isDecided });
  const { decision, by, reason, startedAt, durationMs } = decided;
  const facts = { callId: call.id, decision, by, ...(reason !== undefined && { reason }) };
  scope.recorder.emit("permission:decision", facts);
  const index = scope.recorder.nextIndex;
  scope.recorder.add({ index, type: "permission", tool: call.name, ...facts, startedAt, durationMs });
  return decided;
}

function isDecided(value: object): boolean {
  const { decision, error, pending } = value as Partial<Decided>;
  const isObject = (part: unknown) => typeof part === "object" && part !== null;
  return decision === "allow" || (decision === "deny" && isObject(error)) || (decision === "ask" && isObject(pending));
}

async function judge(scope: RunScope, call: ToolCall, tool: AnyTool): Promise<Decided> {
  const startedAt = scope.clockNow();
  const full = await check(scope, call, tool);
  const { decision, by, reason } = full;
  return freezeJson({
    decision,
    by,
    ...(reason !== undefined && { reason }),
    ...("error" in full && { error: serializeError(full.error) }),
    ...("pending" in full && { pending: full.pending }),
    startedAt,
    durationMs: scope.clockNow() - startedAt,
  });
}

async function check(scope: RunScope, call: ToolCall, tool: AnyTool): Promise<FullDecision> {
  const permission = scope.options.permission ?? NO_GATE;
  const outcome = await scope.calls.race<unknown>(permissionSpec(call.name), (running) =>
    askPermission(permission, call, {
      runId: scope.id,
      toolAccess: tool.access,
      get signal() {
        return running.signal;
      },
    }),
  );
  if (outcome.status !== "returned") return denyUnanswered(call, outcome);
  if (isQuestion(permission, outcome.value)) return answerQuestion(scope, permission, call, outcome.value);
  return readDecision(call, outcome.value);
}
