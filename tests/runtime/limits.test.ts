import type { RuntimeOptions } from "harness-kit";
import { callTool, callTools } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { play, spyTool } from "./helpers.ts";

const spending = (inputTokens: number, outputTokens: number) => ({
  ...callTool("look", { n: Math.random() }),
  usage: { inputTokens, outputTokens },
});
const look = () => spyTool("look", () => Math.random()).tool;
const limited = (limits: RuntimeOptions["limits"], more: Partial<RuntimeOptions> = {}) =>
  play([() => spending(60, 40)], { tools: [look()], limits, ...more }, { repeatLast: true });

describe("a limit", () => {
  it("of tokens ends the run before the call that comes next", async () => {
    const { run, model } = await limited({ tokens: 250 });
    expect(run).toMatchObject({ status: "failed", stopReason: "limit", errorKind: "runtime", errorCode: "RUN_LIMIT" });
    expect(run.error).toBe(
      "The run has used 300 tokens, the most is 250 (limits.tokens). Raise the limit to let it go on.",
    );
    expect(run.errorDetail?.detail).toEqual({ limit: "tokens", most: 250 });
    expect(model.requests).toHaveLength(3);
    expect((await limited({ tokens: 200 })).model.requests).toHaveLength(2);
  });

  it("of cost counts by the prices of the host", async () => {
    const price = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
      inputTokens * 0.001 + outputTokens * 0.002;
    const { run, model } = await limited({ costUsd: 0.4 }, { price });
    expect(run.error).toBe(
      "The run has used $0.4200, the most is $0.4 (limits.costUsd). Raise the limit to let it go on.",
    );
    expect(run.errorDetail?.detail).toEqual({ limit: "costUsd", most: 0.4 });
    expect(run.usage.costUsd).toBeCloseTo(0.42);
    expect(model.requests).toHaveLength(3);
  });

  it("of tool calls runs those that are allowed, and answers the others", async () => {
    const { tool, calls } = spyTool("look", () => Math.random());
    const three = callTools(...[1, 2, 3].map((n) => ({ id: String(n), name: "look", arguments: { n } })));
    const { run, model } = await play([three], { tools: [tool], limits: { toolCalls: 2 } });
    expect(calls).toEqual([{ n: 1 }, { n: 2 }]);
    expect(model.requests).toHaveLength(1);
    const why = "Not run: the run has used up its 2 tool calls (limits.toolCalls).";
    expect(run).toMatchObject({
      stopReason: "limit",
      error: why,
      errorDetail: { detail: { limit: "toolCalls", most: 2 } },
    });
    expect(run.history.at(-1)).toMatchObject({ role: "tool", toolCallId: "3", isError: true, content: why });
  });

  it("of 128 calls in a turn does not end the run", async () => {
    const { tool, calls } = spyTool("look", () => Math.random());
    const many = callTools(...Array.from({ length: 130 }, (_, n) => ({ id: `c${n}`, name: "look", arguments: { n } })));
    const { run } = await play([many, "Done."], { tools: [tool] });
    expect([run.status, calls.length]).toEqual(["completed", 128]);
    expect(run.steps.filter((step) => step.type === "tool" && !step.result.ok)).toMatchObject([
      { call: { id: "c128" }, result: { code: "TOOL_REJECTED" }, attempts: 0 },
      {
        call: { id: "c129" },
        result: { error: expect.stringContaining("130 calls in one turn are too many; the first 128") },
      },
    ]);
  });
});
