/**
 * Asks whoever decides, and takes nothing for a yes that is not exactly one.
 *
 * Floor 4 (permission).
 */
import type { ToolCall } from "../contract/message.ts";
import type { GateDecision, Permission, PermissionContext, PermissionDecision } from "../contract/permission.ts";
import { PermissionError } from "../errors/index.ts";
import { cleanText, clipEnd, clipMiddle, quoteValue } from "../util/text.ts";

/** A decision with nothing left open; `error` is what the model and the record are told. */
export type CheckedDecision =
  | { readonly decision: "allow"; readonly by: string; readonly reason: string | undefined }
  | { readonly decision: "deny"; readonly by: string; readonly reason: string; readonly error: PermissionError };

/** Runs the check. May throw or reject like the check itself; then {@link denyForFailure} is the answer. */
export function askPermission(permission: Permission, call: ToolCall, context: PermissionContext): unknown {
  return typeof permission === "function" ? permission(call, context) : permission.check(call, context);
}

const MAX_BY_CHARS = 200;
const MAX_REASON_CHARS = 10_000;

/** Reads what the check said. Anything but a well-formed "allow" denies. */
export function readDecision(call: ToolCall, said: unknown): CheckedDecision {
  const { decision, by, reason, code } = readFields(said);
  const decidedBy = typeof by === "string" && by !== "" ? clipEnd(cleanText(by), MAX_BY_CHARS) : "gate";
  const told =
    typeof reason === "string" && reason !== "" ? clipMiddle(cleanText(reason), MAX_REASON_CHARS) : undefined;
  if (decision === "allow") return { decision, by: decidedBy, reason: told };
  if (decision === "deny") {
    const isOwnCode = typeof code === "string" && /^PERMISSION_[A-Z_]{1,40}$/.test(code);
    return deny(decidedBy, told ?? `The call of "${call.name}" was denied.`, isOwnCode ? code : "PERMISSION_DENIED");
  }
  if (decision === "ask") {
    const text = told ?? `The call of "${call.name}" needs an approval, and nobody can be asked here.`;
    return deny(decidedBy, text, "PERMISSION_NO_APPROVER");
  }
  return deny(
    decidedBy,
    `The permission check of "${call.name}" answered ${quoteValue(said)}, which is no decision, so the call was denied. ` +
      'It must answer { decision: "allow" | "ask" | "deny" }.',
    "PERMISSION_POLICY_ERROR",
  );
}

/** The answer to a check that threw, rejected or never answered: closed. */
export function denyForFailure(call: ToolCall, cause: unknown): CheckedDecision {
  const text = `The permission check of "${call.name}" failed, so the call was denied.`;
  return deny("gate", text, "PERMISSION_POLICY_ERROR", cause);
}

function deny(by: string, reason: string, code: string, cause?: unknown): CheckedDecision {
  return { decision: "deny", by, reason, error: new PermissionError(reason, { code, cause }) };
}

/** Each field is there, if only as undefined, so that none of them is looked up in a prototype. */
const NOTHING_SAID = { decision: undefined, by: undefined, reason: undefined, code: undefined };

function readFields(said: unknown): Record<keyof PermissionDecision | "code", unknown> {
  try {
    // What is inherited is no answer: with a polluted Object.prototype everything would be allowed.
    if (typeof said !== "object" || !Object.hasOwn(said as object, "decision")) return NOTHING_SAID;
    const { decision, by, reason, code } = said as GateDecision;
    return { decision, by, reason, code };
  } catch {
    return NOTHING_SAID;
  }
}
