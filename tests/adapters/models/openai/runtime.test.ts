/** Whole runs over a real connection: what the faults of a provider mean to the person who called `run`. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenAIModelOptions, openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import { defineTool } from "../../../../src/contract/define-tool.ts";
import { createRuntime } from "../../../../src/runtime/create-runtime.ts";
import { type FakeProvider, fakeProvider } from "../../../../src/testing/fake-provider/fake-provider.ts";
import type { FakeReply } from "../../../../src/testing/fake-provider/reply.ts";
import { delta, sse } from "./support.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await fakeProvider();
});
afterEach(() => provider.close());

function runtimeWith(options: Partial<OpenAIModelOptions> = {}) {
  const received: unknown[] = [];
  const look = defineTool({
    name: "db.look",
    description: "Looks something up.",
    parameters: { type: "object", properties: { q: { type: "string" } } },
    execute: (args) => {
      received.push(args);
      return `found ${JSON.stringify(args)}`;
    },
  });
  const model = openaiModel({ model: "fake", apiKey: "sk-test-0123456789", baseUrl: provider.baseUrl, ...options });
  const runtime = createRuntime({ model, tools: [look], retry: { maxAttempts: 2, baseMs: 1 } });
  return { runtime, received };
}

/** Runs once by `run` and once by `stream`, on the same script. */
async function runBoth(replies: readonly FakeReply[]) {
  const outcomes = [];
  for (const way of ["run", "stream"] as const) {
    provider.reply(...replies);
    const { runtime, received } = runtimeWith();
    const run = way === "run" ? await runtime.run("Look.") : await runtime.stream("Look.").result;
    outcomes.push({ run, received });
  }
  return outcomes;
}

interface SentMessage {
  role: string;
  content?: unknown;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

function sentMessages(): SentMessage[] {
  return provider.requests.flatMap((asked) => (asked.body as { messages: SentMessage[] }).messages);
}

const call = (args: unknown, name = "db_look"): FakeReply => ({ toolCalls: [{ name, arguments: args }] });

describe("a run over Chat Completions", () => {
  it("calls a tool with a dotted name and sends a history that a provider takes", async () => {
    for (const { run, received } of await runBoth([call({ q: "ada" }), { text: "done" }])) {
      expect(run).toMatchObject({ status: "completed", answer: "done" });
      expect(received).toEqual([{ q: "ada" }]);
    }
    const calls = sentMessages().flatMap((message) => message.tool_calls ?? []);
    expect(calls.length).toBeGreaterThan(0);
    for (const { function: target } of calls) expect(target).toEqual({ name: "db_look", arguments: '{"q":"ada"}' });
  });

  it("takes empty arguments as none, and sends them back as {}", async () => {
    for (const { run, received } of await runBoth([call(""), { text: "noon" }])) {
      expect(run).toMatchObject({ status: "completed", answer: "noon" });
      expect(received).toEqual([{}]);
    }
    for (const entry of sentMessages().flatMap((message) => message.tool_calls ?? [])) {
      expect(entry.function.arguments).toBe("{}");
    }
  });

  it("never sends broken arguments back as they are", async () => {
    const outcomes = await runBoth([call('{"{"q":"ada"}'), call({ q: "ada" }), { text: "done" }]);
    for (const { run, received } of outcomes) {
      expect(run.status).toBe("completed");
      expect(received).toEqual([{ q: "ada" }]);
    }
    for (const entry of sentMessages().flatMap((message) => message.tool_calls ?? [])) {
      expect(() => JSON.parse(entry.function.arguments)).not.toThrow();
    }
  });

  it("does not run a call that the output limit cut", async () => {
    const cut: FakeReply = { toolCalls: [{ name: "db_look", arguments: '{"q":"ad' }], finishReason: "length" };
    for (const { run, received } of await runBoth([cut, { text: "done" }])) {
      expect(run.status).toBe("completed");
      expect(received).toEqual([]);
    }
  });

  it("retries a stream that was cut before anything was delivered, and does not double its text", async () => {
    const { runtime } = runtimeWith();
    provider.reply({ raw: sse(delta({ role: "assistant" })) }, { text: "The answer." });
    const run = await runtime.stream("Look.").result;
    expect(run).toMatchObject({ status: "completed", answer: "The answer." });
    expect(provider.requests).toHaveLength(2);
  });

  it("fails, without another try, when a stream is cut behind a delta that was delivered", async () => {
    const { runtime } = runtimeWith();
    provider.reply({ raw: sse(delta({ content: "The ans" })) }, { text: "never asked for" });
    const texts: string[] = [];
    const stream = runtime.stream("Look.");
    for await (const event of stream) if (event.type === "model:delta") texts.push(event.text);
    expect(texts).toEqual(["The ans"]);
    const run = await stream.result;
    expect(run).toMatchObject({ status: "failed", errorKind: "model" });
    expect(run.errorDetail).toMatchObject({ retryable: false });
    expect(provider.requests).toHaveLength(1);
  });

  it("fails with the provider's words on an error frame behind text", async () => {
    const { runtime } = runtimeWith();
    provider.reply({ raw: sse(delta({ content: "Hi" }), { error: { message: "upstream overloaded", code: 503 } }) });
    const stream = runtime.stream("Look.");
    for await (const _event of stream);
    expect(await stream.result).toMatchObject({
      status: "failed",
      errorKind: "model",
      error: expect.stringContaining("upstream overloaded"),
    });
  });

  it("makes exactly as many requests as attempts", async () => {
    const outcomes = await runBoth([{ status: 503 }, { status: 503 }]);
    for (const { run } of outcomes)
      expect(run).toMatchObject({ status: "failed", errorKind: "model", errorCode: "MODEL_OVERLOADED" });
    expect(provider.requests).toHaveLength(4);
  });

  it("does not try a wrong key again, and keeps it out of the record", async () => {
    const reply: FakeReply = {
      status: 401,
      body: { error: { message: "Incorrect API key provided: sk-test-0123456789" } },
    };
    for (const { run } of await runBoth([reply])) {
      expect(run).toMatchObject({ status: "failed", errorCode: "MODEL_AUTH" });
      expect(JSON.stringify(run)).not.toContain("sk-test-0123456789");
    }
    expect(provider.requests).toHaveLength(2);
  });

  it("ends an empty reply that a filter withheld as a failure of the model", async () => {
    for (const { run } of await runBoth([{ finishReason: "content_filter" }])) {
      expect(run).toMatchObject({ status: "failed", errorKind: "model", errorCode: "MODEL_CONTENT_FILTERED" });
    }
  });
});
