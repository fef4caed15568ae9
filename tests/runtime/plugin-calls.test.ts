import {
  type AgentEvent,
  type CompactionNotice,
  createRuntime,
  isHarnessError,
  type ModelRequest,
  type Plugin,
  type PluginCallContext,
  type RuntimeOptions,
} from "harness-kit";
import { assertRunInvariants, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { play, settleLoop } from "./helpers.ts";

const notice: CompactionNotice = {
  reason: "limit",
  messagesBefore: 9,
  messagesAfter: 3,
  tokensBefore: 900,
  tokensAfter: 300,
  summarized: 7,
  dropped: 0,
  shortened: 0,
};

/** A plugin around model calls. */
function around(wrapModel: NonNullable<Plugin["wrapModel"]>, name = "p"): Plugin {
  return { name, wrapModel };
}

/** All events of a run that is read as it comes. */
async function streamed(
  model: ReturnType<typeof scriptedModel>,
  plugins: readonly Plugin[],
  options: Partial<RuntimeOptions> = {},
) {
  const events: AgentEvent[] = [];
  const stream = createRuntime({ clock: recordingClock(), model, plugins, ...options }).stream("Go.");
  for await (const event of stream) events.push(event);
  const run = await stream.result;
  assertRunInvariants(run, events);
  const heard = events.flatMap((event) => (event.type === "model:delta" ? [event.text] : [])).join("");
  return { run, events, heard };
}

const question = (request: ModelRequest): ModelRequest => ({ messages: request.messages, tools: [] });

describe("what a plugin asks aside", () => {
  const judge = around(async (request, next) => {
    const { content } = await next(question(request), { aside: true });
    const response = await next(request);
    return { ...response, content: `${response.content} (${content})` };
  });

  it("is answered by the same model and not heard by those who read along", async () => {
    const model = scriptedModel(["Aside.", "Answer."], { chunkSize: 2 });
    const { run, heard } = await streamed(model, [judge]);
    expect(heard).toBe("Answer.");
    expect(run.answer).toBe("Answer. (Aside.)");
  });

  it("stays aside on its way through the plugins behind, whatever these ask", async () => {
    const copying = around((request, next) => next({ ...request }));
    const own = around((request, next) => next(request, {}));
    const { heard } = await streamed(scriptedModel(["Aside.", "Answer."], { chunkSize: 2 }), [judge, copying, own]);
    expect(heard).toBe("Answer.");
  });

  it("may be stopped alone", async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const model = scriptedModel([
      (_request, { signal }) => {
        signals.push(signal);
        return "Aside.";
      },
      (_request, { signal, attempt, runId }) => {
        signals.push(signal);
        return `Try ${attempt} of ${runId}.`;
      },
    ]);
    let given: PluginCallContext | undefined;
    const plugin = around(async (request, next, context) => {
      given = context;
      await next(question(request), { aside: true, signal: controller.signal });
      return next(request);
    });
    const run = await createRuntime({ model, plugins: [plugin] }).run("Go.", { runId: "r1" });
    expect(run.answer).toBe("Try 1 of r1.");
    expect(signals).toEqual([controller.signal, given?.signal]);
    expect(given).toMatchObject({ attempt: 1, runId: "r1", delivered: 0 });
  });

  it("has the run's id and try beside its own signal", async () => {
    const model = scriptedModel([(_request, { attempt, runId }) => `Aside ${attempt} of ${runId}.`, "Answer."]);
    const plugin = around(async (request, next) => {
      const { signal } = new AbortController();
      return next(question(request), { aside: true, signal });
    });
    const run = await createRuntime({ model, plugins: [plugin] }).run("Go.", { runId: "r1" });
    expect(run.answer).toBe("Aside 1 of r1.");
  });
});

describe("what a plugin sees of a failure", () => {
  it("is an error of ours, judged as it would have been without the plugin", async () => {
    const seen: unknown[] = [];
    const plugin = around(async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        seen.push(error);
        throw error;
      }
    });
    const model = {
      generate: () => Promise.reject({ odd: true }),
      classifyError: () => ({ code: "MODEL_AUTH" as const }),
    };
    const run = await createRuntime({ model, plugins: [plugin] }).run("Go.");
    expect(run).toMatchObject({ status: "failed", errorKind: "model", errorCode: "MODEL_AUTH" });
    expect(isHarnessError(seen[0], "model")).toBe(true);
  });

  it.each([undefined, null, "text"])("is the model's failure when the model gives %s", async (nothing) => {
    const plugin = around((request, next) => next(request));
    const { run } = await play([() => nothing as never], {
      plugins: [plugin],
      model: { generate: async () => nothing as never },
    });
    expect(run).toMatchObject({ status: "failed", errorKind: "model", errorCode: "MODEL_BAD_RESPONSE" });
  });

  it("comes with how much of the answer was heard", async () => {
    const delivered: number[] = [];
    const plugin = around(async (request, next, context) => {
      delivered.push(context.delivered);
      const response = await next(request);
      delivered.push(context.delivered);
      return response;
    });
    await streamed(scriptedModel(["Answer"], { chunkSize: 2 }), [plugin]);
    expect(delivered).toEqual([0, 3]);
  });
});

