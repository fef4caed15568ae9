/**
 * How often and how patiently a failed call is tried again.
 *
 * Floor 4 (retry). Values after the AWS guidance on full jitter; see `docs/errors.md`.
 */
import type { HarnessError } from "../errors/index.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { createRetryBudget, type RetryBudget } from "./budget.ts";

/** What `shouldRetry` is told beside the error. */
export interface RetryQuestion {
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly target: "model" | "tool";
}

/** The `retry` option of a runtime. */
export interface RetryOptions {
  /** Most tries of one call, the first one included. @defaultValue 3 */
  readonly maxAttempts?: number | undefined;
  /** First wait in milliseconds, doubled each time; a random part of it is taken. @defaultValue 500 */
  readonly baseMs?: number | undefined;
  /** Longest wait that the runtime chooses itself, in milliseconds. @defaultValue 20_000 */
  readonly capMs?: number | undefined;
  /** Longest wait that a provider may ask for, in milliseconds; asked for more, the call fails at once. @defaultValue 60_000 */
  readonly maxRetryAfterMs?: number | undefined;
  /** A budget shared with other runs. @defaultValue a new one for each run */
  readonly budget?: RetryBudget | undefined;
  /**
   * May say no to any retry, and yes to any except an abort and a stream of which something was
   * delivered. `undefined` leaves it to the error. One that throws says no.
   */
  readonly shouldRetry?: ((error: HarnessError, question: RetryQuestion) => boolean | undefined) | undefined;
}

/** The policy with every value filled in. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  readonly maxRetryAfterMs: number;
  /** The host's own word. */
  readonly shouldRetry: NonNullable<RetryOptions["shouldRetry"]> | undefined;
  /** The budget of a new run. */
  readonly openBudget: () => RetryBudget;
}

export const RETRY_DEFAULTS = { maxAttempts: 3, baseMs: 500, capMs: 20_000, maxRetryAfterMs: 60_000 } as const;

/** Fills in and checks the `retry` option. @throws TypeError that names the wrong value. */
export function resolveRetry(options: RetryOptions = {}): RetryPolicy {
  if (typeof options !== "object" || options === null) {
    throw misuse(`retry must be an object such as { maxAttempts: 3 }, got ${quoteValue(options)}.`);
  }
  const { budget, shouldRetry } = options;
  const maxAttempts = options.maxAttempts ?? RETRY_DEFAULTS.maxAttempts;
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    throw misuse(
      `retry.maxAttempts must be a whole number from 1 up (1 for no retry), got ${quoteValue(maxAttempts)}.`,
    );
  }
  if (shouldRetry !== undefined && typeof shouldRetry !== "function") {
    throw misuse(`retry.shouldRetry must be a function, got ${quoteValue(shouldRetry)}.`);
  }
  if (budget !== undefined && typeof (budget as RetryBudget | null)?.take !== "function") {
    throw misuse(
      `retry.budget must be what createRetryBudget({ tokens }) gave, got ${quoteValue(budget)}. Leave it out for a new one for each run.`,
    );
  }
  return {
    maxAttempts,
    baseMs: duration("baseMs", options.baseMs),
    capMs: duration("capMs", options.capMs),
    maxRetryAfterMs: duration("maxRetryAfterMs", options.maxRetryAfterMs),
    shouldRetry,
    openBudget: budget === undefined ? createRetryBudget : () => budget,
  };
}

function duration(name: "baseMs" | "capMs" | "maxRetryAfterMs", given: number | undefined): number {
  const value = given ?? RETRY_DEFAULTS[name];
  const isFirstWait = name === "baseMs";
  if (typeof value === "number" && value >= 0 && (Number.isFinite(value) || !isFirstWait)) return value;
  throw misuse(
    `retry.${name} must be a ${isFirstWait ? "finite " : ""}number of milliseconds from 0 up, got ${quoteValue(value)}.`,
  );
}
