import { describe, expect, it } from "vitest";
import { createRetryBudget } from "../../src/retry/budget.ts";
import { type RetryOptions, resolveRetry } from "../../src/retry/policy.ts";

describe("resolveRetry", () => {
  it("fills in what is left out, also where undefined stands for it", () => {
    const defaults = { maxAttempts: 3, baseMs: 500, capMs: 20_000, maxRetryAfterMs: 60_000, shouldRetry: undefined };
    expect(resolveRetry()).toMatchObject(defaults);
    expect(
      resolveRetry({ maxAttempts: undefined, baseMs: undefined, budget: undefined, shouldRetry: undefined }),
    ).toMatchObject(defaults);
  });

  it("keeps what it is given", () => {
    const shouldRetry = () => true;
    const given = {
      maxAttempts: 1,
      baseMs: 0,
      capMs: Number.POSITIVE_INFINITY,
      maxRetryAfterMs: Number.POSITIVE_INFINITY,
      shouldRetry,
    };
    expect(resolveRetry(given)).toMatchObject(given);
  });

  it("opens a new budget for each run, unless one is shared", () => {
    const own = resolveRetry();
    expect(own.openBudget()).not.toBe(own.openBudget());
    expect(own.openBudget().left).toBe(10);
    const budget = createRetryBudget();
    const shared = resolveRetry({ budget });
    expect(shared.openBudget()).toBe(budget);
    expect(shared.openBudget()).toBe(budget);
  });

  it.each<[unknown, RegExp]>([
    [null, /retry must be an object such as { maxAttempts: 3 }, got null/],
    [3, /retry must be an object.*got 3/],
    [{ maxAttempts: 0 }, /retry\.maxAttempts must be a whole number from 1 up \(1 for no retry\), got 0/],
    [{ maxAttempts: 2.5 }, /retry\.maxAttempts.*got 2\.5/],
    [{ maxAttempts: Number.POSITIVE_INFINITY }, /retry\.maxAttempts.*got Infinity/],
    [{ maxAttempts: "3" }, /retry\.maxAttempts.*got "3"/],
    [{ baseMs: -1 }, /retry\.baseMs must be a finite number of milliseconds from 0 up, got -1/],
    [{ baseMs: Number.POSITIVE_INFINITY }, /retry\.baseMs.*finite.*got Infinity/],
    [{ capMs: Number.NaN }, /retry\.capMs must be a number of milliseconds from 0 up, got NaN/],
    [{ maxRetryAfterMs: "1s" }, /retry\.maxRetryAfterMs.*got "1s"/],
    [{ shouldRetry: true }, /retry\.shouldRetry must be a function, got true/],
    [{ budget: { tokens: 5 } }, /retry\.budget must be what createRetryBudget\({ tokens }\) gave, got {"tokens":5}/],
    [{ budget: null }, /retry\.budget must be/],
  ])("refuses %o and says what to write", (given, words) => {
    expect(() => resolveRetry(given as RetryOptions)).toThrow(words);
    expect(() => resolveRetry(given as RetryOptions)).toThrow(TypeError);
  });
});
