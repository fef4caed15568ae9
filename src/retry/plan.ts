/**
 * Decides whether a failed call is tried again, and after which wait.
 *
 * Floor 4 (retry). A function of its arguments only, so that every row of the rules is a test.
 */
import type { HarnessError, RetryState } from "../errors/index.ts";
import type { RetryBudget } from "./budget.ts";
import type { RetryPolicy } from "./policy.ts";

/** Everything the decision depends on. Times are milliseconds. */
export interface RetrySituation {
  readonly error: HarnessError;
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly target: "model" | "tool";
  readonly policy: RetryPolicy;
  readonly budget: RetryBudget;
  /** When the run ends, since the epoch; `Infinity` without a deadline. */
  readonly deadline: number;
  readonly now: number;
  /** Whether the run was stopped. */
  readonly aborted: boolean;
  /** How many deltas a consumer has received. */
  readonly delivered: number;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
}

/** What to do after a failure. */
export type RetryPlan =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly state: RetryState };

/** Waits after these are longer from the start: the provider is asking for less. */
const THROTTLED = new Set<string>(["MODEL_RATE_LIMITED", "MODEL_OVERLOADED"]);
/** Failures that used up a provider's time cost the budget twice. */
const EXPENSIVE = new Set<string>(["MODEL_TIMEOUT", "TOOL_TIMEOUT", "TOOL_PROCESS_TIMEOUT", "MODEL_BAD_RESPONSE"]);
/** A reply that makes no sense is worth one more try, not two. */
const MAX_BAD_RESPONSES = 2;

/** Plans the next try; takes its cost from the budget when there is one. */
export function planRetry(situation: RetrySituation): RetryPlan {
  const { error, policy, budget, deadline, now } = situation;
  const refusal = refuse(situation);
  if (refusal !== undefined) return { retry: false, state: refusal };
  const asked = error.retryAfterMs;
  if (asked !== undefined && asked > policy.maxRetryAfterMs) return { retry: false, state: "retry_after_too_long" };
  const delayMs = asked === undefined ? backoff(situation) : waitAsked(situation, asked);
  if (now + delayMs >= deadline) return { retry: false, state: "deadline" };
  const cost = EXPENSIVE.has(error.code) ? 2 : 1;
  if (!budget.take(cost, delayMs)) return { retry: false, state: "budget_exhausted" };
  return { retry: true, delayMs };
}

function refuse(situation: RetrySituation): RetryState | undefined {
  const { error, attempt, policy } = situation;
  if (situation.aborted || error.code === "RUN_ABORTED") return "aborted";
  const said = askHost(situation);
  if (said === false) return "not_retryable";
  const isInterrupted = error.code === "MODEL_STREAM_INTERRUPTED";
  if (said === undefined && !error.retryable && !isInterrupted) return "not_retryable";
  if (situation.delivered > 0 || isInterrupted) return "partially_delivered";
  const most =
    error.code === "MODEL_BAD_RESPONSE" ? Math.min(policy.maxAttempts, MAX_BAD_RESPONSES) : policy.maxAttempts;
  // A client that tried by itself has used up tries of ours.
  if (attempt - 1 + (error.attempts ?? 1) >= most) return "attempts_exhausted";
  return undefined;
}

/** Only `true` is a yes: a promise, which an async `shouldRetry` gives, must not retry what may not be. */
function askHost({ error, attempt, target, policy }: RetrySituation): boolean | undefined {
  try {
    const said: unknown = policy.shouldRetry?.(error, { attempt, target });
    if (said === undefined || said === true) return said;
    if (said instanceof Promise) said.catch(() => {});
  } catch {
    // One that throws says no.
  }
  return false;
}

/** More would be Infinity at last, and Infinity times a base of 0 is no number. */
const MAX_DOUBLINGS = 50;

/** Full jitter: a random part of the doubled base. */
function backoff({ error, attempt, policy, random }: RetrySituation): number {
  const base = THROTTLED.has(error.code) ? policy.baseMs * 2 : policy.baseMs;
  return Math.round(random() * Math.min(policy.capMs, base * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS)));
}

/** Never less than what was asked, and a little more, so that many clients do not come back at once. */
function waitAsked({ policy, random }: RetrySituation, asked: number): number {
  return asked + Math.round(random() * Math.min(policy.baseMs, asked * 0.1));
}
