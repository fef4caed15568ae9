import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../src/contract/message.ts";
import { type HarnessError, isHarnessError } from "../../src/errors/index.ts";
import { checkModelResponse, readUsage } from "../../src/runtime/check-response.ts";

const WHAT_TO_DO = ", which is no answer. An adapter returns { content, toolCalls, finishReason }.";

function refusalOf(response: unknown): HarnessError {
  try {
    checkModelResponse(response);
  } catch (error) {
    if (isHarnessError(error)) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

describe("an answer that is none", () => {
  it.each([
    [undefined, "The model answered undefined"],
    [null, "The model answered null"],
    ["<html>", 'The model answered "<html>"'],
    [{ content: 5 }, "The content of the model's answer is 5"],
    [{ content: { text: "a" } }, `The content of the model's answer is {"text":"a"}`],
    [{ content: "a", toolCalls: {} }, "The tool calls of the model's answer are {}"],
    [{ content: "a", toolCalls: "none" }, `The tool calls of the model's answer are "none"`],
    [{ content: "", toolCalls: [{}] }, "A tool call of the model's answer has the name undefined"],
    [{ content: "", toolCalls: [{ name: "" }] }, `A tool call of the model's answer has the name ""`],
    [{ content: "", toolCalls: [{ name: 5 }] }, "A tool call of the model's answer has the name 5"],
    [{ content: "", toolCalls: [null] }, "A tool call of the model's answer has the name undefined"],
    [{}, "The model's answer is empty"],
    [{ content: "" }, "The model's answer is empty"],
    [{ toolCalls: [] }, "The model's answer is empty"],
    [{ content: "", toolCalls: [], finishReason: "toolCalls" }, "The model's answer is empty"],
    [{ content: "", toolCalls: [], finishReason: "other" }, "The model's answer is empty"],
  ])("%j", (response, what) => {
    const error = refusalOf(response);
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", message: what + WHAT_TO_DO });
  });

  it("says so where a filter held it back, and where the output limit left no room", () => {
    expect(refusalOf({ content: "", toolCalls: [], finishReason: "filtered" })).toMatchObject({
      code: "MODEL_CONTENT_FILTERED",
      message: "The model's answer was held back by a content filter. Change the request.",
    });
    expect(refusalOf({ content: "", toolCalls: [], finishReason: "length" })).toMatchObject({
      code: "MODEL_OUTPUT_LIMIT",
      message: "The model reached its output limit before it wrote anything. Raise maxOutputTokens.",
    });
  });

  it("is the error that it carries", () => {
    expect(refusalOf({ content: "a", error: { status: 401, message: "no key" } })).toMatchObject({
      code: "MODEL_AUTH",
    });
    expect(checkModelResponse({ content: "a", error: null })).toEqual({ content: "a", toolCalls: [] });
  });
});

describe("an answer", () => {
  it("holds what is there and nothing else, frozen", () => {
    const whole = {
      content: "a",
      toolCalls: [{ id: "1", name: "add", arguments: { a: 1 }, extra: true }],
      finishReason: "toolCalls",
      usage: { inputTokens: 3, outputTokens: 4 },
      model: "m",
      requestId: "r",
      reasoning: [{ type: "text", text: "because" }],
      extra: 5,
    };
    const checked = checkModelResponse(whole);
    const { extra: _extra, ...rest } = whole;
    expect(checked).toStrictEqual({ ...rest, toolCalls: [{ id: "1", name: "add", arguments: { a: 1 } }] });
    expect([Object.isFrozen(checked), Object.isFrozen(checked.reasoning)]).toEqual([true, true]);
    expect(checkModelResponse({ content: "a" })).toStrictEqual({ content: "a", toolCalls: [] });
  });

  it.each(["stop", "toolCalls", "length", "filtered", "other"])("keeps the finish reason %s", (finishReason) => {
    expect(checkModelResponse({ content: "a", finishReason })).toMatchObject({ finishReason });
  });

  it("leaves out what is of another kind", () => {
    const odd = { content: "a", finishReason: "end_turn", usage: 5, model: 5, requestId: null, reasoning: "so" };
    expect(checkModelResponse(odd)).toStrictEqual({ content: "a", toolCalls: [] });
    expect(checkModelResponse({ content: "a", reasoning: [] })).toStrictEqual({ content: "a", toolCalls: [] });
  });

  it("may be empty where it says that it is finished", () => {
    const empty = { content: "", toolCalls: [] };
    expect(checkModelResponse({ ...empty, finishReason: "stop" })).toEqual({ ...empty, finishReason: "stop" });
    expect(checkModelResponse({ finishReason: "stop" })).toEqual({ ...empty, finishReason: "stop" });
    expect(checkModelResponse(empty)).toEqual(empty);
  });

  it("may have its text in parts", () => {
    const parts = ["a", { text: "b" }, { type: "image" }, null, 5, { text: 6 }, { type: "text", text: "c\u0000" }];
    expect(checkModelResponse({ content: parts }).content).toBe("abc\u2400");
    expect(checkModelResponse({ content: null, toolCalls: [{ name: "add" }] }).content).toBe("");
  });

  it("has calls with names and ids that can be sent", () => {
    const calls = [
      { id: 5, name: "a\u0000", arguments: "x" },
      { id: "b\ud800", name: "b" },
    ];
    expect(checkModelResponse({ content: null, toolCalls: calls }).toolCalls).toEqual([
      { id: "", name: "a\u2400", arguments: "x" },
      { id: "b\uFFFD", name: "b", arguments: undefined },
    ]);
  });

  it("hands its calls to whoever makes them the run's own", () => {
    const own: ToolCall[] = [{ id: "own", name: "add", arguments: {} }];
    const given: unknown[] = [];
    const checked = checkModelResponse(
      { content: "", toolCalls: [{ id: "1", name: "add", arguments: 1 }] },
      (calls) => {
        given.push(...calls);
        return own;
      },
    );
    expect([given, checked.toolCalls]).toEqual([[{ id: "1", name: "add", arguments: 1 }], own]);
    expect(checkModelResponse({ content: "a", toolCalls: null }, (calls) => calls).toolCalls).toEqual([]);
  });
});

describe("usage", () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    ["many", undefined],
    [{}, { inputTokens: 0, outputTokens: 0 }],
    [
      { inputTokens: 1, outputTokens: 2 },
      { inputTokens: 1, outputTokens: 2 },
    ],
    [
      { inputTokens: -1, outputTokens: Number.NaN },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [
      { inputTokens: "1", outputTokens: Number.POSITIVE_INFINITY },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [
      { inputTokens: 0, outputTokens: 9, cachedInputTokens: 0, reasoningTokens: 8 },
      { inputTokens: 0, outputTokens: 9, cachedInputTokens: 0, reasoningTokens: 8 },
    ],
    [
      { inputTokens: 1, cachedInputTokens: -1, reasoningTokens: "8" },
      { inputTokens: 1, outputTokens: 0 },
    ],
    [{ outputTokens: Number.MAX_SAFE_INTEGER }, { inputTokens: 0, outputTokens: Number.MAX_SAFE_INTEGER }],
  ])("%j is %j", (given, expected) => {
    const usage = readUsage(given);
    expect(usage).toStrictEqual(expected);
    expect(usage === undefined || Object.isFrozen(usage)).toBe(true);
  });
});
