import { AgentContext, type AgentEvent, createRuntime, ModelError } from "harness-kit";
import { assertRunInvariants, callTool, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { failureOf, settleLoop, spyTool, within } from "./helpers.ts";

const never = () => new Promise<never>(() => {});
const deaf = (resolveLate?: (resolve: (value: unknown) => void) => void) => () =>
  new Promise<never>((resolve) => resolveLate?.(resolve as (value: unknown) => void));

describe("a run whose model or tool does not listen", () => {
  it("settles within the grace period after an abort, in real time", async () => {
    const stuck = spyTool("stuck", never);
    for (const model of [scriptedModel([never]), scriptedModel([callTool("stuck")])]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 200);
      const runtime = createRuntime({ model, tools: [stuck.tool] });
      const run = await within(3_000, runtime.run("Go.", { signal: controller.signal }));
      expect(run).toMatchObject({ status: "aborted", errorCode: "RUN_ABORTED" });
      expect(run.endedAt - run.startedAt).toBeLessThan(1_500);
    }
  });

  it("waits for the grace period and no longer, then says what it left running", async () => {
    const clock = recordingClock({ auto: false });
    const runtime = createRuntime({ model: scriptedModel([never]), clock, graceMs: 70 });
    const pending = runtime.run("Go.");
    await clock.advance(1_000);
    runtime.abort("Enough.");
    await clock.advance(69);
    let isSettled = false;
    void pending.then(() => {
      isSettled = true;
    });
    await settleLoop();
    expect(isSettled).toBe(false);
    await clock.advance(1);
    const run = await pending;
    expect(run.endedAt - run.startedAt).toBe(1_070);
    expect(run).toMatchObject({ error: "Enough.", abandoned: [{ type: "model", name: "scripted" }] });
    expect(clock.pending).toBe(0);
  });

  it("does not wait at all with a grace period of 0", async () => {
    const clock = recordingClock({ auto: false });
    const runtime = createRuntime({ model: scriptedModel([never]), clock, graceMs: 0 });
    const pending = runtime.run("Go.");
    await settleLoop();
    runtime.abort();
    expect(await pending).toMatchObject({ status: "aborted", abandoned: [{ type: "model" }] });
  });

  it("abandons nothing that stops when it is told to", async () => {
    const clock = recordingClock();
    const polite = spyTool("polite", never);
    const tool = {
      ...polite.tool,
      timeoutMs: 50,
      execute: (_args: never, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    };
    const run = await createRuntime({
      model: scriptedModel([callTool("polite", {}, "c1"), "Done."]),
      tools: [tool],
      clock,
    }).run("Go.");
    expect(run).toMatchObject({ status: "completed", answer: "Done." });
    expect(run.abandoned).toBeUndefined();
    expect(failureOf(run, "c1")).toMatchObject({ code: "TOOL_TIMEOUT", kind: "tool" });
  });

  it("drops the late value of a tool and feels nothing of its late rejection", async () => {
    for (const late of [
      (resolve: (value: unknown) => void) => resolve("late"),
      (resolve: (value: unknown) => void) => resolve(Promise.reject(new Error("late"))),
    ]) {
      let release: (value: unknown) => void = () => {};
      const stuck = spyTool(
        "stuck",
        deaf((resolve) => {
          release = resolve;
        }),
      );
      const clock = recordingClock();
      const runtime = createRuntime({
        model: scriptedModel([callTool("stuck", {}, "c1"), "Done."]),
        tools: [stuck.tool],
        clock,
      });
      const events: AgentEvent[] = [];
      runtime.on("*", (event) => events.push(event));
      const run = await runtime.run("Go.");
      const heard = events.length;
      late(release);
      await settleLoop();
      expect(run.answer).toBe("Done.");
      expect(failureOf(run, "c1").code).toBe("TOOL_TIMEOUT");
      expect(run.abandoned).toEqual([{ type: "tool", name: "stuck", callId: "c1" }]);
      expect(events).toHaveLength(heard);
      expect(events.map(({ type }) => type)).toContain("tool:abandoned");
      assertRunInvariants(run, events);
    }
  });

  it("ends at its deadline with RUN_TIMEOUT, whatever hangs", async () => {
    const stuck = spyTool("stuck", never, { timeoutMs: 0 });
    for (const model of [scriptedModel([never]), scriptedModel([callTool("stuck")])]) {
      const clock = recordingClock();
      const run = await createRuntime({ model, tools: [stuck.tool], clock, timeoutMs: 5_000, modelTimeoutMs: 0 }).run(
        "Go.",
      );
      expect(run).toMatchObject({ status: "failed", stopReason: "timeout", errorCode: "RUN_TIMEOUT" });
      expect(run.endedAt - run.startedAt).toBe(5_100);
      assertRunInvariants(run);
    }
  });

  it("gives each model call its own time and tries again after it", async () => {
    const clock = recordingClock();
    const model = scriptedModel([never, "Done."]);
    const run = await createRuntime({ model, clock, modelTimeoutMs: 1_000, random: () => 0 }).run("Go.");
    expect(run).toMatchObject({ status: "completed", answer: "Done.", abandoned: [{ type: "model" }] });
    expect(run.steps[0]).toMatchObject({ attempts: 2, failures: [{ code: "MODEL_TIMEOUT", attempt: 1 }] });
  });

  it("starts nothing with a signal that has fired before", async () => {
    const model = scriptedModel(["Done."]);
    const run = await createRuntime({ model }).run("Go.", { signal: AbortSignal.abort("too late") });
    expect(run).toMatchObject({ status: "aborted", error: "too late", iterations: 0 });
    expect(model.requests).toHaveLength(0);
  });

  it("tells the model and the tool why they are to stop, by the reason of their signal", async () => {
    const reasons: unknown[] = [];
    const remember = (signal: AbortSignal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(new Error("stopped"));
        }),
      );
    const clock = recordingClock();
    const model = scriptedModel([(_request, { signal }) => remember(signal)], { repeatLast: true });
    await createRuntime({ model, clock, modelTimeoutMs: 10, retry: { maxAttempts: 1 } }).run("Go.");
    const runtime = createRuntime({ model, clock: recordingClock({ auto: false }) });
    const pending = runtime.run("Go.");
    await settleLoop();
    runtime.abort("stop");
    await pending;
    expect(reasons).toMatchObject([{ code: "MODEL_TIMEOUT" }, { code: "RUN_ABORTED", message: "stop" }]);
  });

  it("stays usable after an abort", async () => {
    const model = scriptedModel([never, "Done."]);
    const runtime = createRuntime({ model, clock: recordingClock({ auto: false }), graceMs: 0 });
    const context = new AgentContext();
    const pending = runtime.run("Go.", { context });
    await settleLoop();
    runtime.abort();
    expect((await pending).status).toBe("aborted");
    expect(await runtime.run("Again.", { context })).toMatchObject({ status: "completed", answer: "Done." });
  });

  it("starts no tool that a plugin asks for after its call was given up", async () => {
    const { tool, calls } = spyTool("look");
    const clock = recordingClock();
    const runtime = createRuntime({
      clock,
      model: scriptedModel([callTool("look", {}, "c1"), "Done."]),
      tools: [tool],
      plugins: [
        {
          name: "slow",
          wrapTool: async (_call, next) => {
            await new Promise<void>((resolve) => clock.setTimer(120_000, resolve));
            return next();
          },
        },
      ],
    });
    const run = await runtime.run("Go.");
    await clock.advance(200_000);
    expect(failureOf(run, "c1").code).toBe("TOOL_TIMEOUT");
    expect(calls).toHaveLength(0);
  });

  it("starts no model that a plugin asks for after the run", async () => {
    const clock = recordingClock();
    const model = scriptedModel(["Done."]);
    const runtime = createRuntime({
      clock,
      model,
      modelTimeoutMs: 1_000,
      retry: { maxAttempts: 1 },
      plugins: [
        {
          name: "slow",
          wrapModel: async (request, next) => {
            await new Promise<void>((resolve) => clock.setTimer(120_000, resolve));
            return next(request);
          },
        },
      ],
    });
    expect(await runtime.run("Go.")).toMatchObject({ status: "failed", errorCode: "MODEL_TIMEOUT" });
    await clock.advance(200_000);
    expect(model.requests).toHaveLength(0);
  });

  it("does not try for ever to validate arguments", async () => {
    const { tool, calls } = spyTool("t", () => "ok", {
      jsonSchema: { type: "object" },
      parameters: { "~standard": { version: 1, vendor: "own", validate: never } } as never,
    });
    const run = await createRuntime({
      model: scriptedModel([callTool("t", {}, "c1"), "Done."]),
      tools: [tool],
      clock: recordingClock(),
    }).run("Go.");
    expect(failureOf(run, "c1")).toMatchObject({ code: "TOOL_TIMEOUT" });
    expect(calls).toHaveLength(0);
    expect(run.answer).toBe("Done.");
  });

  it("reads the usage of an answer that is no answer without being felt", async () => {
    const hostile = () => ({
      content: 7,
      get usage() {
        throw new ModelError("hidden");
      },
    });
    const events: AgentEvent[] = [];
    const runtime = createRuntime({ model: hostile as never, clock: recordingClock() });
    runtime.on("*", (event) => events.push(event));
    const run = await runtime.run("Go.");
    expect(run).toMatchObject({ status: "failed", errorCode: "MODEL_BAD_RESPONSE", errorKind: "model" });
    assertRunInvariants(run, events);
  });
});
