import { describe, expect, it } from "vitest";
import { aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts";
import { callContext, collect, eventsOf, failureOf, request, untilFailure } from "../support.ts";
import {
  finish,
  generateFrom,
  NO_USAGE,
  result,
  scripted,
  streamOf,
  text,
  unknownReason,
  usage,
  VERSIONS,
} from "./support.ts";

const COUNTED = { inputTokens: 7, outputTokens: 5, cachedInputTokens: 1, reasoningTokens: 2 };
const call = (id: string, input: unknown, more: object = {}) => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "add",
  input,
  ...more,
});

describe.each(VERSIONS)("an answer of specification %s", (version) => {
  const said = (content: unknown, more?: object) => generateFrom(version, result(version, content, "stop", more));

  it("becomes text, calls, usage and who answered", async () => {
    const response = { id: "resp_1", modelId: "m-1", headers: { "x-request-id": "req_1" } };
    const content = [{ type: "text", text: "o" }, { type: "text", text: "k" }, call("a", '{"n":1}')];
    expect(await generateFrom(version, result(version, content, "tool-calls", { response }))).toEqual({
      content: "ok",
      toolCalls: [{ id: "a", name: "add", arguments: '{"n":1}' }],
      finishReason: "toolCalls",
      usage: COUNTED,
      model: "m-1",
      requestId: "req_1",
    });
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "filtered"],
    ["tool-calls", "stop"],
    ["other", "other"],
  ])("with the finish reason %s finishes as %s", async (unified, finishReason) => {
    const content = [{ type: "text", text: "ok" }];
    expect((await generateFrom(version, result(version, content, unified))).finishReason).toBe(finishReason);
    expect((await collect(streamOf(version, [...text("1", "ok"), finish(version, unified)]))).finishReason).toBe(
      finishReason,
    );
  });

  it("with calls finishes with them, unless it was cut", async () => {
    expect((await said([call("a", "{}")])).finishReason).toBe("toolCalls");
    expect((await generateFrom(version, result(version, [call("a", "{}")], "length"))).finishReason).toBe("length");
  });

  it("that broke off with an error is one", async () => {
    const content = result(version, [{ type: "text", text: "a" }], "error");
    expect(await failureOf(generateFrom(version, content))).toMatchObject({ code: "MODEL_SERVER_ERROR" });
  });

  it("of which a filter left nothing is filtered content", async () => {
    const failure = await failureOf(generateFrom(version, result(version, [], "content-filter")));
    expect(failure).toMatchObject({ code: "MODEL_CONTENT_FILTERED", retryable: false });
  });

  it("streamed becomes the same, call by call, whether or not its arguments came in pieces", async () => {
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "resp_1", modelId: "m-1" },
      ...text("1", "o", "k"),
      { type: "tool-input-start", id: "a", toolName: "add" },
      { type: "tool-input-delta", id: "a", delta: '{"n":' },
      { type: "tool-input-delta", id: "a", delta: "1}" },
      { type: "tool-input-end", id: "a" },
      call("a", '{"n":1}'),
      call("b", '{"n":2}'),
      finish(version, "tool-calls"),
    ];
    const events = await eventsOf(streamOf(version, parts));
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: "toolCalls", model: "m-1", requestId: "req_1" });
    expect(events.filter((event) => event.type === "finish")).toHaveLength(1);
    expect(await collect(streamOf(version, parts))).toMatchObject({
      content: "ok",
      toolCalls: [
        { id: "a", name: "add", arguments: '{"n":1}' },
        { id: "b", name: "add", arguments: '{"n":2}' },
      ],
      usage: COUNTED,
    });
  });

  it("streamed and cut off is an error: no finish, or one that knows neither reason nor tokens", async () => {
    const unknown = { type: "finish", finishReason: unknownReason(version), usage: NO_USAGE };
    for (const parts of [text("1", "The ans"), [...text("1", "The ans"), unknown]]) {
      const { events, error } = await untilFailure(streamOf(version, parts));
      expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", retryable: true });
      expect(events).toEqual([{ type: "text", text: "The ans" }]);
    }
    const counted = { ...unknown, usage: usage(version, 7, 5) };
    expect((await collect(streamOf(version, [...text("1", "ok"), counted]))).finishReason).toBe("other");
  });

  it("streamed with cut arguments keeps them as text and says so", async () => {
    const parts = [
      { type: "tool-input-start", id: "a", toolName: "add" },
      { type: "tool-input-delta", id: "a", delta: '{"n":' },
      finish(version, "length"),
    ];
    expect(await collect(streamOf(version, parts))).toMatchObject({
      finishReason: "length",
      toolCalls: [{ id: "a", name: "add", arguments: '{"n":' }],
    });
  });

  it("with calls that the provider made itself asks for none", async () => {
    const own = [
      call("s", '{"query":"x"}', { toolName: "search", providerExecuted: true }),
      { type: "tool-result", toolCallId: "s", toolName: "search", result: { hits: 1 } },
      { type: "source", sourceType: "url", id: "1", url: "https://x.example" },
    ];
    expect(await said([...own, { type: "text", text: "Found." }])).toMatchObject({ content: "Found.", toolCalls: [] });
    const started = [
      { type: "tool-input-start", id: "s", toolName: "search", providerExecuted: true },
      { type: "tool-input-delta", id: "s", delta: '{"query":"x"}' },
    ];
    const streamed = await collect(streamOf(version, [...started, ...own, ...text("1", "Found."), finish(version)]));
    expect(streamed).toMatchObject({ content: "Found.", toolCalls: [], finishReason: "stop" });
  });

  it.each([
    ["nothing", undefined, "no list `content`"],
    ["content that is no list", { content: "hi" }, "no list `content`"],
    ["a part that is no object", { content: ["hi"] }, "no object"],
    ["text without text", { content: [{ type: "text" }] }, "without text"],
    ["a call without a name", { content: [{ type: "tool-call", toolCallId: "a" }] }, "without the name"],
  ])("is an error, not an answer: %s", async (_name, malformed, words) => {
    const failure = await failureOf(generateFrom(version, malformed));
    expect(failure).toMatchObject({
      kind: "model",
      code: "MODEL_BAD_RESPONSE",
      message: expect.stringContaining(words),
    });
  });

  it.each([
    ["a part that is no object", [7], "no object"],
    ["a delta without its call", [{ type: "tool-input-delta", id: "x", delta: "{" }], "not started"],
    ["a call without a name", [{ type: "tool-input-start", id: "x" }], "without the name"],
  ])("streamed is an error, not an answer: %s", async (_name, parts, words) => {
    const { error } = await untilFailure(streamOf(version, [...parts, finish(version)]));
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", message: expect.stringContaining(words) });
  });

  it("is classified by what the provider threw or sent, whose own retry flag only lowers", async () => {
    const thrown = Object.assign(new Error("insufficient_quota"), {
      name: "AI_APICallError",
      statusCode: 429,
      isRetryable: true,
      data: { error: { code: "insufficient_quota" } },
    });
    expect(await failureOf(generateFrom(version, thrown))).toMatchObject({
      code: "MODEL_QUOTA_EXCEEDED",
      retryable: false,
    });
    const sent = { type: "error", error: { type: "server_error", code: "server_error", message: "Boom" } };
    const { events, error } = await untilFailure(streamOf(version, [...text("1", "a"), sent, finish(version)]));
    expect(error).toMatchObject({
      code: "MODEL_SERVER_ERROR",
      retryable: true,
      message: expect.stringContaining("Boom"),
    });
    expect(events).toEqual([{ type: "text", text: "a" }]);
  });

  it("may be left early: the provider's stream is cancelled", async () => {
    const { languageModel, seen, asked } = scripted(version, { parts: [...text("1", "a", "b"), finish(version)] });
    for await (const event of aiSdkModel(languageModel).stream(request(), callContext())) {
      if (event.type === "heartbeat") continue;
      expect(event).toEqual({ type: "text", text: "a" });
      break;
    }
    expect(seen.cancelled).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it("is not waited for once the signal fires, also of a provider that does not listen", async () => {
    const deaf = {
      ...scripted(version, {}).languageModel,
      doGenerate: () => new Promise(() => {}),
      doStream: async () => ({ stream: new ReadableStream() }),
    };
    for (const kind of ["generate", "stream"] as const) {
      const controller = new AbortController();
      const model = aiSdkModel(deaf);
      const context = callContext(controller.signal);
      const pending =
        kind === "generate" ? model.generate(request(), context) : collect(model.stream(request(), context));
      setTimeout(() => controller.abort(new Error("user clicked stop")), 10);
      expect(await failureOf(pending)).toMatchObject({ code: "RUN_ABORTED", message: "user clicked stop" });
    }
  });

  it("is not asked for under a signal that has fired, and comes too late after one", async () => {
    const { languageModel, asked } = scripted(version, { result: result(version, []) });
    const fired = callContext(AbortSignal.abort(new Error("no")));
    expect(await failureOf(aiSdkModel(languageModel).generate(request(), fired))).toMatchObject({
      code: "RUN_ABORTED",
    });
    expect(asked).toHaveLength(0);
    const controller = new AbortController();
    const late = scripted(version, { parts: text("1", "a") });
    const slow = {
      ...late.languageModel,
      doStream: async (options: never) => {
        controller.abort(new Error("late"));
        return late.languageModel.doStream(options);
      },
    };
    const { error } = await untilFailure(aiSdkModel(slow).stream(request(), callContext(controller.signal)));
    expect(error).toMatchObject({ code: "RUN_ABORTED" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(late.seen.cancelled).toBe(true);
  });

  it("without a stream is an error", async () => {
    const without = { ...scripted(version, {}).languageModel, doStream: async () => ({}) };
    const { error } = await untilFailure(aiSdkModel(without).stream(request(), callContext()));
    expect(error).toMatchObject({ code: "MODEL_BAD_RESPONSE", message: expect.stringContaining("no stream") });
  });
});

describe("a model", () => {
  it("is named after its provider, or as one likes", () => {
    const { languageModel } = scripted("v3", {});
    expect(aiSdkModel(languageModel).name).toBe("test.chat:m");
    expect(aiSdkModel(languageModel, { name: "mine" }).name).toBe("mine");
  });

  it.each([
    ["gpt-5", "not the name"],
    [undefined, "takes a language model"],
    [{ specificationVersion: "v3" }, "takes a language model"],
    [{ ...scripted("v3", {}).languageModel, specificationVersion: "v1" }, '"v2", "v3" and "v4"'],
  ])("%j is refused in words that help", (wrong, words) => {
    expect(() => aiSdkModel(wrong as never)).toThrow(TypeError);
    expect(() => aiSdkModel(wrong as never)).toThrow(words);
  });
});