describe("the time of a plugin", () => {
  const clock = recordingClock();
  const wait = (ms: number) => new Promise<void>((resolve) => clock.setTimer(ms, resolve));

  it("is no silence of a streaming model, before its stream and after it", async () => {
    const slow = around(async (request, next) => {
      await wait(8_000);
      const response = await next(request);
      await wait(8_000);
      return response;
    });
    const { run } = await streamed(scriptedModel(["Answer."], { chunkSize: 2 }), [slow], {
      clock,
      streamIdleMs: 5_000,
    });
    expect(run.answer).toBe("Answer.");
  });

  it("does not keep the silence of a stream from being noticed", async () => {
    const model = {
      generate: () => new Promise<never>(() => {}),
      async *stream() {
        await new Promise<never>(() => {});
        yield { type: "text" as const, text: "never" };
      },
    };
    const slow = around(async (request, next) => {
      await wait(8_000);
      return next(request);
    });
    const options = { clock, streamIdleMs: 5_000, retry: { maxAttempts: 1 } };
    const { run } = await streamed(model as never, [slow], options);
    expect(run).toMatchObject({ errorCode: "MODEL_TIMEOUT", error: expect.stringContaining("5000 ms (streamIdleMs)") });
  });

  it("is bounded by the time of the call", async () => {
    const slow = around(() => new Promise<never>(() => {}));
    const options = { clock, streamIdleMs: 5_000, modelTimeoutMs: 20_000, retry: { maxAttempts: 1 } };
    const { run } = await streamed(scriptedModel(["Answer."], { chunkSize: 2 }), [slow], options);
    expect(run).toMatchObject({
      errorCode: "MODEL_TIMEOUT",
      error: expect.stringContaining("20000 ms (modelTimeoutMs)"),
    });
  });
});

describe("what a plugin tells of a compaction", () => {
  it("is an event of the run, copied and frozen", async () => {
    const error = { kind: "model", code: "MODEL_AUTH", message: "No key." } as const;
    const given = { ...notice, error };
    const plugin = around((request, next, context) => {
      context.compacted(given);
      return next(request);
    });
    const { events } = await streamed(scriptedModel(["Answer."]), [plugin]);
    const told = events.find(({ type }) => type === "context:compacted");
    expect(told).toMatchObject({ type: "context:compacted", seq: 2, ...given });
    expect(told?.type === "context:compacted" && told.error).not.toBe(error);
    expect(Object.isFrozen(told)).toBe(true);
  });

  it("cannot pass for another event, nor carry what no record could", async () => {
    const plugin = around((request, next, context) => {
      context.compacted({ ...notice, type: "run:end", seq: 99, runId: "x", summarized: 1n } as never);
      return next(request);
    });
    const { events } = await streamed(scriptedModel(["Answer."]), [plugin]);
    const told = events[2];
    expect(told).toMatchObject({ type: "context:compacted", seq: 2, summarized: "1" });
    expect(told).not.toHaveProperty("error");
  });

  it("is dropped when the attempt is over", async () => {
    let late: PluginCallContext | undefined;
    const plugin = around((request, next, context) => {
      late = context;
      return next(request);
    });
    const runtime = createRuntime({ model: scriptedModel(["Answer."]), plugins: [plugin] });
    const events: string[] = [];
    runtime.on("*", ({ type }) => {
      events.push(type);
      if (type === "model:end") late?.compacted(notice);
    });
    await runtime.run("Go.");
    await settleLoop();
    expect(events).not.toContain("context:compacted");
  });

  it("that is nothing is a failure of the plugin", async () => {
    const plugin = around((request, next, context) => {
      context.compacted(undefined as never);
      return next(request);
    });
    const { run } = await play(["Answer."], { plugins: [plugin] });
    expect(run).toMatchObject({ status: "failed", errorCode: "RUNTIME_HOOK_THREW" });
  });
});
