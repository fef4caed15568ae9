/** The real providers of three versions, pointed at the loopback provider and at aimock. */
import { createOpenAI as createV3 } from "@ai-sdk/openai";
import { LLMock } from "@copilotkit/aimock";
import { createOpenAI as createV2 } from "ai-sdk-openai-2";
import { createOpenAI as createV4 } from "ai-sdk-openai-4";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts";
import type { ModelRequest } from "../../../../src/contract/model.ts";
import { type FakeProvider, fakeProvider } from "../../../../src/testing/fake-provider/fake-provider.ts";
import { addTool, callContext, collect, failureOf, KEY, request, untilFailure } from "../support.ts";

const MAKERS = {
  "2 chat": (baseURL: string) => createV2({ apiKey: KEY, baseURL }).chat("gpt-4o"),
  "2 responses": (baseURL: string) => createV2({ apiKey: KEY, baseURL }).responses("gpt-5"),
  "3 chat": (baseURL: string) => createV3({ apiKey: KEY, baseURL }).chat("gpt-4o"),
  "3 responses": (baseURL: string) => createV3({ apiKey: KEY, baseURL }).responses("gpt-5"),
  "4 chat": (baseURL: string) => createV4({ apiKey: KEY, baseURL }).chat("gpt-4o"),
  "4 responses": (baseURL: string) => createV4({ apiKey: KEY, baseURL }).responses("gpt-5"),
} as const;

let provider: FakeProvider;
let mock: LLMock;
beforeEach(async () => {
  provider = await fakeProvider();
  mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7 });
  await mock.start();
});
afterEach(async () => {
  await provider.close();
  await mock.stop();
});

const asked = request({ tools: [addTool] });
const ANSWER = {
  text: ["né€", "😀工"],
  toolCalls: [
    { name: "add", arguments: { a: 17, b: 38 }, id: "c1" },
    { name: "add", arguments: { a: 1, b: 2 }, id: "c2" },
  ],
  usage: { inputTokens: 3, outputTokens: 4 },
};
const COLLECTED = {
  content: "né€😀工",
  toolCalls: [
    { id: "c1", name: "add", arguments: '{"a":17,"b":38}' },
    { id: "c2", name: "add", arguments: '{"a":1,"b":2}' },
  ],
  finishReason: "toolCalls",
  usage: { inputTokens: 3, outputTokens: 4 },
};

