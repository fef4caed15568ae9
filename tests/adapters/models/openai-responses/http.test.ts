import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openaiResponsesModel } from "../../../../src/adapters/models/openai-responses/index.ts";
import { type FakeProvider, fakeProvider } from "../../../../src/testing/fake-provider/fake-provider.ts";
import type { FakeReply, FakeTransport } from "../../../../src/testing/fake-provider/reply.ts";
import { collect } from "../collect.ts";
import { addTool, callContext, failureOf, KEY, request, untilFailure } from "../openai/support.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await fakeProvider();
});
afterEach(() => provider.close());

const model = () => openaiResponsesModel({ model: "fake", apiKey: KEY, baseUrl: provider.baseUrl });
const asked = request({ tools: [addTool] });
const generate = (signal?: AbortSignal) => model().generate(asked, callContext(signal));
const stream = (signal?: AbortSignal) => model().stream(asked, callContext(signal));

const ANSWER = {
  reasoning: "hm",
  text: ["né€", "😀工"],
  toolCalls: [{ name: "add", arguments: { a: 1, b: 2 }, id: "c1" }],
  usage: { inputTokens: 3, outputTokens: 4 },
};
const COLLECTED = {
  content: "né€😀工",
  toolCalls: [{ id: "c1", name: "add", arguments: '{"a":1,"b":2}' }],
  finishReason: "toolCalls",
  usage: { inputTokens: 3, outputTokens: 4 },
};

describe("over a real connection", () => {
  it("a whole answer and a stream say the same", async () => {
    provider.reply(ANSWER, ANSWER);
    expect(await generate()).toMatchObject(COLLECTED);
    expect(await collect(stream())).toMatchObject(COLLECTED);
  });

  it.each<[string, FakeTransport]>([
    ["one byte per chunk", { split: 1 }],
    ["CRLF", { lineEnd: "\r\n", split: 5 }],
    ["lone CR", { lineEnd: "\r", split: 5 }],
    ["a BOM and comments", { bom: true, comments: true, split: 7 }],
    ["slow headers and pauses", { headerDelayMs: 20, pieceDelayMs: 2 }],
  ])("a stream survives %s", async (_name, transport) => {
    provider.reply({ ...ANSWER, transport });
    expect(await collect(stream())).toMatchObject(COLLECTED);
  });

  it("one connection serves call after call", async () => {
    const slow = { ...ANSWER, transport: { pieceDelayMs: 3 } };
    provider.reply(ANSWER, slow, { status: 500, body: { error: { message: "no" } } }, ANSWER);
    for (const make of [generate, () => collect(stream()), () => failureOf(generate()), generate]) {
      await make();
      await sleep(20);
    }
    expect(new Set(provider.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it("leaving a stream early closes the connection", async () => {
    provider.reply({ ...ANSWER, transport: { pieceDelayMs: 20 } });
    for await (const event of stream()) {
      expect(event).toMatchObject({ type: "reasoning", text: "hm" });
      break;
    }
    expect(await provider.requests[0]?.closed).toBe("cancelled");
  });

  it("each call makes one request, whatever comes back", async () => {
    provider.reply({ status: 529 }, { status: 429 }, { hangUp: "reset" }, { status: 500 });
    for (let count = 1; count <= 4; count++) {
      await (count % 2 === 0 ? failureOf(generate()) : untilFailure(stream()));
      expect(provider.requests).toHaveLength(count);
    }
  });
});

describe("a connection that breaks", () => {
  it.each([
    ["fin", "MODEL_NETWORK"],
    ["reset", "MODEL_NETWORK"],
    ["end", "MODEL_BAD_RESPONSE"],
  ] as const)("by %s in the middle is an error, whole and streamed", async (how, code) => {
    provider.reply(
      { ...ANSWER, transport: { cut: { afterBytes: 600, how } } },
      { ...ANSWER, transport: { cut: { afterBytes: 100, how } } },
    );
    const { events, error } = await untilFailure(stream());
    expect(error).toMatchObject({ kind: "model", code, retryable: true });
    expect(events.some((event) => event.type === "finish")).toBe(false);
    expect(await failureOf(generate())).toMatchObject({ kind: "model", code, retryable: true });
  });
});

describe("an abort", () => {
  it.each<[string, FakeReply]>([
    ["before the headers", { hangUp: "stall" }],
    ["in the middle of the body", { ...ANSWER, transport: { cut: { afterBytes: 40, how: "stall" } } }],
  ])("%s settles the call with its reason and closes the connection", async (_name, reply) => {
    for (const make of [generate, (signal: AbortSignal) => collect(stream(signal))]) {
      provider.reply(reply);
      const controller = new AbortController();
      const count = provider.requests.length;
      const pending = failureOf(make(controller.signal));
      while (provider.requests.length === count) await sleep(5);
      await sleep(20);
      controller.abort(new Error("user clicked stop"));
      const failure = await pending;
      expect(failure).toMatchObject({ code: "RUN_ABORTED", retryable: false, message: "user clicked stop" });
      expect(await provider.requests.at(-1)?.closed).toBe("cancelled");
    }
  });
});

describe("an error status", () => {
  it.each([
    [
      400,
      { message: "No tool output found for function call a.", type: "invalid_request_error" },
      "MODEL_INVALID_REQUEST",
      false,
    ],
    [
      400,
      { message: "Too long", type: "invalid_request_error", code: "context_length_exceeded" },
      "MODEL_CONTEXT_OVERFLOW",
      false,
    ],
    [401, { message: "Incorrect API key provided", code: "invalid_api_key" }, "MODEL_AUTH", false],
    [404, { message: "The model does not exist", code: "model_not_found" }, "MODEL_NOT_FOUND", false],
    [429, { message: "Rate limit reached", code: "rate_limit_exceeded" }, "MODEL_RATE_LIMITED", true],
    [429, { message: "You exceeded your current quota", code: "insufficient_quota" }, "MODEL_QUOTA_EXCEEDED", false],
    [500, { message: "The server had an error", type: "server_error" }, "MODEL_SERVER_ERROR", true],
    [503, { message: "The engine is overloaded" }, "MODEL_OVERLOADED", true],
  ])("%i with %j is %s", async (status, error, code, retryable) => {
    provider.reply({ status, body: { error } }, { status, body: { error } });
    const expected = { kind: "model", code, status, retryable, message: expect.stringContaining(error.message) };
    expect(await failureOf(generate())).toMatchObject(expected);
    expect((await untilFailure(stream())).error).toMatchObject(expected);
  });

  it("carries how long to wait and the request's id, but never the key", async () => {
    const headers = { "retry-after-ms": "1500", "x-request-id": "req_1" };
    provider.reply({ status: 429, headers, body: { error: { message: `the key ${KEY} is too fast` } } });
    const failure = await failureOf(generate());
    expect(failure).toMatchObject({ retryAfterMs: 1_500, requestId: "req_1" });
    const shown = inspect(failure, { depth: 9, showHidden: true }) + JSON.stringify(failure) + failure.stack;
    expect(shown).toContain("too fast");
    expect(shown).not.toContain(KEY);
  });
});
