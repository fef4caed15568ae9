import { describe, expect, it } from "vitest";
import { callContext, collect, fetchOf, request } from "../support.ts";
import { completion, delta, generateFrom, modelOf, sse, streamOf } from "./support.ts";

describe("a whole answer", () => {
  it("gives text, usage with its parts, model and request id", async () => {
    const document = completion({ role: "assistant", content: "55" }, "stop", {
      usage: {
        prompt_tokens: 20,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 16 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    });
    const { fetch } = fetchOf([JSON.stringify(document)], { headers: { "x-request-id": "req_9" } });
    expect(await modelOf([], { fetch }).generate(request(), callContext())).toEqual({
      content: "55",
      toolCalls: [],
      finishReason: "stop",
      usage: { inputTokens: 20, outputTokens: 9, cachedInputTokens: 16, reasoningTokens: 4 },
      model: "m-1",
      requestId: "req_9",
    });
  });

  it.each([
    ["null next to calls", null, ""],
    ["nothing next to calls", undefined, ""],
    ["a list of parts", [{ type: "text", text: "a" }, "b", { type: "image_url" }, { type: "text", text: "c" }], "abc"],
    ["one part", { type: "text", text: "a" }, "a"],
  ])("reads content that is %s as text", async (_name, content, text) => {
    const call = { id: "a", function: { name: "look", arguments: "{}" } };
    expect((await generateFrom(completion({ content, tool_calls: [call] }))).content).toBe(text);
  });

  it.each([
    ["reasoning_content", { content: "a", reasoning_content: "hm" }],
    ["reasoning", { content: "a", reasoning: "hm" }],
    ["both fields, once", { content: "a", reasoning: "hm", reasoning_content: "hm" }],
    [
      "a thinking part",
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
          { type: "text", text: "a" },
        ],
      },
    ],
  ])("reads reasoning from %s", async (_name, message) => {
    const answer = await generateFrom(completion(message));
    expect(answer).toMatchObject({ content: "a", reasoning: [{ text: "hm" }] });
    expect(await collect(streamOf([sse(delta(message), delta({}, "stop"))]))).toMatchObject({
      content: "a",
      reasoning: [{ text: "hm" }],
    });
  });

  it("takes think tags apart only when asked to", async () => {
    const document = completion({ content: "<think>\nhm</think>\n\na <think>" });
    expect((await generateFrom(document)).content).toBe("<think>\nhm</think>\n\na <think>");
    expect(await generateFrom(document, { thinkTags: true })).toMatchObject({
      content: "a <think>",
      reasoning: [{ text: "\nhm" }],
    });
  });

  it.each([
    ["<think>hm</think>a", "hm", "a"],
    [" <think>hm", "hm", ""],
    ["<thin", "", "<thin"],
    ["a<think>b</think>", "", "a<think>b</think>"],
    ["<think>x</thinker></think>\n a", "x</thinker>", "a"],
    ["<think>x</thi", "x</thi", ""],
  ])("takes %s apart the same in one piece and character by character", async (text, reasoning, content) => {
    const pieces = [[text], [...text]];
    for (const split of pieces) {
      const stream = sse(...split.map((piece) => delta({ content: piece })), delta({}, "stop"));
      expect(await collect(streamOf([stream], { thinkTags: true }))).toMatchObject({
        content,
        reasoning: reasoning === "" ? [] : [{ text: reasoning }],
      });
    }
  });

  it.each([
    ["stop", {}, "stop"],
    ["stop", { tool_calls: [{ id: "a", function: { name: "look", arguments: "{}" } }] }, "toolCalls"],
    [null, { tool_calls: [{ id: "a", function: { name: "look", arguments: "{}" } }] }, "toolCalls"],
    ["length", { tool_calls: [{ id: "a", function: { name: "look", arguments: "{" } }] }, "length"],
    ["tool_calls", {}, "stop"],
    ["tool_calls", { content: "" }, "other"],
    ["tool_calls", { tool_calls: [] }, "stop"],
    ["max_tokens", {}, "length"],
    ["content_filter", {}, "filtered"],
    ["sensitive", {}, "filtered"],
    ["eos", {}, "stop"],
    ["something new", {}, "other"],
    [null, {}, undefined],
  ])("reads finish reason %j beside %j as %j", async (said, more, expected) => {
    expect((await generateFrom(completion({ content: "a", ...more }, said))).finishReason).toBe(expected);
  });

  it("gives a refusal as its text, filtered", async () => {
    const message = { content: null, refusal: "I can't help with that." };
    expect(await generateFrom(completion(message))).toMatchObject({
      content: "I can't help with that.",
      finishReason: "filtered",
    });
    const stream = sse(delta({ refusal: "I can't " }), delta({ refusal: "help with that." }), delta({}, "stop"));
    expect(await collect(streamOf([stream]))).toMatchObject({
      content: "I can't help with that.",
      finishReason: "filtered",
    });
  });

  it("fails as filtered, for good, when a filter left nothing", async () => {
    const failure = { kind: "model", code: "MODEL_CONTENT_FILTERED", retryable: false };
    await expect(generateFrom(completion({ content: "" }, "content_filter"))).rejects.toMatchObject(failure);
    await expect(collect(streamOf([sse(delta({}, "content_filter"), "[DONE]")]))).rejects.toMatchObject(failure);
  });

  it("gives an empty answer as empty: what it means is the runtime's to say", async () => {
    expect(await generateFrom(completion({ content: null }))).toMatchObject({
      content: "",
      toolCalls: [],
      finishReason: "stop",
    });
  });

  it.each([
    [
      "DeepSeek",
      { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 8 },
      { inputTokens: 9, outputTokens: 2, cachedInputTokens: 8 },
    ],
    [
      "Moonshot",
      { prompt_tokens: 9, completion_tokens: 2, cached_tokens: 8 },
      { inputTokens: 9, outputTokens: 2, cachedInputTokens: 8 },
    ],
    ["other names", { input_tokens: 9, output_tokens: 2 }, { inputTokens: 9, outputTokens: 2 }],
    ["junk", { prompt_tokens: "9", completion_tokens: -1 }, undefined],
    ["null", null, undefined],
  ])("reads usage of %s", async (_name, usage, expected) => {
    expect((await generateFrom(completion({ content: "a" }, "stop", { usage }))).usage).toEqual(expected);
  });
});