describe.each(Object.entries(MAKERS))("@ai-sdk/openai %s", (_name, make) => {
  const model = () => aiSdkModel(make(provider.baseUrl));

  it("answers whole and streamed alike, and takes the results of its calls", async () => {
    provider.reply(ANSWER, ANSWER, { text: "55 and 3", usage: { inputTokens: 9, outputTokens: 1 } });
    const whole = await model().generate(asked, callContext());
    expect(whole).toMatchObject(COLLECTED);
    expect(await collect(model().stream(asked, callContext()))).toMatchObject(COLLECTED);
    const next: ModelRequest = {
      ...asked,
      messages: [
        ...asked.messages,
        { role: "assistant", content: whole.content, toolCalls: whole.toolCalls, reasoning: whole.reasoning },
        { role: "tool", toolCallId: "c1", name: "add", content: "55" },
        { role: "tool", toolCallId: "c2", name: "add", content: "3" },
      ],
    };
    expect(await model().generate(next, callContext())).toMatchObject({ content: "55 and 3", finishReason: "stop" });
    expect(provider.requests[2]?.rawBody).toContain('"c2"');
    expect(provider.requests[2]?.rawBody).toContain("55");
  });

  it.each([
    [401, { message: "Incorrect API key", code: "invalid_api_key" }, "MODEL_AUTH", false],
    [
      429,
      { message: "Pay first", type: "insufficient_quota", code: "insufficient_quota" },
      "MODEL_QUOTA_EXCEEDED",
      false,
    ],
    [503, { message: "Overloaded" }, "MODEL_OVERLOADED", true],
  ] as const)("makes one request for status %i and tells it from others", async (status, error, code, retryable) => {
    const headers = { "retry-after": "7" };
    provider.reply({ status, body: { error }, headers }, { status, body: { error }, headers });
    const failure = await failureOf(model().generate(asked, callContext()));
    expect(failure).toMatchObject({ kind: "model", code, status, retryable, retryAfterMs: 7_000 });
    expect(JSON.stringify(failure)).not.toContain(KEY);
    expect(provider.requests).toHaveLength(1);
    expect((await untilFailure(model().stream(asked, callContext()))).error).toMatchObject({ code, retryable });
    expect(provider.requests).toHaveLength(2);
  });

  it.each(["end", "fin", "reset"] as const)("never takes a stream for whole that is cut by %s", async (how) => {
    provider.reply({ ...ANSWER, transport: { cut: { afterBytes: 700, how } } });
    const { events, error } = await untilFailure(model().stream(asked, callContext()));
    expect(error).toMatchObject({ kind: "model", retryable: true });
    expect(error?.code).toMatch(/^MODEL_(BAD_RESPONSE|NETWORK)$/);
    expect(events.some((event) => event.type === "finish")).toBe(false);
  });

  it.each([
    ["HTML", { raw: "<!DOCTYPE html><title>Sign in</title>" }],
    ["nothing", { raw: "" }],
    ["another document", { raw: '{"a":1}' }],
  ])("never takes %s for an answer", async (_kind, reply) => {
    provider.reply(reply, reply);
    const failure = await failureOf(model().generate(asked, callContext()));
    // What the providers make of it differs: a bad response, a status 500 of their own, a bug of theirs.
    expect(failure).toMatchObject({ kind: "model", code: expect.stringMatching(/BAD_RESPONSE|SERVER_ERROR|BUG/) });
    expect((await untilFailure(model().stream(asked, callContext()))).error).toMatchObject({ kind: "model" });
  });

  it("stops with the reason of the signal and closes the connection, waiting for headers or in mid-stream", async () => {
    for (const reply of [
      { hangUp: "stall" },
      { ...ANSWER, transport: { cut: { afterBytes: 500, how: "stall" } } },
    ] as const) {
      provider.reply(reply);
      const controller = new AbortController();
      const count = provider.requests.length;
      const pending = failureOf(collect(model().stream(asked, callContext(controller.signal))));
      while (provider.requests.length === count) await new Promise((resolve) => setTimeout(resolve, 5));
      controller.abort(new Error("user clicked stop"));
      expect(await pending).toMatchObject({ code: "RUN_ABORTED", message: "user clicked stop" });
      expect(await provider.requests.at(-1)?.closed).toBe("cancelled");
    }
  });

  it("goes round against aimock", async () => {
    mock.on({ userMessage: "17 + 38", hasToolResult: false }, { toolCalls: COLLECTED.toolCalls });
    mock.on({ userMessage: "17 + 38", hasToolResult: true }, { content: "It is 55, née 😀." });
    const mocked = aiSdkModel(make(`${mock.url}/v1`));
    const first = await collect(mocked.stream(asked, callContext()));
    expect(first).toMatchObject({ toolCalls: COLLECTED.toolCalls, finishReason: "toolCalls" });
    const results = COLLECTED.toolCalls.map(
      ({ id }) => ({ role: "tool", toolCallId: id, name: "add", content: "55" }) as const,
    );
    const { content, toolCalls, reasoning } = first;
    const messages = [...asked.messages, { role: "assistant", content, toolCalls, reasoning } as const, ...results];
    const answer = { content: "It is 55, née 😀.", finishReason: "stop" };
    expect(await mocked.generate({ ...asked, messages }, callContext())).toMatchObject(answer);
    expect(await collect(mocked.stream({ ...asked, messages }, callContext()))).toMatchObject(answer);
  });
});
