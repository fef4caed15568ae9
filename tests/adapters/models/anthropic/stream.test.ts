import { describe, expect, it } from "vitest";
import { collect, eventsOf, toBytes, untilFailure } from "../support.ts";
import { block, call, end, generateFrom, message, sse, start, streamOf, text } from "./support.ts";

const TEXT = "né€😀工";
const THOUGHT = { type: "thinking", thinking: "hm, so", signature: "c2ln" };
const WHOLE = sse(
  start({ input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 }),
  { type: "ping" },
  ...block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "hm, " },
    { type: "thinking_delta", thinking: "so" },
    { type: "signature_delta", signature: "c2ln" },
  ),
  ...text(1, TEXT.slice(0, 2), TEXT.slice(2)),
  ...call(2, "toolu_1", "look", "", '{"q":', '"ädä"}'),
  ...call(3, "toolu_2", "now", ""),
  ...end("tool_use", { output_tokens: 5, input_tokens: null }),
);
const COLLECTED = {
  content: TEXT,
  toolCalls: [
    { id: "toolu_1", name: "look", arguments: '{"q":"ädä"}' },
    { id: "toolu_2", name: "now", arguments: "{}" },
  ],
  finishReason: "toolCalls",
  usage: { inputTokens: 12, outputTokens: 5, cachedInputTokens: 3 },
  model: "m-1",
  requestId: "msg_1",
};
const STOP_REASON = '"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5,"input_tokens":null}}';
/** So many bytes the answer needs to be whole. */
const WHOLE_AFTER = toBytes(WHOLE.slice(0, WHOLE.indexOf(STOP_REASON) + STOP_REASON.length)).length;

describe("a streamed message", () => {
  it("becomes thinking, text, calls and usage, and a finish exactly once and last", async () => {
    const events = await eventsOf(streamOf([WHOLE]));
    expect(events.map((event) => event.type)).toEqual([
      ...["reasoning", "reasoning", "reasoning", "text", "text"],
      ...["toolCall", "toolCall", "toolCall", "toolCall", "toolCall", "usage", "finish"],
    ]);
    expect(await collect(streamOf([WHOLE]))).toMatchObject(COLLECTED);
  });

  it("shows thinking while it comes and keeps the signed block behind it", async () => {
    const events = await eventsOf(streamOf([WHOLE]));
    expect(events.filter((event) => event.type === "reasoning")).toEqual([
      { type: "reasoning", text: "hm, ", provider: "anthropic" },
      { type: "reasoning", text: "so", provider: "anthropic" },
      { type: "reasoning", text: "", provider: "anthropic", data: THOUGHT },
    ]);
  });

  it("is whole at every cut behind its stop reason", async () => {
    for (let length = WHOLE_AFTER; length <= toBytes(WHOLE).length; length++) {
      const cut = toBytes(WHOLE).slice(0, length);
      // A cut within the last event leaves broken JSON, which is an error of its own.
      const { events, error } = await untilFailure(streamOf([cut]));
      const last = new TextDecoder().decode(cut).slice(WHOLE.indexOf("event: message_stop"));
      const isBroken = last.includes("data:") && !last.includes('"}') && last.trim() !== "event: message_stop\ndata:";
      if (isBroken) expect(error).toMatchObject({ code: "MODEL_BAD_RESPONSE" });
      else expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "toolCalls" });
    }
  });

  it("takes redacted thinking and blocks of the API's own tools, each with its place", async () => {
    const content = sse(
      start(),
      ...block(0, { type: "redacted_thinking", data: "b3BhcXVl" }),
      ...text(1, "I search."),
      ...block(
        2,
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        { type: "input_json_delta", partial_json: '{"query":' },
        { type: "input_json_delta", partial_json: '"x"}' },
      ),
      ...block(3, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
      ...text(4, " Found."),
      ...end("end_turn"),
    );
    const { content: said, reasoning } = await collect(streamOf([content]));
    expect(said).toBe("I search. Found.");
    expect(reasoning?.map((kept) => kept.data)).toEqual([
      { type: "redacted_thinking", data: "b3BhcXVl" },
      {
        block: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
        after: { chars: 9, calls: 0 },
      },
      {
        block: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        after: { chars: 9, calls: 0 },
      },
    ]);
  });

  it("takes interleaved blocks, arguments that come at once, and blocks that are never stopped", async () => {
    const content = sse(
      start(),
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "add", input: {} } },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "b", name: "add", input: { n: 1 } },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"n":' } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "0}" } },
      ...end("tool_use"),
    );
    expect((await collect(streamOf([content]))).toolCalls).toEqual([
      { id: "a", name: "add", arguments: '{"n":0}' },
      { id: "b", name: "add", arguments: '{"n":1}' },
    ]);
  });

  it("passes over events and deltas that it does not know", async () => {
    const content = sse(
      start(),
      { type: "something_new" },
      ...block(0, { type: "text", text: "" }, { type: "citations_delta" }, { type: "text_delta", text: "ok" }),
      ...end("end_turn"),
    );
    expect(await collect(streamOf([content]))).toMatchObject({ content: "ok", finishReason: "stop" });
  });

  it("reads the type from the name of an event when the data has none", async () => {
    const content = sse(start(), ...text(0, "ok"), ...end("end_turn")).replaceAll(
      /"type":"(message|content_block)_\w+",?/g,
      "",
    );
    expect(await collect(streamOf([content]))).toMatchObject({ content: "ok", finishReason: "stop" });
  });

  it("takes a whole message instead of a stream", async () => {
    const document = message(
      [
        { type: "text", text: "hi" },
        { type: "tool_use", id: "a", name: "add", input: { n: 1 } },
      ],
      "tool_use",
    );
    expect(await collect(streamOf([JSON.stringify(document)]))).toMatchObject({
      content: "hi",
      toolCalls: [{ id: "a", name: "add", arguments: '{"n":1}' }],
      finishReason: "toolCalls",
    });
  });

  it("says the same as the whole message", async () => {
    const document = message(
      [
        THOUGHT,
        { type: "text", text: TEXT },
        { type: "tool_use", id: "toolu_1", name: "look", input: { q: "ädä" } },
        { type: "tool_use", id: "toolu_2", name: "now", input: {} },
      ],
      "tool_use",
      { usage: { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 } },
    );
    const whole = await generateFrom(document);
    const streamed = await collect(streamOf([WHOLE]));
    const parsed = streamed.toolCalls.map((asked) => ({ ...asked, arguments: JSON.parse(String(asked.arguments)) }));
    expect(whole).toEqual({ ...streamed, toolCalls: parsed });
  });
});

