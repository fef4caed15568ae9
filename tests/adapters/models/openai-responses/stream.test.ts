import { describe, expect, it } from "vitest";
import { collect, eventsOf, untilFailure } from "../support.ts";
import {
  call,
  completed,
  created,
  generateFrom,
  item,
  message,
  piece,
  refusal,
  response,
  sse,
  streamOf,
  thought,
} from "./support.ts";

const TEXT = "né€😀工";
const OUTPUT = [
  thought("rs_1", "hm, ", "so"),
  message(TEXT),
  thought("rs_2"),
  call("call_1", "look", '{"q":"ädä"}'),
  call("call_2", "now", "{}"),
];
const USAGE = {
  input_tokens: 12,
  output_tokens: 5,
  input_tokens_details: { cached_tokens: 3 },
  output_tokens_details: { reasoning_tokens: 2 },
};
const BEFORE_LAST = sse(
  created,
  ...item(
    0,
    OUTPUT[0] ?? {},
    piece("reasoning_summary_text", "hm", { summary_index: 0 }),
    piece("reasoning_summary_text", ", ", { summary_index: 0 }),
    piece("reasoning_summary_text", "so", { summary_index: 1 }),
  ),
  ...item(1, message(TEXT), piece("output_text", TEXT.slice(0, 2)), piece("output_text", TEXT.slice(2))),
  ...item(2, thought("rs_2")),
  ...item(
    3,
    call("call_1", "look", '{"q":"ädä"}'),
    piece("function_call_arguments", '{"q":'),
    piece("function_call_arguments", '"ädä"}'),
    { type: "response.function_call_arguments.done", arguments: '{"q":"ädä"}' },
  ),
  ...item(4, call("call_2", "now", "{}")),
);
const WHOLE = BEFORE_LAST + sse(completed(OUTPUT, { usage: USAGE }));
const COLLECTED = {
  content: TEXT,
  toolCalls: [
    { id: "call_1", name: "look", arguments: '{"q":"ädä"}' },
    { id: "call_2", name: "now", arguments: "{}" },
  ],
  finishReason: "toolCalls",
  usage: { inputTokens: 12, outputTokens: 5, cachedInputTokens: 3, reasoningTokens: 2 },
  model: "m-1",
  requestId: "resp_1",
};

describe("a streamed response", () => {
  it("becomes reasoning, text, calls and usage, and a finish exactly once and last", async () => {
    const events = await eventsOf(streamOf([WHOLE]));
    expect(events.map((event) => event.type)).toEqual([
      ...["reasoning", "reasoning", "reasoning", "reasoning", "text", "text", "reasoning"],
      ...["toolCall", "toolCall", "toolCall", "toolCall", "toolCall", "usage", "finish"],
    ]);
    expect(await collect(streamOf([WHOLE]))).toMatchObject(COLLECTED);
  });

  it("keeps each reasoning item with its place, and what there is to read of it", async () => {
    const { reasoning } = await collect(streamOf([WHOLE]));
    const provider = "openai-responses";
    expect(reasoning).toEqual([
      { text: "hm, \n\nso", provider, data: OUTPUT[0] },
      { text: "", provider, data: { block: OUTPUT[2], after: { chars: TEXT.length, calls: 0 } } },
    ]);
  });

  it.each([
    ["items without pieces", sse(created, ...OUTPUT.flatMap((whole, index) => item(index, whole)), completed(OUTPUT))],
    [
      "finished items alone",
      sse(
        ...OUTPUT.map((whole, index) => ({ type: "response.output_item.done", output_index: index, item: whole })),
        completed(),
      ),
    ],
    ["nothing but the last event", sse(created, completed(OUTPUT))],
    [
      "pieces without text items",
      sse(
        piece("output_text", TEXT, { output_index: 0 }),
        ...item(3, OUTPUT[3] ?? {}),
        ...item(4, OUTPUT[4] ?? {}),
        completed(),
      ),
    ],
    ["a document", JSON.stringify(response(OUTPUT))],
    ["a [DONE] at the end", `${BEFORE_LAST}${sse(completed())}data: [DONE]\n\n`],
  ])("is complete when a server sends %s", async (_name, content) => {
    const { usage: _usage, ...expected } = COLLECTED;
    expect(await collect(streamOf([content]))).toMatchObject(expected);
  });

  it("takes interleaved calls, each by its index", async () => {
    const [a, b] = [call("a", "add", '{"n":0}'), call("b", "add", '{"n":1}')];
    const content = sse(
      { type: "response.output_item.added", output_index: 0, item: { ...a, arguments: "" } },
      { type: "response.output_item.added", output_index: 1, item: { ...b, arguments: "" } },
      piece("function_call_arguments", '{"n":1', { output_index: 1 }),
      piece("function_call_arguments", '{"n":0}', { output_index: 0 }),
      { type: "response.function_call_arguments.done", output_index: 1, arguments: '{"n":1}' },
      completed(),
    );
    expect((await collect(streamOf([content]))).toolCalls).toEqual([
      { id: "a", name: "add", arguments: '{"n":0}' },
      { id: "b", name: "add", arguments: '{"n":1}' },
    ]);
  });

  it("says the same as the whole response", async () => {
    const whole = await generateFrom(response(OUTPUT, { usage: USAGE }));
    expect(whole).toEqual(await collect(streamOf([WHOLE])));
  });

  it("that was refused is filtered, with the words of the refusal as its text", async () => {
    const content = sse(
      ...item(0, refusal("I won't."), piece("refusal", "I "), piece("refusal", "won't.")),
      completed(),
    );
    expect(await collect(streamOf([content]))).toMatchObject({ content: "I won't.", finishReason: "filtered" });
    const atOnce = sse(...item(0, refusal("I won't.")), completed());
    expect(await collect(streamOf([atOnce]))).toMatchObject({ content: "I won't.", finishReason: "filtered" });
  });

  it("that reached its limit says so and keeps cut arguments as text", async () => {
    const cut = call("a", "save", '{"text":"li');
    const last = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const content = sse(...item(0, cut, piece("function_call_arguments", '{"text":"li')), {
      type: "response.incomplete",
      response: response([cut], last),
    });
    expect(await collect(streamOf([content]))).toMatchObject({
      finishReason: "length",
      toolCalls: [{ arguments: '{"text":"li' }],
    });
  });
});

