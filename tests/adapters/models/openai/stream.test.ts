import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTextBody } from "../../../../src/adapters/models/http/body.ts";
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import { ModelError } from "../../../../src/errors/index.ts";
import {
  assemble,
  callContext,
  callStream,
  delta,
  eventsOf,
  failureOf,
  fetchOf,
  modelOf,
  request,
  sse,
  streamOf,
  toBytes,
  untilFailure,
} from "./support.ts";

const TEXT = "né€😀工";
const WHOLE = sse(
  delta({ role: "assistant", content: "" }),
  delta({ reasoning_content: "hm " }),
  delta({ content: TEXT }),
  delta({ tool_calls: [{ index: 0, id: "a", function: { name: "look", arguments: '{"q":' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '"ädä"}' } }] }),
  delta({}, "tool_calls"),
  { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } },
  "[DONE]",
);
const ASSEMBLED = {
  text: TEXT,
  reasoning: "hm ",
  calls: [{ id: "a", name: "look", arguments: '{"q":"ädä"}' }],
  finishes: ["toolCalls"],
  usage: { inputTokens: 7, outputTokens: 5 },
};

function cutAt(text: string, positions: readonly number[]): Uint8Array[] {
  const bytes = toBytes(text);
  const borders = [0, ...[...positions].sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((end, index) => bytes.slice(borders[index], end));
}

describe("a streamed answer", () => {
  it("becomes text, reasoning, calls and usage, and a finish exactly once and last", async () => {
    const events = await eventsOf(streamOf([WHOLE]));
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: "toolCalls", model: "m-1", requestId: "chatcmpl-1" });
    expect(events.filter((event) => event.type === "finish")).toHaveLength(1);
    expect(await assemble(streamOf([WHOLE]))).toEqual(ASSEMBLED);
  });

  it("is the same with one byte per chunk", async () => {
    const bytes = [...toBytes(WHOLE)].map((byte) => Uint8Array.of(byte));
    expect(await assemble(streamOf(bytes))).toEqual(ASSEMBLED);
  });

  it("is the same when it is split at any single byte", async () => {
    const length = toBytes(WHOLE).length;
    for (let at = 1; at < length; at++) expect(await assemble(streamOf(cutAt(WHOLE, [at])))).toEqual(ASSEMBLED);
  });

  it("gives the same events for any split of its bytes, any line end, with or without a BOM and comments", async () => {
    const expected = await eventsOf(streamOf([WHOLE]));
    const positions = fc.array(fc.nat(toBytes(WHOLE).length), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        positions,
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.constantFrom("", "\uFEFF"),
        fc.boolean(),
        async (cuts, lineEnd, bom, comments) => {
          const commented = comments ? WHOLE.replaceAll("\n\n", "\n\n: ping\n\n:\n\n") : WHOLE;
          const text = bom + commented.replaceAll("\n", lineEnd);
          expect(await eventsOf(streamOf(cutAt(text, cuts)))).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("ignores heartbeats: comments, pings, empty data and chunks without choices", async () => {
    const text =
      ':\n\n: ping\n\nevent: ping\ndata: {}\n\ndata:\n\ndata: {"choices":null}\n\n' +
      'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n: x-cost=1\ndata: [DONE]\n\n';
    expect(await assemble(streamOf([text]))).toMatchObject({ text: "ok", finishes: ["stop"] });
  });

  it("is whole without [DONE] and without the last empty line once a finish reason came", async () => {
    const text = sse(delta({ content: "ok" }), delta({}, "stop")).trimEnd();
    expect(await assemble(streamOf([text]))).toMatchObject({ text: "ok", finishes: ["stop"] });
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
    expect(await assemble(streamOf([text]))).toMatchObject({ text: "one" });
  });

  it("takes a whole message in a chunk from gateways that only pretend to stream", async () => {
    const text = sse({ choices: [{ index: 0, message: { content: "all at once" }, finish_reason: "stop" }] }, "[DONE]");
    expect(await assemble(streamOf([text]))).toMatchObject({ text: "all at once", finishes: ["stop"] });
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
    expect(await assemble(streamOf([" \n", document]))).toEqual({
      text: "hi",
      reasoning: "",
      calls: [{ id: "a", name: "look", arguments: "{}" }],
      finishes: ["toolCalls"],
      usage: { inputTokens: 1, outputTokens: 2 },
    });
  });
});

describe("a streamed answer that is broken", () => {
  it("never passes as finished when it is cut at any byte before its finish reason", async () => {
    const finishEnd = toBytes(
      WHOLE.slice(0, WHOLE.indexOf('"finish_reason":"tool_calls"') + '"finish_reason":"tool_calls"}]}'.length),
    ).length;
    for (let length = 0; length < finishEnd; length++) {
      const { events, error } = await untilFailure(streamOf([toBytes(WHOLE).slice(0, length)]));
      expect(events.some((event) => event.type === "finish")).toBe(false);
      expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", retryable: true });
    }
  });

  it("is whole at every cut behind its finish reason", async () => {
    const finishEnd = toBytes(
      WHOLE.slice(0, WHOLE.indexOf('"finish_reason":"tool_calls"') + '"finish_reason":"tool_calls"}]}'.length),
    ).length;
    const usageStart = toBytes(WHOLE.slice(0, WHOLE.indexOf('data: {"choices":[],'))).length;
    for (let length = finishEnd; length <= usageStart; length++) {
      expect(await assemble(streamOf([toBytes(WHOLE).slice(0, length)]))).toMatchObject({
        finishes: ["toolCalls"],
        calls: ASSEMBLED.calls,
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
    ["HTML", "<!DOCTYPE html><title>Sign in</title>", "Sign in"],
    ["nothing", "", "empty"],
    ["plain text", "Bad gateway\n\n", "no finish reason"],
    ["NDJSON", '{"message":{"content":"a"}}\n{"done":true}\n', "not the JSON of a chat completion"],
    ["an event that is no JSON", sse("{broken", delta({}, "stop")), "no JSON object"],
    ["an event that is no object", sse("7", delta({}, "stop")), "no JSON object"],
    ["choices that are no list", sse({ choices: "none" }, delta({}, "stop")), "no list"],
    ["tool calls that are no list", sse(delta({ tool_calls: "add" }), delta({}, "stop")), "no list"],
    ["content that is a number", sse(delta({ content: 7 }), delta({}, "stop")), "of type number"],
    ["a call without a name", callStream({ index: 0, id: "a", function: { arguments: "{}" } }), "without the name"],
  ])("refuses %s as a bad response", async (_name, text, words) => {
    const { error } = await untilFailure(streamOf([text]));
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", message: expect.stringContaining(words) });
  });

  it("refuses a single event without end instead of keeping it all", async () => {
    const megabyte = "x".repeat(1024 * 1024);
    const { fetch, seen } = fetchOf(["data: ", ...Array.from({ length: 40 }, () => megabyte)]);
    const { error } = await untilFailure(modelOf([], { fetch }).stream(request(), callContext()));
    expect(error).toMatchObject({ code: "MODEL_BAD_RESPONSE", message: expect.stringContaining("single event") });
    expect(seen.cancelled).toBe(true);
  });
});

describe("a stream that nobody needs any more", () => {
  it("closes its body when the consumer stops early", async () => {
    const { fetch, seen } = fetchOf([
      sse(delta({ content: "a" })),
      sse(delta({ content: "b" })),
      sse(delta({}, "stop")),
    ]);
    for await (const event of modelOf([], { fetch }).stream(request(), callContext())) {
      expect(event).toEqual({ type: "text", text: "a" });
      break;
    }
    expect(seen.cancelled).toBe(true);
  });

  it("settles with the reason of an abort even where fetch and body ignore the signal", async () => {
    const reason = new Error("stopped by the user");
    const controller = new AbortController();
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(toBytes(sse(delta({ content: "a" })))),
      cancel: () => {
        cancelled = true;
      },
    });
    const model = openaiModel({ model: "m", fetch: (async () => new Response(body)) as typeof fetch });
    const iterator = model.stream(request(), callContext(controller.signal))[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ type: "text", text: "a" });
    setTimeout(() => controller.abort(reason), 5);
    await expect(iterator.next()).rejects.toMatchObject({ code: "RUN_ABORTED", message: "stopped by the user" });
    expect(cancelled).toBe(true);
    expect((await iterator.next()).done).toBe(true);
  });

  it("settles with the reason of an abort while fetch never answers, and throws a late response away", async () => {
    const controller = new AbortController();
    let answer: (response: Response) => void = () => {};
    const late = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    const model = openaiModel({ model: "m", fetch: (() => late) as typeof fetch });
    const pending = model.stream(request(), callContext(controller.signal))[Symbol.asyncIterator]().next();
    controller.abort(new Error("too late"));
    await expect(pending).rejects.toMatchObject({ code: "RUN_ABORTED" });
    answer(new Response(body));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(cancelled).toBe(true);
  });

  it("rejects with the very error that the signal was aborted with", async () => {
    const reason = new ModelError("The model took too long.", { code: "MODEL_TIMEOUT" });
    const controller = new AbortController();
    const never = (() => new Promise(() => {})) as unknown as typeof fetch;
    const model = openaiModel({ model: "m", fetch: never });
    const pending = [
      failureOf(model.generate(request(), callContext(controller.signal))),
      untilFailure(model.stream(request(), callContext(controller.signal))).then(({ error }) => error),
    ];
    controller.abort(reason);
    for (const error of await Promise.all(pending)) expect(error).toBe(reason);
  });

  it("closes a body that is opened under a signal that has fired", async () => {
    let cancelled = false;
    const stalled = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    const body = openTextBody(new Response(stalled), AbortSignal.abort(new Error("gone")));
    await expect(body.next()).rejects.toThrow("gone");
    expect(cancelled).toBe(true);
  });

  it("leaves no listener on the signal, however it ended", async () => {
    const { signal } = new AbortController();
    const context = callContext(signal);
    await assemble(modelOf([WHOLE]).stream(request(), context));
    await untilFailure(modelOf(["data: {broken\n\n"]).stream(request(), context));
    await failureOf(modelOf([], { fetch: fetchOf(["no"], { status: 500 }).fetch }).generate(request(), context));
    await failureOf(modelOf([], { fetch: () => Promise.reject(new Error("no")) }).generate(request(), context));
    for await (const _event of modelOf([WHOLE, WHOLE]).stream(request(), context)) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("makes no request at all under a signal that has fired", async () => {
    const { fetch, seen } = fetchOf([WHOLE]);
    const { error } = await untilFailure(
      modelOf([], { fetch }).stream(request(), callContext(AbortSignal.abort(new Error("no")))),
    );
    expect(error).toMatchObject({ code: "RUN_ABORTED" });
    expect(seen.calls).toBe(0);
  });
});
