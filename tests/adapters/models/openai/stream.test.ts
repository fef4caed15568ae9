import { describe, expect, it } from "vitest";
import { collect, eventsOf, toBytes, untilFailure } from "../support.ts";
import { callStream, delta, sse, streamOf } from "./support.ts";

const WHOLE = sse(
  delta({ content: "hi" }),
  delta({ tool_calls: [{ index: 0, id: "a", function: { name: "look", arguments: "{}" } }] }),
  delta({}, "tool_calls"),
  { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } },
  "[DONE]",
);

describe("a streamed answer", () => {
  it("ignores heartbeats: comments, pings, empty data and chunks without choices", async () => {
    const text =
      ':\n\n: ping\n\nevent: ping\ndata: {}\n\ndata:\n\ndata: {"choices":null}\n\n' +
      'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n: x-cost=1\ndata: [DONE]\n\n';
    expect(await collect(streamOf([text]))).toMatchObject({ content: "ok", finishReason: "stop" });
  });

  it("reads usage from wherever vendors put it, the last one counting", async () => {
    const inChoice = {
      choices: [
        {
          index: 0,
          delta: {},
          finish_reason: "stop",
          usage: { prompt_tokens: 3, completion_tokens: 2, cached_tokens: 1 },
        },
      ],
    };
    const events = await eventsOf(
      streamOf([
        sse({ ...delta({ content: "a" }), usage: { prompt_tokens: 3, completion_tokens: 1 } }, inChoice, "[DONE]"),
      ]),
    );
    expect(events.filter((event) => event.type === "usage")).toEqual([
      { type: "usage", usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 } },
    ]);
  });

  it("reads only the first choice", async () => {
    const other = { choices: [{ index: 1, delta: { content: "other" }, finish_reason: "stop" }] };
    const text = sse(delta({ content: "one" }), other, delta({}, "stop"), "[DONE]");
    expect(await collect(streamOf([text]))).toMatchObject({ content: "one" });
  });

  it("takes a whole message in a chunk from gateways that only pretend to stream", async () => {
    const text = sse({ choices: [{ index: 0, message: { content: "all at once" }, finish_reason: "stop" }] }, "[DONE]");
    expect(await collect(streamOf([text]))).toMatchObject({ content: "all at once", finishReason: "stop" });
  });

  it("takes a JSON document instead of a stream as a whole answer, whatever its content type", async () => {
    const document = JSON.stringify({
      choices: [
        {
          message: { content: "hi", tool_calls: [{ id: "a", function: { name: "look", arguments: "{}" } }] },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    expect(await collect(streamOf([" \n", document]))).toMatchObject({
      content: "hi",
      toolCalls: [{ id: "a", name: "look", arguments: "{}" }],
      finishReason: "toolCalls",
      usage: { inputTokens: 1, outputTokens: 2 },
    });
  });
});

describe("a streamed answer that is broken", () => {
  it("is whole at every cut behind its finish reason", async () => {
    const finishEnd = toBytes(
      WHOLE.slice(0, WHOLE.indexOf('"finish_reason":"tool_calls"') + '"finish_reason":"tool_calls"}]}'.length),
    ).length;
    const usageStart = toBytes(WHOLE.slice(0, WHOLE.indexOf('data: {"choices":[],'))).length;
    for (let length = finishEnd; length <= usageStart; length++) {
      expect(await collect(streamOf([toBytes(WHOLE).slice(0, length)]))).toMatchObject({
        content: "hi",
        toolCalls: [{ id: "a", name: "look", arguments: "{}" }],
        finishReason: "toolCalls",
      });
    }
  });

  it("fails at [DONE] without a finish reason, because that is how truncation looks", async () => {
    const { error } = await untilFailure(streamOf([sse(delta({ content: "The ans" }), "[DONE]")]));
    expect(error).toMatchObject({ code: "MODEL_BAD_RESPONSE", message: expect.stringContaining("no finish reason") });
  });

  it.each([
    [
      "an error frame",
      sse(delta({ content: "Hi" }), { error: { message: "upstream overloaded", code: 503 } }),
      "MODEL_OVERLOADED",
      true,
    ],
    ["an error text", sse({ error: "upstream overloaded" }), "MODEL_BAD_RESPONSE", true],
    [
      "a frame without credit",
      sse({ error: { message: "upstream overloaded: no credit", code: "insufficient_quota" } }),
      "MODEL_QUOTA_EXCEEDED",
      false,
    ],
    [
      "an error event",
      'event: error\ndata: {"message":"upstream overloaded","type":"overloaded_error"}\n\n',
      "MODEL_OVERLOADED",
      true,
    ],
    ["an error event in plain text", "event: error\ndata: upstream overloaded\n\n", "MODEL_BAD_RESPONSE", true],
    [
      "vLLM's form",
      sse({ object: "error", message: "upstream overloaded", type: "BadRequestError", code: 400 }),
      "MODEL_INVALID_REQUEST",
      false,
    ],
    [
      "an error as the finish reason",
      sse({
        choices: [
          { delta: { content: "Hi" }, finish_reason: "error", error: { code: 502, message: "upstream overloaded" } },
        ],
      }),
      "MODEL_SERVER_ERROR",
      true,
    ],
  ])("fails with the provider's words on %s behind a 200", async (_name, text, code, retryable) => {
    const { events, error } = await untilFailure(streamOf([text]));
    expect(error).toMatchObject({
      kind: "model",
      code,
      retryable,
      message: expect.stringContaining("upstream overloaded"),
    });
    expect(events.some((event) => event.type === "finish")).toBe(false);
  });

  it.each([
    ["NDJSON", '{"message":{"content":"a"}}\n{"done":true}\n', "not the JSON of a chat completion"],
    ["an event that is no object", sse("7", delta({}, "stop")), "no JSON object"],
    ["choices that are no list", sse({ choices: "none" }, delta({}, "stop")), "no list"],
    ["tool calls that are no list", sse(delta({ tool_calls: "add" }), delta({}, "stop")), "no list"],
    ["content that is a number", sse(delta({ content: 7 }), delta({}, "stop")), "of type number"],
    ["a call without a name", callStream({ index: 0, id: "a", function: { arguments: "{}" } }), "without the name"],
  ])("refuses %s as a bad response", async (_name, text, words) => {
    const { error } = await untilFailure(streamOf([text]));
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", message: expect.stringContaining(words) });
  });
});