describe("a streamed response that is broken", () => {
  const failed = (error: object | null) => ({
    type: "response.failed",
    response: response([], { status: "failed", error }),
  });
  it.each([
    ["a failed response", failed({ code: "server_error", message: "Boom" }), "MODEL_SERVER_ERROR", true],
    ["a failed response without an error", failed(null), "MODEL_SERVER_ERROR", true],
    ["a rate limit", failed({ code: "rate_limit_exceeded", message: "Slow" }), "MODEL_RATE_LIMITED", true],
    [
      "a prompt that it does not take",
      failed({ code: "invalid_prompt", message: "No" }),
      "MODEL_INVALID_REQUEST",
      false,
    ],
    [
      "an image that it does not take",
      failed({ code: "image_too_large", message: "Big" }),
      "MODEL_INVALID_REQUEST",
      false,
    ],
    ["a policy", failed({ code: "bio_policy", message: "No" }), "MODEL_CONTENT_FILTERED", false],
    [
      "an error event",
      { type: "error", code: "server_error", message: "Boom", param: null },
      "MODEL_SERVER_ERROR",
      true,
    ],
    ["an error event without a code", { type: "error", code: null, message: "Boom" }, "MODEL_BAD_RESPONSE", true],
    [
      "a wrapped error event",
      { type: "error", error: { type: "insufficient_quota", message: "Pay" } },
      "MODEL_QUOTA_EXCEEDED",
      false,
    ],
  ])("fails with the provider's words on %s", async (_name, event, code, retryable) => {
    const content = sse(created, piece("output_text", "Hi", { output_index: 0 }), event);
    const { events, error } = await untilFailure(streamOf([content]));
    expect(error).toMatchObject({ kind: "model", code, retryable });
    expect(events).toEqual([{ type: "text", text: "Hi" }]);
  });

  it.each([
    ["another API's document", '{"choices":[]}', "no list `output`"],
    [
      "another API's stream",
      'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n',
      "before its response",
    ],
    ["a piece that is no text", sse(piece("output_text", 7)), "no text"],
    ["arguments without their call", sse(piece("function_call_arguments", "{}", { output_index: 3 })), "not started"],
    ["a call without a name", sse(...item(0, { type: "function_call", call_id: "a" })), "without the name"],
    ["an item that is no object", sse({ type: "response.output_item.added", output_index: 0, item: 7 }), "no object"],
    ["a finished item that is no object", sse({ type: "response.output_item.done", output_index: 0 }), "no object"],
    ["a message without content", sse(...item(0, { type: "message" })), "no list `content`"],
    ["a cancelled response", sse({ type: "response.cancelled", response: {} }), "cancelled"],
  ])("is an error, not an answer: %s", async (_name, content, words) => {
    const { events, error } = await untilFailure(streamOf([content]));
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", message: expect.stringContaining(words) });
    expect(events.some((event) => event.type === "finish")).toBe(false);
  });
});