describe("a streamed message that is broken", () => {
  it.each([
    ["an overload", { type: "overloaded_error", message: "Overloaded" }, "MODEL_OVERLOADED", true],
    ["a server error", { type: "api_error", message: "Internal server error" }, "MODEL_SERVER_ERROR", true],
    ["a rate limit", { type: "rate_limit_error", message: "Slow down" }, "MODEL_RATE_LIMITED", true],
    ["a used-up credit", { type: "billing_error", message: "No credit" }, "MODEL_QUOTA_EXCEEDED", false],
  ])("fails with the provider's words on %s inside the stream", async (_name, error, code, retryable) => {
    const content = sse(start(), ...text(0, "Hi"), { type: "error", error });
    const failed = await untilFailure(streamOf([content]));
    expect(failed.error).toMatchObject({
      kind: "model",
      code,
      retryable,
      message: expect.stringContaining(error.message),
    });
    expect(failed.events).toEqual([{ type: "text", text: "Hi" }]);
  });

  it.each([
    ["another API's document", '{"choices":[]}', "no list `content`"],
    ["another API's stream", 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n', "no stop reason"],
    [
      "a block that is no object",
      sse(start(), { type: "content_block_start", index: 0, content_block: 7 }),
      "no object",
    ],
    ["a delta without its block", sse(start(), { type: "content_block_delta", index: 4, delta: {} }), "not started"],
    ["a call without a name", sse(start(), ...block(0, { type: "tool_use", id: "a" })), "without the name"],
    ["a start without a message", sse({ type: "message_start" }), "without a message"],
    ["a stop without a reason", sse(start(), ...text(0, "The ans"), { type: "message_stop" }), "no stop reason"],
  ])("is an error, not an answer: %s", async (_name, content, words) => {
    const { events, error } = await untilFailure(streamOf([content]));
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", message: expect.stringContaining(words) });
    expect(events.some((event) => event.type === "finish")).toBe(false);
  });

  it("refused without a word is a filtered content, with a word a filtered finish", async () => {
    const silent = sse(start(), {
      type: "message_delta",
      delta: {
        stop_reason: "refusal",
        stop_details: { type: "refusal", category: "cyber", explanation: "Looks like malware." },
      },
    });
    expect((await untilFailure(streamOf([silent]))).error).toMatchObject({
      code: "MODEL_CONTENT_FILTERED",
      retryable: false,
      providerCode: "cyber",
      message: expect.stringContaining("Looks like malware."),
    });
    const spoken = sse(start(), ...text(0, "I can't"), ...end("refusal"));
    expect(await collect(streamOf([spoken]))).toMatchObject({ content: "I can't", finishReason: "filtered" });
  });

  it("cut by its token limit keeps the cut arguments as text and says so", async () => {
    const content = sse(
      start(),
      ...call(0, "a", "save", '{"path":"a.txt","text":"line one\\nli'),
      ...end("max_tokens"),
    );
    expect(await collect(streamOf([content]))).toMatchObject({
      finishReason: "length",
      toolCalls: [{ id: "a", name: "save", arguments: '{"path":"a.txt","text":"line one\\nli' }],
    });
  });
});
