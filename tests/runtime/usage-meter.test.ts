import { describe, expect, it } from "vitest";
import { UsageMeter } from "../../src/runtime/usage-meter.ts";
import { settleLoop } from "./helpers.ts";

describe("the usage of a run", () => {
  const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3 };

  it("adds up, with the wasted part apart as well", () => {
    const meter = new UsageMeter(undefined);
    meter.add(undefined, "m");
    meter.add(usage, "m");
    meter.add({ ...usage, reasoningTokens: 4 }, "m", true);
    expect(meter.tokens).toBe(6);
    const total = { inputTokens: 2, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 4 };
    const wasted = { ...usage, reasoningTokens: 4 };
    expect(meter.total()).toStrictEqual({ ...total, wasted });
  });

  it("goes on from an earlier one", () => {
    const meter = new UsageMeter(() => 1, { inputTokens: 1, outputTokens: 1, wasted: usage, costUsd: 5 });
    meter.add(usage, "m", true);
    expect(meter.total()).toMatchObject({ inputTokens: 2, outputTokens: 3, costUsd: 6, wasted: { inputTokens: 2 } });
  });

  it.each([
    [0.5, 0.5],
    [0, 0],
    [-1, 0],
    ["1", 0],
    [true, 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("costs %s as %d by the word of the host", (said, cost) => {
    const meter = new UsageMeter(() => said as number);
    meter.add(usage, "m");
    expect(meter.costUsd).toBe(cost);
  });

  it("costs nothing where the price throws", () => {
    const asked: unknown[] = [];
    const meter = new UsageMeter((...given) => {
      asked.push(given);
      throw new Error("no price");
    });
    meter.add(usage, "m");
    expect([meter.total().costUsd, asked]).toEqual([0, [[usage, "m"]]]);
  });

  it("costs nothing where the price is a promise, also one that rejects", async () => {
    const meter = new UsageMeter(() => Promise.reject(new Error("late")) as never);
    meter.add(usage, "m");
    expect(meter.costUsd).toBe(0);
    await settleLoop();
  });
});
