/**
 * Puts a question to an approver and waits for the answer, but not for ever and not after an abort.
 *
 * Floor 4 (permission).
 */
import type { ApprovalOutcome, ApprovalRequest, Approver } from "../contract/approval.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import { denied, readAnswer } from "./read-answer.ts";

/** How long and under which signal is waited. */
export interface AskOptions {
  /** Fires when the run stops. */
  readonly signal: AbortSignal;
  /** Longest wait in milliseconds; 0 or Infinity: no limit. */
  readonly timeoutMs: number;
  readonly clock?: Clock | undefined;
}

/** Never rejects: an approver that throws, answers nonsense, or does not answer in time denies. */
export async function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  options: AskOptions,
): Promise<ApprovalOutcome> {
  const { signal, timeoutMs, clock = systemClock } = options;
  if (signal.aborted) return stopped(request, signal);
  const controller = new AbortController();
  let finish: (answered: ApprovalOutcome) => void = () => undefined;
  const ended = new Promise<ApprovalOutcome>((resolve) => {
    finish = resolve;
  });
  const onAbort = () => finish(stopped(request, signal));
  signal.addEventListener("abort", onAbort, { once: true });
  const hasLimit = timeoutMs > 0 && timeoutMs < Number.POSITIVE_INFINITY;
  const cancel = hasLimit ? clock.setTimer(timeoutMs, () => finish(tooLate(request, timeoutMs))) : () => undefined;
  const asked = answer(approver, request, controller.signal);
  try {
    return await Promise.race([asked, ended]);
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
    controller.abort(signal.reason);
  }
}

async function answer(approver: Approver, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalOutcome> {
  try {
    return readAnswer(request, await approver(request, signal));
  } catch (error) {
    return denied(
      `The approver of "${request.tool}" failed, so the call was denied.`,
      "PERMISSION_APPROVER_FAILED",
      error,
    );
  }
}

function tooLate({ tool }: ApprovalRequest, timeoutMs: number): ApprovalOutcome {
  return denied(
    `No decision about the call of "${tool}" came within ${timeoutMs} ms, so it was denied.`,
    "PERMISSION_TIMEOUT",
  );
}

function stopped({ tool }: ApprovalRequest, signal: AbortSignal): ApprovalOutcome {
  const text = `The run stopped before there was a decision about the call of "${tool}".`;
  return denied(text, "PERMISSION_NO_APPROVER", signal.reason);
}
