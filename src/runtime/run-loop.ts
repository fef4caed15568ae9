/**
 * The loop: model, tools, model, until there is an answer or a reason to stop.
 *
 * Floor 5 (runtime).
 */

import type { PendingApproval } from "../contract/approval.ts";
import type { FailedAttempt, ModelStep, StopReason } from "../contract/run.ts";
import { type HarnessError, type RetryState, type SerializedError, serializeError } from "../errors/index.ts";
import type { Draft } from "../util/draft.ts";
import { freezeJson } from "../util/json.ts";
import { afterFirst, askModel, firstCall, isModelOutcome, type ModelOutcome } from "./ask-model.ts";
import { type TakenAnswer, takeAnswer } from "./asked-calls.ts";
import { type Effect, passEffect } from "./effects-seam.ts";
import { limitError } from "./limits.ts";
import type { RunScope } from "./run-scope.ts";
import { runTools, type TurnEnd } from "./run-tools.ts";

/** Why and with what a run ends. */
export type Ending =
  | {
      readonly stopReason: "finished" | "maxSteps";
      readonly answer: string;
      readonly isIncomplete: boolean;
      readonly output?: unknown;
    }
  | {
      readonly stopReason: FailureReason;
      readonly error: SerializedError;
      readonly attempts?: number;
      readonly failures?: readonly FailedAttempt[];
      readonly retryState?: RetryState;
      readonly partialText?: string;
    }
  | { readonly stopReason: "paused"; readonly pending: readonly PendingApproval[] };

type FailureReason = Exclude<StopReason, "finished" | "maxSteps" | "paused">;

/** Takes turns until the run ends. */
export async function runLoop(scope: RunScope): Promise<Ending> {
  let answer = "";
  for (;;) {
    const limited = checkLimits(scope, answer);
    if (limited !== undefined) return limited;
    const turn = ++scope.turns;
    let outcome: ModelOutcome | Promise<ModelOutcome>;
    if (scope.hasSeam) {
      outcome = await passEffect(scope, `${turn}/model`, asked(scope));
    } else {
      const call = firstCall(scope);
      outcome = afterFirst(scope, call, await call.begin());
      if (outcome instanceof Promise) outcome = await outcome;
    }
    const taken = takeOutcome(scope, outcome);
    if ("stopReason" in taken) return taken;
    answer = taken.response.content;
    if (taken.asked.length === 0) {
      const end = stopped(scope) ?? (await finished(scope, taken));
      if (end !== undefined) return end;
      continue;
    }
    // Out of the outcome, so that a resumed run has the same times.
    const at = outcome.startedAt + outcome.durationMs;
    const ran = runTools(scope, taken.asked, at);
    const end = endOfTurn(scope, ran instanceof Promise ? await ran : ran);
    if (end !== undefined) return end;
  }
}

function asked(scope: RunScope): Effect<ModelOutcome> {
  return { run: () => askModel(scope), isOutcome: isModelOutcome };
}

/** The ending that a turn's tools mean, if any. */
export function endOfTurn(scope: RunScope, end: TurnEnd | undefined): Ending | undefined {
  if (end === undefined) return undefined;
  if (end.type === "paused") return { stopReason: "paused", pending: end.pending };
  return stopped(scope) ?? failed(end.error);
}

/** The ending that a failure means. */
export function failed(error: HarnessError): Ending {
  return { stopReason: reasonOf(error), error: freezeJson(serializeError(error)) };
}

function checkLimits(scope: RunScope, answer: string): Ending | undefined {
  const { maxSteps } = scope.options;
  if (scope.recentNow() >= scope.calls.deadline) scope.stopAtDeadline();
  const end = stopped(scope);
  if (end !== undefined) return end;
  if (scope.turns >= maxSteps) return { stopReason: "maxSteps", answer, isIncomplete: true };
  const error = limitError(scope);
  return error === undefined ? undefined : failed(error);
}

/** The ending of a run that was told to stop. */
function stopped(scope: RunScope): Ending | undefined {
  return scope.stopReason === undefined ? undefined : failed(scope.stopReason);
}

/** Records what the model said, or ends the run with what it failed by. */
function takeOutcome(scope: RunScope, outcome: ModelOutcome): TakenAnswer | Ending {
  for (const usage of outcome.wasted) scope.usage.add(usage, outcome.model, true);
  const { attempts, failures, startedAt, durationMs, model } = outcome;
  if (!outcome.ok) {
    const end = stopped(scope);
    const { error, retryState, partialText } = outcome;
    const facts = {
      attempts,
      ...(failures.length > 0 && { failures }),
      retryState,
      ...(partialText !== "" && { partialText }),
    };
    return { stopReason: "failed", error, ...end, ...facts } as Ending;
  }
  scope.usage.add(outcome.response.usage, model);
  const messageCount = scope.context.size;
  const taken = takeAnswer(outcome.response);
  const step: Draft<ModelStep> = {
    index: scope.recorder.nextIndex,
    type: "model",
    response: taken.response,
    messageCount,
    attempts,
    model,
    startedAt,
    durationMs,
  };
  if (failures.length > 0) step.failures = failures;
  scope.recorder.add(step);
  scope.context.append(taken.message);
  return taken;
}

/** The ending of an answer; `undefined` when the model is to answer again, in the form that was asked for. */
async function finished(scope: RunScope, { response }: TakenAnswer): Promise<Ending | undefined> {
  const { content, finishReason } = response;
  const isIncomplete = content === "" || finishReason === "length" || finishReason === "filtered";
  const ending = { stopReason: "finished" as const, answer: content, isIncomplete };
  if (scope.output === undefined) return ending;
  const checked = await scope.output.check(scope.calls, content);
  if (checked.status === "fits") return stopped(scope) ?? { ...ending, output: checked.output };
  if (checked.status === "failed") return stopped(scope) ?? failed(checked.error);
  scope.context.append(Object.freeze({ role: "user", content: checked.note }));
  return undefined;
}

function reasonOf(error: HarnessError): FailureReason {
  if (error.kind === "permission") return "permission";
  switch (error.code) {
    case "RUN_ABORTED":
      return "aborted";
    case "RUN_TIMEOUT":
      return "timeout";
    case "RUN_NO_PROGRESS":
      return "noProgress";
    case "RUN_LIMIT":
      return "limit";
    default:
      return "failed";
  }
}
