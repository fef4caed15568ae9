import { type AgentEvent, createRuntime, type ToolContext } from "harness-kit";
import { callTool, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it, vi } from "vitest";
import { isToolOutcome } from "../../src/runtime/execute-tool.ts";
import { resultOf, settleLoop, spyTool } from "./helpers.ts";

interface Seen {
  readonly contexts: ToolContext[];
  readonly events: AgentEvent[];
}

/** Runs one call of a tool and looks at what the tool is given. */
async function called(execute: (context: ToolContext) => unknown, more: object = {}, options: object = {}) {
  const seen: Seen = { contexts: [], events: [] };
  const tool = {
    ...spyTool("look", () => undefined, more).tool,
    execute: (_args: unknown, context: ToolContext) => {
      seen.contexts.push(context);
      return execute(context);
    },
  };
  const model = scriptedModel([callTool("look", {}, "c1"), "Done."]);
  const runtime = createRuntime({ model, tools: [tool], clock: recordingClock(), random: () => 0.5, ...options });
  runtime.on("*", (event) => seen.events.push(event));
  const run = await runtime.run("Go.");
  const context = seen.contexts[0] as ToolContext;
  return { run, context, ...seen };
}

describe("what a tool is given", () => {
  it("is who it is called by, and when it has to be ready", async () => {
    const { run, context } = await called(() => "ok", { timeoutMs: 3_000 }, { timeoutMs: 20_000 });
    expect(context).toMatchObject({ runId: run.id, callId: "c1", attempt: 1, idempotencyKey: `${run.id}/c1` });
    expect(context.deadline).toBe(run.startedAt + 3_000);
    const ofRun = await called(() => "ok", { timeoutMs: 30_000 }, { timeoutMs: 20_000 });
    expect(ofRun.context.deadline).toBe(ofRun.run.startedAt + 20_000);
    const untimed = await called(() => "ok", { timeoutMs: 0 }, { timeoutMs: 0 });
    expect(untimed.context.deadline).toBe(Number.POSITIVE_INFINITY);
  });

  it("is one key for all tries of a call", async () => {
    const busy = Object.assign(new Error("busy"), { code: "ECONNRESET" });
    let tries = 0;
    const execute = () => (++tries < 3 ? Promise.reject(busy) : "ok");
    const { run, contexts } = await called(execute, { idempotent: true });
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(contexts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    const step = run.steps.find(({ type }) => type === "tool");
    expect(step).toMatchObject({ attempts: 3, failures: [{ attempt: 1 }, { attempt: 2 }] });
  });

  it("is a signal of the call's own, the same each time it is read, quiet after a good end", async () => {
    const { context } = await called(({ signal }) => {
      expect(signal.aborted).toBe(false);
      return "ok";
    });
    expect(context.signal).toBe(context.signal);
    await settleLoop();
    expect(context.signal.aborted).toBe(false);
  });

  it("is a function that reports progress as JSON, as long as the call runs", async () => {
    const { context, events } = await called(async ({ report }) => {
      report({ done: 1n, when: new Date(0) });
      await Promise.resolve();
      report("half");
      return "ok";
    });
    const told = () => events.filter(({ type }) => type === "tool:progress");
    const data = [{ done: "1", when: "1970-01-01T00:00:00.000Z" }, "half"];
    expect(told()).toMatchObject(data.map((each) => ({ callId: "c1", data: each })));
    context.report("too late");
    expect(told()).toHaveLength(2);
  });

  it("asks nothing of what is reported where nobody listens", async () => {
    const toJSON = vi.fn(() => "read");
    const tool = { ...spyTool("look").tool, execute: (_: unknown, { report }: ToolContext) => report({ toJSON }) };
    const runtime = createRuntime({ model: scriptedModel([callTool("look"), "Done."]), tools: [tool] });
    runtime.on("tool:end", () => {});
    await runtime.run("Go.");
    expect(toJSON).not.toHaveBeenCalled();
  });
});

describe("a tool that comes back at once and one that takes its time", () => {
  it.each([
    ["a value", () => "ok", { ok: true, value: "ok" }],
    ["nothing", () => undefined, { ok: true, value: null }],
    ["an error", () => Promise.reject(new Error("no")), { ok: false, error: "no", kind: "tool", code: "TOOL_THREW" }],
  ])("give one and the same record: %s", async (_name, answer, expected) => {
    const now = await called(() => {
      const given = answer();
      if (!(given instanceof Promise)) return given;
      given.catch(() => {});
      throw new Error("no");
    });
    const later = await called(async () => {
      await Promise.resolve();
      return answer();
    });
    expect(resultOf(now.run, "c1")).toMatchObject(expected);
    expect(resultOf(later.run, "c1")).toMatchObject(expected);
    expect(now.events.map(({ type }) => type)).toEqual(later.events.map(({ type }) => type));
    expect(now.run.history).toEqual(later.run.history);
  });

  it("may stop the run from inside of the call", async () => {
    const controller = new AbortController();
    const tool = { ...spyTool("look").tool, execute: () => controller.abort(new Error("enough")) };
    const model = scriptedModel([
      callTools({ id: "a", name: "look", arguments: {} }, { id: "b", name: "look", arguments: {} }),
    ]);
    const runtime = createRuntime({ model, tools: [tool], clock: recordingClock() });
    const run = await runtime.run("Go.", { signal: controller.signal });
    expect(run).toMatchObject({ status: "aborted", errorCode: "RUN_ABORTED" });
    expect([resultOf(run, "a"), resultOf(run, "b")]).toMatchObject([{ code: "RUN_ABORTED" }, { code: "RUN_ABORTED" }]);
    expect(model.requests).toHaveLength(1);
  });
});

describe("an outcome of a tool", () => {
  it("is told from anything else", () => {
    const outcome = { result: { ok: true, value: 1 }, attempts: 1, failures: [], startedAt: 0, durationMs: 0 };
    expect(isToolOutcome(outcome)).toBe(true);
    expect(isToolOutcome({ ...outcome, result: { ok: false, error: "no", kind: "tool", retryable: false } })).toBe(
      true,
    );
    for (const result of [undefined, null, "ok", {}, { ok: "yes" }, [], () => true])
      expect(isToolOutcome({ ...outcome, result })).toBe(false);
    for (const failures of [undefined, null, {}, "none"]) expect(isToolOutcome({ ...outcome, failures })).toBe(false);
  });
});
