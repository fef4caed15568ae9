/**
 * What happens with a call that the gate wants approved: somebody is asked, or the run pauses with the
 * question, or the answer to an earlier question is held against it.
 *
 * Floor 5 (runtime). An approval overrides an "ask" only: the rules have been asked again before.
 */
import type { ApprovalGate, ApprovalOutcome, PendingApproval } from "../contract/approval.ts";
import type { ToolCall } from "../contract/message.ts";
import type { GateDecision, Permission } from "../contract/permission.ts";
import { denyForFailure } from "../permission/check-call.ts";
import type { EarlierQuestion } from "./earlier-question.ts";
import { denyUnanswered, type FullDecision, permissionSpec } from "./permission-call.ts";
import type { RunScope } from "./run-scope.ts";

/** Whether a gate said "ask" and is one that knows whom to ask. */
export function isQuestion(permission: Permission, said: unknown): permission is ApprovalGate & Permission {
  const isAsk =
    typeof said === "object" &&
    said !== null &&
    Object.hasOwn(said, "decision") &&
    Reflect.get(said, "decision") === "ask";
  if (!isAsk || typeof permission === "function") return false;
  const { onAsk, question } = permission as Partial<ApprovalGate>;
  return typeof question === "function" && (onAsk === "pause" || typeof onAsk === "function");
}

/** Never rejects. */
export async function answerQuestion(
  scope: RunScope,
  gate: ApprovalGate,
  call: ToolCall,
  said: unknown,
): Promise<FullDecision> {
  try {
    const earlier = scope.answers.get(call.id);
    if (earlier !== undefined) return await verify(scope, gate, call, earlier);
    const decision = said as GateDecision;
    const pending = gate.question(call, { id: crypto.randomUUID(), runId: scope.id, decision, now: scope.clockNow() });
    scope.recorder.emit("permission:request", { call, request: pending });
    if (gate.onAsk === "pause") return wait(pending);
    return ask(scope, gate, call, pending);
  } catch (error) {
    return denyForFailure(call, error);
  }
}

function wait(pending: PendingApproval): FullDecision {
  return { decision: "ask", by: pending.by, reason: pending.reason, pending };
}

/** Waiting for a person does not count against the deadline of the run. */
async function ask(
  scope: RunScope,
  gate: ApprovalGate,
  call: ToolCall,
  question: PendingApproval,
): Promise<FullDecision> {
  const resume = scope.calls.suspendDeadline();
  const outcome = await scope.calls.race<ApprovalOutcome>(permissionSpec(call.name), (running) =>
    gate.ask(question, running.signal, scope.options.clock),
  );
  resume();
  if (outcome.status !== "returned") return denyUnanswered(call, outcome);
  return settle(gate, question, outcome.value);
}

async function verify(
  scope: RunScope,
  gate: ApprovalGate,
  call: ToolCall,
  { pending, decision }: EarlierQuestion,
): Promise<FullDecision> {
  if (decision === undefined) return wait(pending);
  // Used up before the tool starts, whatever becomes of the call.
  const isFree = await useUp(scope, pending.id);
  const facts = { call, runId: scope.id, now: scope.clockNow(), isUsed: () => !isFree };
  return settle(gate, pending, gate.verify(pending, decision, facts));
}

/** Whether the answer to a question was free: in all processes where there is a store, in this runtime elsewhere. */
async function useUp({ journal, usedAnswers }: RunScope, question: string): Promise<boolean> {
  if (journal !== undefined) return journal.claim(question);
  if (usedAnswers.has(question)) return false;
  usedAnswers.add(question);
  return true;
}

function settle(gate: ApprovalGate, question: PendingApproval, outcome: ApprovalOutcome): FullDecision {
  if (outcome.decision === "deny")
    return { decision: "deny", by: "approver", reason: outcome.reason, error: outcome.error };
  if (outcome.remember !== undefined) remember(gate, question, outcome.remember);
  return { decision: "allow", by: "approver", reason: outcome.reason };
}

/** A grant that cannot be meant is left out: the call itself was allowed. */
function remember(gate: ApprovalGate, question: PendingApproval, grant: Parameters<ApprovalGate["remember"]>[1]): void {
  try {
    gate.remember(question, grant);
  } catch {
    // Asked again next time.
  }
}
