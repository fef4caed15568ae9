/**
 * How a gate or an approver is called, and what it means when no answer comes.
 *
 * Floor 5 (runtime).
 */
import type { PendingApproval } from "../contract/approval.ts";
import type { ToolCall } from "../contract/message.ts";
import { PermissionError } from "../errors/index.ts";
import { type CheckedDecision, denyForFailure } from "../permission/check-call.ts";
import type { CallSpec, Outcome } from "./foreign-call.ts";
import { notStarted } from "./not-run.ts";

/** A decision as it comes from the gate and its approver. */
export type FullDecision =
  | CheckedDecision
  | { readonly decision: "ask"; readonly by: string; readonly reason: string; readonly pending: PendingApproval };

/** How a gate or an approver is waited for: until the run stops, and not a moment longer. */
export function permissionSpec(name: string): CallSpec {
  return {
    as: { type: "permission", name },
    deadline: Number.POSITIVE_INFINITY,
    timeoutError: () => new PermissionError("A permission check has no deadline.", { code: "PERMISSION_TIMEOUT" }),
    graceMs: 0,
  };
}

/** The denial that a check means which did not give an answer. */
export function denyUnanswered(
  call: ToolCall,
  outcome: Exclude<Outcome<unknown>, { status: "returned" }>,
): CheckedDecision {
  if (outcome.status === "threw") return denyForFailure(call, outcome.error);
  const { message } = notStarted(outcome.reason);
  const error = new PermissionError(message, { code: "PERMISSION_NO_APPROVER", cause: outcome.reason });
  return { decision: "deny", by: "gate", reason: message, error };
}