describe("an answer that is none", () => {
  it.each([
    ["HTML", "<!DOCTYPE html><title>Sign in</title>", "Check that `baseUrl`"],
    ["nothing", "", "empty"],
    ["cut JSON", '{"choices":[{"message":{"content":"The ans', "not the JSON"],
    ["a list", "[]", "not the JSON"],
    ["null", "null", "not the JSON"],
    ["an object of another kind", '{"data":[]}', "no `choices`"],
    ["no choice", '{"choices":[]}', "no choice"],
    ["a choice that is null", '{"choices":[null]}', "no choice"],
    ["a choice without a message", '{"choices":[{"text":"a"}]}', "without a message"],
    ["tool calls that are no list", JSON.stringify(completion({ tool_calls: {} })), "no list"],
    ["content that is a number", JSON.stringify(completion({ content: 7 })), "of type number"],
  ])("is a bad response: %s", async (_name, body, words) => {
    await expect(generateFrom(body)).rejects.toMatchObject({
      kind: "model",
      code: "MODEL_BAD_RESPONSE",
      retryable: true,
      message: expect.stringContaining(words),
    });
  });

  it.each([
    [
      "OpenAI's form",
      { error: { message: "No credit left.", type: "insufficient_quota", code: "insufficient_quota" } },
      "MODEL_QUOTA_EXCEEDED",
    ],
    ["a text", { error: "invalid_api_key" }, "MODEL_BAD_RESPONSE"],
    [
      "DashScope's form",
      { code: "Throttling.RateQuota", message: "Slow down.", request_id: "r" },
      "MODEL_RATE_LIMITED",
    ],
    ["OpenRouter's form", { error: { code: 402, message: "No credit left." }, user_id: "u" }, "MODEL_QUOTA_EXCEEDED"],
    ["a finish reason of GLM", completion({ content: "Hal" }, "network_error"), "MODEL_SERVER_ERROR"],
    ["a finish reason of DeepSeek", completion({ content: "Hal" }, "insufficient_system_resource"), "MODEL_OVERLOADED"],
  ])("is the provider's error inside a 200: %s", async (_name, document, code) => {
    await expect(generateFrom(document)).rejects.toMatchObject({ kind: "model", code });
  });

  it("is no error when the member `error` is null or empty", async () => {
    for (const error of [null, "", {}]) {
      expect((await generateFrom(completion({ content: "a" }, "stop", { error }))).content).toBe("a");
    }
  });
});
