/**
 * Asks the models of a run for one answer: the first one with its retries, then those that take over.
 *
 * Floor 5 (runtime). What comes back is data, failures included, so that a journal can keep it.
 */
import { type Model, type ModelResponse, nameOf, type Usage } from "../contract/model.ts";
import type { FailedAttempt } from "../contract/run.ts";
import { type HarnessError, type RetryState, type SerializedError, serializeError } from "../errors/index.ts";
import { planRetry } from "../retry/plan.ts";
import { freezeJson } from "../util/json.ts";
import { attemptModel, type FailedModelAttempt, type ModelAttempt, ModelCall } from "./attempt-model.ts";
import type { Outcome } from "./foreign-call.ts";
import type { RunScope } from "./run-scope.ts";

/** How the question to the models ended. Plain JSON. */
export type ModelOutcome = {
  readonly startedAt: number;
  readonly durationMs: number;
  /** Tries over all models. */
  readonly attempts: number;
  /** The model that answered, or the last one that failed. */
  readonly model: string;
  readonly failures: readonly FailedAttempt[];
  /** What failed attempts used. */
  readonly wasted: readonly Usage[];
} & (
  | { readonly ok: true; readonly response: ModelResponse }
  | {
      readonly ok: false;
      readonly error: SerializedError;
      readonly retryState: RetryState;
      readonly partialText: string;
    }
);

/** What the tries of one question add up to. */
interface Trail {
  readonly startedAt: number;
  attempts: number;
  readonly failures: FailedAttempt[];
  readonly wasted: Usage[];
}

type Answer =
  | { readonly ok: true; readonly response: ModelResponse }
  | { readonly ok: false; readonly error: HarnessError; readonly state: RetryState; readonly partialText: string };

const NONE: readonly never[] = Object.freeze([]);

/** Never rejects. */
export async function askModel(scope: RunScope): Promise<ModelOutcome> {
  const call = firstCall(scope);
  return afterFirst(scope, call, await call.begin());
}

/** The first try of a question. Nearly every question ends with it, so the loop itself waits for it. */
export function firstCall(scope: RunScope): ModelCall {
  return new ModelCall(scope, scope.options.model, { number: 1, startedAt: scope.recentNow() });
}

/** What the end of the first try means: the outcome at once, or further tries. */
export function afterFirst(
  scope: RunScope,
  call: ModelCall,
  end: Outcome<ModelResponse>,
): ModelOutcome | Promise<ModelOutcome> {
  const { startedAt } = call;
  const tried = call.end(end);
  if (!tried.ok) return askAgain(scope, tried, { startedAt, attempts: 1, failures: [], wasted: [] });
  scope.budget.refund();
  const { response, endedAt } = tried;
  const model = nameOf(scope.options.model);
  return {
    ok: true,
    response,
    startedAt,
    durationMs: endedAt - startedAt,
    attempts: 1,
    model,
    failures: NONE,
    wasted: NONE,
  };
}

/** Goes on behind a first try that failed: the same model as often as is worth it, then those that take over. */
async function askAgain(scope: RunScope, first: FailedModelAttempt, trail: Trail): Promise<ModelOutcome> {
  let { model } = scope.options;
  let answer = await retryOne(scope, model, first, trail);
  for (const next of scope.options.fallback) {
    if (answer.ok || answer.partialText !== "" || scope.stopReason !== undefined) break;
    const { error } = answer;
    if (error.kind !== "model" || (next.on !== undefined && !next.on.has(error.code))) continue;
    note(trail, model, error, 0);
    scope.recorder.emit("model:fallback", { from: nameOf(model), to: nameOf(next.model), code: error.code });
    model = next.model;
    trail.attempts++;
    const tried = await attemptModel(scope, model, { number: 1, startedAt: scope.clockNow() });
    answer = await retryOne(scope, model, tried, trail);
  }
  return outcomeOf(scope, answer, model, trail);
}

function outcomeOf(scope: RunScope, answer: Answer, model: Model, trail: Trail): ModelOutcome {
  const { startedAt, attempts } = trail;
  const failures = Object.freeze(trail.failures);
  const wasted = Object.freeze(trail.wasted);
  const durationMs = scope.clockNow() - startedAt;
  const facts = { startedAt, durationMs, attempts, model: nameOf(model), failures, wasted };
  if (answer.ok) return { ok: true, response: answer.response, ...facts };
  const { error, state, partialText } = answer;
  return { ok: false, error: freezeJson(serializeError(error)), retryState: state, partialText, ...facts };
}

/** Tells the outcome of {@link askModel}, or a copy of it, from anything else. */
export function isModelOutcome(value: object): boolean {
  const { ok, wasted, failures, response, error } = value as Partial<
    ModelOutcome & { response: unknown; error: unknown }
  >;
  const isComplete = Array.isArray(wasted) && Array.isArray(failures);
  if (ok === true) return isComplete && Array.isArray((response as Partial<ModelResponse> | undefined)?.toolCalls);
  return isComplete && ok === false && typeof error === "object" && error !== null;
}

/** Asks one model again as long as its failures are worth it. */
async function retryOne(scope: RunScope, model: Model, first: ModelAttempt, trail: Trail): Promise<Answer> {
  let tried = first;
  for (let attempt = 1; ; attempt++) {
    if (tried.ok) {
      scope.budget.refund();
      return tried;
    }
    const { error, delivered, partialText, usage } = tried;
    if (usage !== undefined) trail.wasted.push(usage);
    const state = await waitForRetry(scope, { error, attempt, delivered }, model, trail);
    if (state !== "retry") return { ok: false, error: scope.stopReason ?? error, state, partialText };
    trail.attempts++;
    tried = await attemptModel(scope, model, { number: attempt + 1, startedAt: scope.clockNow() });
  }
}

interface Failure {
  readonly error: HarnessError;
  readonly attempt: number;
  readonly delivered: number;
}

/** Plans the next try and waits for it; answers why there is none. */
async function waitForRetry(
  scope: RunScope,
  { error, attempt, delivered }: Failure,
  model: Model,
  trail: Trail,
): Promise<RetryState | "retry"> {
  const { retry: policy, random } = scope.options;
  const plan = planRetry({
    error,
    attempt,
    delivered,
    target: "model",
    policy,
    random,
    budget: scope.budget,
    deadline: scope.calls.deadline,
    now: scope.clockNow(),
    aborted: scope.stopReason !== undefined,
  });
  if (!plan.retry) return plan.state;
  scope.recorder.emit("model:retry", {
    attempt,
    maxAttempts: policy.maxAttempts,
    delayMs: plan.delayMs,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    code: error.code,
    message: error.message,
    budgetLeft: scope.budget.left,
  });
  await scope.calls.sleep(plan.delayMs);
  if (scope.stopReason !== undefined) return "aborted";
  note(trail, model, error, plan.delayMs);
  return "retry";
}

function note(trail: Trail, model: Model, error: HarnessError, delayMs: number): void {
  const { code, message } = error;
  trail.failures.push(Object.freeze({ attempt: trail.attempts, model: nameOf(model), code, message, delayMs }));
}
