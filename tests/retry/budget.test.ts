import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRetryBudget, type RetryBudgetOptions } from "../../src/retry/budget.ts";

describe("createRetryBudget", () => {
  it("starts with ten tokens and five minutes of waiting", () => {
    const budget = createRetryBudget();
    expect([budget.left, budget.waitLeftMs]).toEqual([10, 300_000]);
    expect(createRetryBudget({ tokens: undefined, waitMs: undefined }).left).toBe(10);
  });

  it("gives both or nothing", () => {
    const budget = createRetryBudget({ tokens: 2, waitMs: 100 });
    expect(budget.take(3, 0)).toBe(false);
    expect(budget.take(1, 101)).toBe(false);
    expect([budget.left, budget.waitLeftMs]).toEqual([2, 100]);
    expect(budget.take(2, 100)).toBe(true);
    expect([budget.left, budget.waitLeftMs]).toEqual([0, 0]);
    expect(budget.take(1, 0)).toBe(false);
    expect(budget.take(0, 0)).toBe(true);
  });

  it("takes a token back for each call that worked, never more than it had", () => {
    const budget = createRetryBudget({ tokens: 2 });
    budget.take(2, 0);
    budget.refund();
    expect(budget.left).toBe(1);
    budget.refund();
    budget.refund();
    expect(budget.left).toBe(2);
  });

  it("is not spoilt by a number that is none", () => {
    const budget = createRetryBudget({ tokens: 2, waitMs: 100 });
    expect(budget.take(Number.NaN, 0)).toBe(false);
    expect(budget.take(1, Number.NaN)).toBe(false);
    expect([budget.left, budget.waitLeftMs]).toEqual([2, 100]);
  });

  it("never gives more than there is, in whatever order it is asked", () => {
    const ask = fc.record({ tokens: fc.nat(4), waitMs: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(fc.option(ask)), (asked) => {
        const budget = createRetryBudget({ tokens: 10, waitMs: 200 });
        let waited = 0;
        for (const each of asked) {
          if (each === null) budget.refund();
          else if (budget.take(each.tokens, each.waitMs)) waited += each.waitMs;
          expect(budget.left).toBeGreaterThanOrEqual(0);
          expect(budget.left).toBeLessThanOrEqual(10);
          expect(budget.waitLeftMs).toBe(200 - waited);
          expect(waited).toBeLessThanOrEqual(200);
        }
      }),
    );
  });

  it.each<[unknown, RegExp]>([
    [null, /createRetryBudget takes an object such as { tokens: 10 }, got null/],
    [10, /createRetryBudget takes an object/],
    [{ tokens: -1 }, /tokens of a retry budget must be a number from 0 up, got -1/],
    [{ tokens: "10" }, /tokens.*got "10"/],
    [{ waitMs: Number.NaN }, /waitMs of a retry budget.*got NaN/],
  ])("refuses %o and says what to write", (options, words) => {
    expect(() => createRetryBudget(options as RetryBudgetOptions)).toThrow(words);
    expect(() => createRetryBudget(options as RetryBudgetOptions)).toThrow(TypeError);
  });
});
