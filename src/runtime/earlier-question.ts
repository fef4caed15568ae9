/**
 * A question that a paused run asked.
 *
 * Floor 5 (runtime).
 */
import type { ApprovalDecision, PendingApproval } from "../contract/approval.ts";

/** The question, and its answer when there is one. */
export interface EarlierQuestion {
  readonly pending: PendingApproval;
  readonly decision: ApprovalDecision | undefined;
}
