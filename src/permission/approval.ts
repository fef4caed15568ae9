/**
 * Approvals: makes the question, proves that an answer belongs to it, and to nothing else.
 *
 * Floor 4 (permission). Node only. Pure functions: who waits, stores and resumes is the runtime.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type {
  AnswerFacts,
  ApprovalDecision,
  ApprovalOutcome,
  ApprovalRequest,
  PendingApproval,
  QuestionFacts,
} from "../contract/approval.ts";
import type { ToolCall } from "../contract/message.ts";
import { PermissionError } from "../errors/index.ts";
import { canonicalJson, freezeJson, toJson } from "../util/json.ts";
import { describeRequest } from "./describe-request.ts";
import { digestArguments } from "./digest.ts";
import { readAnswer } from "./read-answer.ts";

/** What a question is made of, beside its call. */
export interface RequestFacts extends QuestionFacts {
  /** How long an answer is taken, in milliseconds; 0 or absent: for ever. */
  readonly validMs?: number | undefined;
}

/** Makes the question about a call. @throws TypeError for arguments that are no JSON. */
export function createApprovalRequest(call: ToolCall, facts: RequestFacts): ApprovalRequest {
  const { args, digest } = digestArguments(call.arguments);
  const { id, runId, decision, now, validMs = 0 } = facts;
  return freezeJson({
    id,
    runId,
    callId: call.id,
    tool: call.name,
    arguments: args,
    argsDigest: digest,
    policyHash: decision.policyHash ?? "",
    reason: decision.reason ?? `This call of "${call.name}" needs an approval.`,
    by: decision.by ?? "default",
    display: describeRequest({ name: call.name, arguments: args }),
    createdAt: now,
    ...(validMs > 0 && validMs < Number.POSITIVE_INFINITY && { expiresAt: now + validMs }),
  });
}

/** The question as it waits in a paused run, signed when there is a secret. */
export function toPendingApproval(request: ApprovalRequest, secret?: Uint8Array): PendingApproval {
  return Object.freeze(secret === undefined ? { ...request } : { ...request, signature: sign(request, secret) });
}

/** What an answer is held against, and by which gate. */
export interface VerificationFacts extends Omit<AnswerFacts, "isUsed"> {
  /** Of the gate that would allow it now; absent for a gate without one. */
  readonly policyHash?: string | undefined;
  readonly secret?: Uint8Array | undefined;
  readonly isUsed?: AnswerFacts["isUsed"] | undefined;
}

/**
 * Holds an answer against its question and the question against the call. Everything that does not fit denies:
 * other arguments, another run, other rules, a broken signature, too late, used before.
 *
 * Rules that deny must be asked again by the caller: an approval does not override them.
 */
export function verifyApproval(
  pending: PendingApproval,
  decision: ApprovalDecision,
  facts: VerificationFacts,
): ApprovalOutcome {
  const mismatch = findMismatch(pending, decision, facts);
  if (mismatch !== undefined) return refused(mismatch, "PERMISSION_MISMATCH");
  if (pending.expiresAt !== undefined && !(facts.now < pending.expiresAt)) {
    return refused(`The approval of "${pending.tool}" came too late.`, "PERMISSION_TIMEOUT");
  }
  return readAnswer(pending, decision);
}

function findMismatch(
  pending: PendingApproval,
  decision: ApprovalDecision,
  facts: VerificationFacts,
): string | undefined {
  const { call, runId, policyHash, secret, isUsed } = facts;
  if (decision.id !== pending.id) return "The answer belongs to another question.";
  if (secret !== undefined && !isSigned(pending, secret))
    return "The question was not asked by this gate, or has been changed.";
  if (pending.runId !== runId || pending.callId !== call.id || pending.tool !== call.name) {
    return "The approval belongs to another call.";
  }
  const digest = digestOf(call.arguments);
  if (digest === undefined || digest !== pending.argsDigest || digestOf(pending.arguments) !== pending.argsDigest) {
    return "The approval belongs to other arguments.";
  }
  if (policyHash !== undefined && policyHash !== pending.policyHash)
    return "The rules have changed since it was asked.";
  return isUsed?.(pending.id) === true ? "The approval has been used before." : undefined;
}

function digestOf(args: unknown): string | undefined {
  try {
    return digestArguments(args).digest;
  } catch {
    return undefined;
  }
}

/** Whether these facts of a gate were signed with its secret. */
function isSigned({ signature, ...request }: PendingApproval, secret: Uint8Array): boolean {
  if (typeof signature !== "string") return false;
  const wanted = Buffer.from(sign(request, secret));
  const given = Buffer.from(signature);
  return wanted.byteLength === given.byteLength && timingSafeEqual(wanted, given);
}

function sign(request: ApprovalRequest, secret: Uint8Array): string {
  return createHmac("sha256", secret)
    .update(canonicalJson(toJson(request)))
    .digest("hex");
}

function refused(reason: string, code: string): ApprovalOutcome {
  return { decision: "deny", reason, error: new PermissionError(reason, { code }) };
}
