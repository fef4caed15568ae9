/**
 * What all retries of a run may cost together.
 *
 * Floor 4 (retry). A bucket of tokens, so that a provider that is down is not hammered by every call of
 * every run: failures empty it, successes fill it slowly.
 */
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";

/** A budget for retries. May be shared by runs, parallel tools and sub-agents. */
export interface RetryBudget {
  /** How many tokens are left. */
  readonly left: number;
  /** How much waiting is left, in milliseconds. */
  readonly waitLeftMs: number;
  /** Takes `tokens` and `waitMs` if both are there, and says whether they were. */
  take(tokens: number, waitMs: number): boolean;
  /** Gives a token back after a call that worked. */
  refund(): void;
}

/** The bounds of a budget. */
export interface RetryBudgetOptions {
  /** Tokens at the start and at most. A retry costs 1, after a timeout or a bad response 2. @defaultValue 10 */
  readonly tokens?: number | undefined;
  /** Most waiting of all retries together, in milliseconds. @defaultValue 300_000 */
  readonly waitMs?: number | undefined;
}

/** Makes a budget; pass it as `retry.budget` to share it between runs. */
export function createRetryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  if (typeof options !== "object" || options === null) {
    throw misuse(`createRetryBudget takes an object such as { tokens: 10 }, got ${quoteValue(options)}.`);
  }
  return new Bucket(amount("tokens", options.tokens ?? 10), amount("waitMs", options.waitMs ?? 300_000));
}

class Bucket implements RetryBudget {
  #left: number;
  #waitLeftMs: number;

  constructor(
    private readonly capacity: number,
    waitMs: number,
  ) {
    this.#left = capacity;
    this.#waitLeftMs = waitMs;
  }

  get left(): number {
    return this.#left;
  }

  get waitLeftMs(): number {
    return this.#waitLeftMs;
  }

  take(tokens: number, waitMs: number): boolean {
    // Written so that NaN is refused: it would be in the budget for good.
    if (!(tokens <= this.#left && waitMs <= this.#waitLeftMs)) return false;
    this.#left -= tokens;
    this.#waitLeftMs -= waitMs;
    return true;
  }

  refund(): void {
    this.#left = Math.min(this.capacity, this.#left + 1);
  }
}

function amount(name: string, value: number): number {
  if (typeof value === "number" && value >= 0) return value;
  throw misuse(`${name} of a retry budget must be a number from 0 up, got ${quoteValue(value)}.`);
}
