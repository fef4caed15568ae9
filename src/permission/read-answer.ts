/**
 * Reads what an approver answered. Only an exact "allow" allows.
 *
 * Floor 4 (permission).
 */
import type { ApprovalOutcome, ApprovalRequest, Grant } from "../contract/approval.ts";
import { PermissionError } from "../errors/index.ts";
import { cleanText, clipMiddle, quoteValue } from "../util/text.ts";

const MAX_REASON_CHARS = 10_000;

/** Never throws. */
export function readAnswer(request: Pick<ApprovalRequest, "tool">, said: unknown): ApprovalOutcome {
  const { decision, reason, remember } = readFields(said);
  const told =
    typeof reason === "string" && reason !== "" ? clipMiddle(cleanText(reason), MAX_REASON_CHARS) : undefined;
  if (decision === "allow") return { decision, reason: told, remember: remember as Grant | undefined };
  if (decision === "deny")
    return denied(told ?? `The call of "${request.tool}" was not approved.`, "PERMISSION_DENIED");
  return denied(
    `The approver of "${request.tool}" answered ${quoteValue(said)}, which is no decision, so the call was denied.`,
    "PERMISSION_APPROVER_FAILED",
  );
}

/** A denial with its error. */
export function denied(reason: string, code: string, cause?: unknown): ApprovalOutcome {
  return {
    decision: "deny",
    reason,
    error: new PermissionError(reason, { code, cause }),
  };
}

function readFields(said: unknown): { decision?: unknown; reason?: unknown; remember?: unknown } {
  try {
    // What is inherited is no answer: with a polluted Object.prototype `{}` would allow.
    if (typeof said !== "object" || said === null || !Object.hasOwn(said, "decision")) return {};
    const { decision, reason } = said as { decision?: unknown; reason?: unknown };
    return { decision, reason, remember: Object.hasOwn(said, "remember") ? Reflect.get(said, "remember") : undefined };
  } catch {
    return {};
  }
}
