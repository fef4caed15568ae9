import { type AgentEvent, createRetryBudget, createRuntime, type Plugin, ToolError } from "harness-kit";
import { assertRunInvariants, callTool, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { failureOf, play, resultOf, settleLoop, spyTool } from "./helpers.ts";
import { unavailable } from "./scenarios.ts";

const never = () => new Promise<never>(() => {});
const long = "A rather long answer that comes in many pieces.";

describe("a streamed run", () => {
  it("gives every event once, in order, and ends with the record", async () => {
    const stream = createRuntime({ model: scriptedModel([long], { chunkSize: 5 }) }).stream("Go.");
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    const run = await stream.result;
    assertRunInvariants(run, events);
    expect(events.flatMap((event) => (event.type === "model:delta" ? [event.text] : [])).join("")).toBe(long);
    expect(run.answer).toBe(long);
  });

  it("is aborted by a consumer that leaves", async () => {
    const stream = createRuntime({ model: scriptedModel([long], { chunkSize: 5 }) }).stream("Go.");
    for await (const event of stream) if (event.type === "model:delta") break;
    expect(await stream.result).toMatchObject({ status: "aborted", error: "The consumer of the stream left." });
  });

  it("goes on without its consumer when it was asked to", async () => {
    const stream = createRuntime({ model: scriptedModel([long], { chunkSize: 5 }) }).stream("Go.", {
      onLeave: "continue",
    });
    for await (const event of stream) if (event.type === "model:delta") break;
    expect(await stream.result).toMatchObject({ status: "completed", answer: long });
  });

  it("can be left while it has nothing to give", async () => {
    const stream = createRuntime({
      model: {
        generate: never,
        stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
      },
      clock: recordingClock({ auto: false }),
      graceMs: 0,
    }).stream("Go.");
    const iterator = stream[Symbol.asyncIterator]();
    let next = await iterator.next();
    while (next.value.type !== "model:start") next = await iterator.next();
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect((await stream.result).status).toBe("aborted");
  });

  it("slows the model down for a consumer that falls behind, and loses nothing", async () => {
    const pieces = 2_000;
    let made = 0;
    const model = {
      generate: never,
      async *stream() {
        for (; made < pieces; made++) yield { type: "text", text: "x" } as const;
        yield { type: "finish", finishReason: "stop" } as const;
      },
    };
    const stream = createRuntime({ model }).stream("Go.");
    let taken = 0;
    for await (const event of stream) {
      if (event.type !== "model:delta") continue;
      if (++taken % 500 === 0) await settleLoop();
      expect(made - taken).toBeLessThan(400);
    }
    expect(taken).toBe(pieces);
    expect((await stream.result).answer).toHaveLength(pieces);
  });

  it("does not blame the model for a consumer that sleeps", async () => {
    const clock = recordingClock({ auto: false });
    const model = scriptedModel(["x".repeat(2_000)], { chunkSize: 1 });
    const stream = createRuntime({ model, clock, streamIdleMs: 1_000 }).stream("Go.");
    let isFirst = true;
    for await (const event of stream) {
      if (event.type !== "model:delta" || !isFirst) continue;
      isFirst = false;
      await clock.advance(5_000);
    }
    expect(await stream.result).toMatchObject({ status: "completed" });
  });

  it("is stopped when the model falls silent, and tells how far it came", async () => {
    const model = {
      generate: never,
      async *stream() {
        yield { type: "text", text: "half an ans" } as const;
        await never();
      },
    };
    const stream = createRuntime({ model, clock: recordingClock(), streamIdleMs: 1_000 }).stream("Go.");
    const run = await stream.result;
    expect(run).toMatchObject({
      status: "failed",
      errorCode: "MODEL_STREAM_INTERRUPTED",
      errorDetail: { retryable: false },
    });
    expect(run.steps.at(-1)).toMatchObject({
      partialText: "half an ans",
      retryState: "partially_delivered",
      attempts: 1,
    });
    expect(run.endedAt - run.startedAt).toBe(1_100);
  });

  it("is not stopped while heartbeats come, which nobody is told of", async () => {
    const clock = recordingClock({ auto: false });
    const model = {
      generate: never,
      async *stream() {
        for (let beat = 0; beat < 20; beat++) {
          await clock.advance(900);
          yield { type: "heartbeat" } as const;
        }
        yield { type: "text", text: "55" } as const;
        yield { type: "finish", finishReason: "stop" } as const;
      },
    };
    const stream = createRuntime({ model, clock, streamIdleMs: 1_000 }).stream("Go.");
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    const run = await stream.result;
    expect(run).toMatchObject({ status: "completed", answer: "55" });
    expect(run.endedAt - run.startedAt).toBe(18_000);
    expect(events.filter(({ type }) => type.startsWith("model:")).map(({ type }) => type)).toEqual([
      "model:start",
      "model:delta",
      "model:end",
    ]);
  });

  it("is stopped by modelTimeoutMs when heartbeats are all that comes, and may be tried again", async () => {
    const clock = recordingClock({ auto: false });
    const model = {
      generate: never,
      async *stream() {
        for (;;) {
          await clock.advance(900);
          yield { type: "heartbeat" } as const;
        }
      },
    };
    const options = { model, clock, streamIdleMs: 1_000, modelTimeoutMs: 5_000, retry: { maxAttempts: 1 } };
    const run = await createRuntime(options).stream("Go.").result;
    expect(run).toMatchObject({ errorCode: "MODEL_TIMEOUT", errorDetail: { retryable: true } });
    expect(run.error).toContain("within 5000 ms (modelTimeoutMs)");
  });

  it("is tried again as long as nothing was delivered", async () => {
    const model = scriptedModel([unavailable(), "Done."], { chunkSize: 2 });
    const stream = createRuntime({ model, clock: recordingClock() }).stream("Go.");
    expect(await stream.result).toMatchObject({ status: "completed", answer: "Done." });
  });

  it("is read once only, and rejects its result for misuse", async () => {
    const stream = createRuntime({ model: scriptedModel(["Done."]) }).stream("Go.");
    expect(stream[Symbol.asyncIterator]()).toBeDefined();
    expect(() => stream[Symbol.asyncIterator]()).toThrow(TypeError);
    await expect(createRuntime({ model: scriptedModel(["x"]) }).stream("").result).rejects.toThrow(TypeError);
  });

  it("is not made by a listener of all events, who would change what a retry may do", async () => {
    const model = scriptedModel(["Done."], { chunkSize: 2 });
    const runtime = createRuntime({ model });
    const types: string[] = [];
    runtime.on("*", ({ type }) => types.push(type));
    await runtime.run("Go.");
    expect(types).not.toContain("model:delta");
  });
});

describe("plugins", () => {
  const tracing = (name: string, trace: string[]): Plugin => ({
    name,
    wrapModel: async (request, next) => {
      trace.push(`${name} before model`);
      const response = await next(request);
      trace.push(`${name} after model`);
      return response;
    },
    wrapTool: async (_call, next) => {
      trace.push(`${name} before tool`);
      const result = await next();
      trace.push(`${name} after tool`);
      return result;
    },
  });

  it("go around each call in their order, the first one outermost", async () => {
    const trace: string[] = [];
    await play([callTool("t"), "Done."], {
      tools: [spyTool("t").tool],
      plugins: [tracing("a", trace), tracing("b", trace)],
    });
    const around = (what: string) => [`a before ${what}`, `b before ${what}`, `b after ${what}`, `a after ${what}`];
    expect(trace).toEqual([...around("model"), ...around("tool"), ...around("model")]);
  });

  it("that fail end a model call with an error of their own kind", async () => {
    const wrapModel = () => Promise.reject(new Error("plugin trouble"));
    const { run, model } = await play(["Done."], { plugins: [{ name: "p", wrapModel }] });
    expect(run).toMatchObject({ status: "failed", errorKind: "runtime", errorCode: "RUNTIME_HOOK_THREW" });
    expect(run.error).toContain('"p"');
    expect(model.requests).toHaveLength(0);
  });

  it("that fail turn a tool call into a result of their own kind", async () => {
    const wrapTool = () => Promise.reject(new Error("plugin trouble"));
    const { run } = await play([callTool("t", {}, "c1"), "Done."], {
      tools: [spyTool("t").tool],
      plugins: [{ name: "p", wrapTool }],
    });
    expect(failureOf(run, "c1")).toMatchObject({ kind: "runtime", code: "RUNTIME_HOOK_THREW" });
    expect(run.answer).toBe("Done.");
  });

  it("that give back nothing are told from models and tools that do", async () => {
    const nothing = async () => undefined as never;
    const first = await play(["Done."], { plugins: [{ name: "p", wrapModel: nothing }] });
    expect(first.run.errorCode).toBe("RUNTIME_HOOK_THREW");
    const second = await play([callTool("t", {}, "c1"), "Done."], {
      tools: [spyTool("t").tool],
      plugins: [{ name: "p", wrapTool: nothing }],
    });
    expect(failureOf(second.run, "c1").code).toBe("RUNTIME_HOOK_THREW");
  });

  it("let the errors of models pass as what they were", async () => {
    const { run, model } = await play([unavailable(), "Done."], { plugins: [tracing("a", [])] });
    expect(run.answer).toBe("Done.");
    expect(model.requests).toHaveLength(2);
  });

  it("may answer by themselves", async () => {
    const wrapTool: Plugin["wrapTool"] = async () => ({ ok: true, value: "cached" });
    const { tool, calls } = spyTool("t");
    const { run } = await play([callTool("t", {}, "c1"), "Done."], {
      tools: [tool],
      plugins: [{ name: "cache", wrapTool }],
    });
    expect(resultOf(run, "c1")).toEqual({ ok: true, value: "cached" });
    expect(calls).toHaveLength(0);
  });
});

describe("retries and limits of a run", () => {
  it("share one budget, which runs out for good", async () => {
    const budget = createRetryBudget({ tokens: 1 });
    const { run } = await play([unavailable()], { retry: { budget, maxAttempts: 10 } }, { repeatLast: true });
    expect(run.steps.at(-1)).toMatchObject({ attempts: 2, retryState: "budget_exhausted" });
    const second = await play([unavailable()], { retry: { budget, maxAttempts: 10 } }, { repeatLast: true });
    expect(second.run.steps.at(-1)).toMatchObject({ attempts: 1, retryState: "budget_exhausted" });
  });

  it("never sleep past the deadline, nor as long as an unreasonable provider asks", async () => {
    const late = await play([unavailable()], { timeoutMs: 100, retry: { baseMs: 1_000 } }, { repeatLast: true });
    expect(late.run.steps.at(-1)).toMatchObject({ retryState: "deadline", attempts: 1 });
    const asked = Object.assign(new Error("slow down"), { status: 429, headers: { "retry-after": "3600" } });
    const { run } = await play([asked], {}, { repeatLast: true });
    expect(run.steps.at(-1)).toMatchObject({ retryState: "retry_after_too_long", detail: { retryAfterMs: 3_600_000 } });
  });

  it("hand over to the next model by the code of the failure, and record the wasted tries", async () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const second = scriptedModel([{ content: "Done.", usage }], { name: "second" });
    const unused = scriptedModel(["Not this."], { name: "unused" });
    const refused = Object.assign(new Error("no"), { status: 401 });
    const { run } = await play([refused], {
      fallback: [
        { model: unused, on: ["MODEL_TIMEOUT"] },
        { model: second, on: ["MODEL_AUTH"] },
      ],
    });
    expect(run).toMatchObject({ status: "completed", answer: "Done.", usage });
    expect(run.steps[0]).toMatchObject({
      model: "second",
      attempts: 2,
      failures: [{ code: "MODEL_AUTH", model: "scripted" }],
    });
    expect(unused.requests).toHaveLength(0);
  });

  it("repeat only tools that may be repeated, and only failures that may pass", async () => {
    for (const [idempotent, retryable, expected] of [
      [true, true, 2],
      [true, false, 1],
      [false, true, 1],
    ] as const) {
      let tries = 0;
      const { tool, calls } = spyTool(
        "t",
        () => {
          if (++tries === 1) throw new ToolError("busy", { retryable });
          return "ok";
        },
        { idempotent },
      );
      await play([callTool("t", { n: 1 }), "Done."], { tools: [tool] });
      expect(calls).toHaveLength(expected);
    }
  });

  it("end a run that used up its calls, its tokens or its money, each by its name", async () => {
    const usage = { inputTokens: 50, outputTokens: 50 };
    const ask = () => ({ ...callTool("t", { n: Math.random() }), usage });
    for (const [limit, value] of [
      ["toolCalls", 2],
      ["tokens", 150],
      ["costUsd", 0.5],
    ] as const) {
      const { run } = await play(
        [ask],
        { tools: [spyTool("t", () => Math.random()).tool], limits: { [limit]: value }, price: () => 0.3 },
        { repeatLast: true },
      );
      expect(run).toMatchObject({
        status: "failed",
        stopReason: "limit",
        errorCode: "RUN_LIMIT",
        errorDetail: { detail: { limit } },
      });
    }
  });

  it("count no repeat where a call brings something new", async () => {
    let state = 0;
    const poll = spyTool("poll", () => (++state < 12 ? `pending ${state}` : "ready"));
    const { run } = await play([...Array.from({ length: 12 }, () => callTool("poll", { id: 1 })), "Done."], {
      tools: [poll.tool],
    });
    expect(run).toMatchObject({ status: "completed", answer: "Done." });
  });

  it("end a run whose calls fail again and again, whatever they are", async () => {
    const bad = spyTool("bad", () => Promise.reject(new Error(`no ${Math.random()}`)));
    const { run } = await play(
      [() => callTool("bad", { n: Math.random() })],
      { tools: [bad.tool] },
      { repeatLast: true },
    );
    expect(run).toMatchObject({
      stopReason: "noProgress",
      errorDetail: { detail: { limit: "consecutiveToolFailures" } },
    });
    expect(bad.calls).toHaveLength(5);
  });
});
