import { getEventListeners } from "node:events";
import { AgentContext, type AgentEvent, assertWellFormed, createRuntime, defineTool } from "harness-kit";
import { assertRunInvariants, callTool, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { failureOf, play, resultOf, settleLoop, spyTool, within } from "./helpers.ts";

const failing = (status: number, more: object = {}) =>
  Object.assign(new Error(`status ${status}`), { status, ...more });
const never = () => new Promise<never>(() => {});

describe("faults reported on other runtimes: the loop", () => {
  it("HK-023: keeps an empty reply out of the history and says that it was one", async () => {
    const context = new AgentContext();
    const model = scriptedModel(["", "ok"]);
    const runtime = createRuntime({ model });
    const first = await runtime.run("Go.", { context });
    expect(first).toMatchObject({ status: "completed", incomplete: true, answer: "" });
    const second = await runtime.run("Go on.", { context });
    expect(second).toMatchObject({ status: "completed", answer: "ok" });
    assertWellFormed(model.requests[1]?.messages ?? []);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("HK-045: keeps the message of a nested error payload", async () => {
    const rejection = () => Promise.reject({ name: "RetryTimeout", data: { message: "gave up after 7 days" } });
    const { run } = await play([rejection], {}, { repeatLast: true });
    expect(run.errorKind).toBe("model");
    expect(run.error).toContain("gave up after 7 days");
    expect(run.steps.at(-1)).toMatchObject({ type: "error", message: run.error });
  });

  it("HK-063: ends a run that repeats one call, after telling the model once", async () => {
    const { tool, calls } = spyTool("look", () => "nothing new");
    const { run, model } = await play([callTool("look", { q: 1 })], { tools: [tool] }, { repeatLast: true });
    expect(run).toMatchObject({ status: "failed", stopReason: "noProgress", errorCode: "RUN_NO_PROGRESS" });
    expect(calls.length).toBeLessThanOrEqual(5);
    const notes = run.history.filter(({ role, content }) => role === "tool" && String(content).includes("[note:"));
    expect(notes).toHaveLength(1);
    expect(model.requests.at(-1)?.messages).toContain(notes[0]);
  });

  it("HK-065: tells a run that ran out of turns from one that finished", async () => {
    const { tool } = spyTool("look", () => Math.random());
    const context = new AgentContext();
    const model = scriptedModel([
      callTool("look", { q: 1 }),
      callTool("look", { q: 2 }),
      callTool("look", { q: 3 }),
      "Done.",
    ]);
    const runtime = createRuntime({ model, tools: [tool], maxSteps: 3 });
    const ends: AgentEvent[] = [];
    runtime.on("run:end", (event) => ends.push(event));
    const run = await runtime.run("Go.", { context });
    expect(model.requests).toHaveLength(3);
    expect(run).toMatchObject({ status: "completed", stopReason: "maxSteps", incomplete: true, iterations: 3 });
    expect(run.steps.at(-1)).toMatchObject({ type: "finish", stopReason: "maxSteps" });
    expect(ends).toMatchObject([{ stopReason: "maxSteps" }]);
    assertWellFormed(run.history);
    expect(await runtime.run("Go on.", { context })).toMatchObject({ stopReason: "finished", answer: "Done." });
  });

  it("HK-109: keeps two runs of one runtime apart, also when one is aborted", async () => {
    const clock = recordingClock({ auto: false });
    const echo = defineTool({
      name: "echo",
      description: "Echoes.",
      parameters: z.object({ text: z.string() }),
      execute: ({ text }) => new Promise((resolve) => clock.setTimer(10, () => resolve(text))),
    });
    const model = scriptedModel(
      [
        ({ messages }) => {
          const asked = String(messages[0]?.content);
          return messages.length === 1 ? callTool("echo", { text: asked }) : `${asked} is done`;
        },
      ],
      { repeatLast: true },
    );
    const runtime = createRuntime({ model, tools: [echo], clock });
    const events: AgentEvent[] = [];
    runtime.on("*", (event) => events.push(event));
    const controller = new AbortController();
    const runs = Promise.all([
      runtime.run("A", { runId: "run-a", signal: controller.signal }),
      runtime.run("B", { runId: "run-b" }),
    ]);
    await settleLoop();
    controller.abort();
    await clock.advance(500);
    const [a, b] = await runs;
    expect(a).toMatchObject({ status: "aborted", id: "run-a" });
    expect(b).toMatchObject({ status: "completed", answer: "B is done", id: "run-b" });
    expect(JSON.stringify(b.history)).not.toContain('"A');
    assertRunInvariants(
      a,
      events.filter(({ runId }) => runId === "run-a"),
    );
    assertRunInvariants(
      b,
      events.filter(({ runId }) => runId === "run-b"),
    );
  });
});

describe("faults reported on other runtimes: retries", () => {
  it.each<[string, Error]>([
    [
      "overflow",
      Object.assign(new Error("maximum context length exceeded"), { status: 400, code: "context_length_exceeded" }),
    ],
    ...[401, 403, 404, 422].map((status) => [String(status), failing(status)] as [string, Error]),
  ])("HK-047: asks once after a failure that stays: %s", async (_name, error) => {
    const { run, model } = await play([error], {}, { repeatLast: true });
    expect(model.requests).toHaveLength(1);
    expect(run).toMatchObject({ status: "failed", errorKind: "model" });
    expect(run.steps.at(-1)).toMatchObject({ type: "error", retryable: false, retryState: "not_retryable" });
  });

  it.each<[string, Error]>([
    ...[500, 502, 503, 529].map((status) => [String(status), failing(status)] as [string, Error]),
    ["ECONNRESET", Object.assign(new Error("reset"), { code: "ECONNRESET" })],
  ])("HK-047: asks again after a failure that passes: %s", async (_name, error) => {
    const { run, model } = await play([error], {}, { repeatLast: true });
    expect(model.requests).toHaveLength(3);
    expect(run.steps.at(-1)).toMatchObject({ type: "error", retryState: "attempts_exhausted", attempts: 3 });
  });

  it.each([
    ["a plain object", { "retry-after": "1" }],
    ["Headers", new Headers({ "retry-after": "1" })],
  ])("HK-049: waits as long as the provider asked, given as %s", async (_name, headers) => {
    const clock = recordingClock();
    const at: number[] = [];
    const limited = () => {
      at.push(clock.now());
      throw failing(429, { headers });
    };
    const model = scriptedModel([
      limited,
      limited,
      () => {
        at.push(clock.now());
        return "Done.";
      },
    ]);
    const runtime = createRuntime({ model, clock, retry: { baseMs: 1 } });
    const delays: number[] = [];
    runtime.on("model:retry", ({ delayMs }) => delays.push(delayMs));
    const run = await runtime.run("Go.");
    expect(run.status).toBe("completed");
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(gaps).toHaveLength(2);
    for (const gap of [...gaps, ...delays]) {
      expect(gap).toBeGreaterThanOrEqual(950);
      expect(gap).toBeLessThan(2_000);
    }
  });
});

describe("faults reported on other runtimes: aborts", () => {
  it("HK-029: answers calls that an abort came before, so that the context goes on", async () => {
    const context = new AgentContext();
    const controller = new AbortController();
    const a = spyTool("a", () => {
      controller.abort();
      return never();
    });
    const b = spyTool("b");
    const model = scriptedModel([
      callTools({ id: "A", name: "a", arguments: {} }, { id: "B", name: "b", arguments: {} }),
      "Continued.",
    ]);
    const runtime = createRuntime({ model, tools: [a.tool, b.tool], concurrency: 1, clock: recordingClock() });
    const run = await runtime.run("Go.", { context, signal: controller.signal });
    expect(run.status).toBe("aborted");
    expect(failureOf(run, "A").error).toMatch(/cancelled/);
    expect(failureOf(run, "B").error).toMatch(/not run/i);
    expect(b.calls).toHaveLength(0);
    expect(await runtime.run("continue", { context })).toMatchObject({ status: "completed", answer: "Continued." });
    assertWellFormed(model.requests[1]?.messages ?? []);
  });

  it("HK-051: settles at once when the abort comes during the wait before a retry", async () => {
    const model = scriptedModel([failing(503)], { repeatLast: true });
    const runtime = createRuntime({ model, retry: { baseMs: 3_000 }, random: () => 0.999 });
    const controller = new AbortController();
    const started = Date.now();
    setTimeout(() => controller.abort(), 100);
    const run = await runtime.run("Go.", { signal: controller.signal });
    expect(Date.now() - started).toBeLessThan(1_500);
    expect(run.status).toBe("aborted");
    expect(run.steps.at(-1)).toMatchObject({ retryState: "aborted", attempts: 1 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(model.requests).toHaveLength(1);
  });

  it("HK-053: takes the error that an adapter throws after an abort for the abort", async () => {
    const controller = new AbortController();
    const model = scriptedModel([
      (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")));
          controller.abort();
        }),
    ]);
    const run = await createRuntime({ model, clock: recordingClock() }).run("Go.", { signal: controller.signal });
    expect(run).toMatchObject({ status: "aborted", stopReason: "aborted", errorKind: "runtime" });
    expect(model.requests).toHaveLength(1);
  });

  it("HK-055: settles although a tool ignores its signal for ever", async () => {
    const stuck = spyTool("stuck", never);
    const later = spyTool("later");
    const model = scriptedModel([
      callTools({ id: "1", name: "stuck", arguments: {} }, { id: "2", name: "later", arguments: {} }),
    ]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const runtime = createRuntime({ model, tools: [stuck.tool, later.tool], concurrency: 1 });
    const run = await within(3_000, runtime.run("Go.", { signal: controller.signal }));
    expect(run).toMatchObject({ status: "aborted", abandoned: [{ type: "tool", name: "stuck", callId: "1" }] });
    assertRunInvariants(run);
    expect(later.calls).toHaveLength(0);
  });

  it("HK-059: leaves no listener on the caller's signal and never warns of too many", async () => {
    const warned = vi.fn();
    process.on("warning", warned);
    const { tool } = spyTool("look", () => Math.random());
    const asks = Array.from({ length: 60 }, (_, turn) =>
      callTools(...[1, 2].map((n) => ({ id: `${turn}-${n}`, name: "look", arguments: { turn, n } }))),
    );
    const { signal } = new AbortController();
    const runtime = createRuntime({ model: scriptedModel([...asks, "Done."]), tools: [tool], maxSteps: 100 });
    expect(await runtime.run("Go.", { signal })).toMatchObject({ status: "completed", iterations: 61 });
    await Promise.all(
      Array.from({ length: 20 }, () => createRuntime({ model: () => never(), timeoutMs: 5 }).run("Go.", { signal })),
    );
    await settleLoop();
    process.off("warning", warned);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(warned).not.toHaveBeenCalled();
  });

  it("HK-095: denies a call whose approval never comes, and settles when the run is aborted meanwhile", async () => {
    const { tool, calls } = spyTool("rm", () => "gone", { access: "exec" });
    const controller = new AbortController();
    const runtime = createRuntime({
      model: scriptedModel([callTool("rm", {}, "c1")]),
      tools: [tool],
      permission: () => {
        controller.abort("No time.");
        return never();
      },
      clock: recordingClock(),
    });
    const run = await runtime.run("Go.", { signal: controller.signal });
    expect(run.status).toBe("aborted");
    expect(failureOf(run, "c1")).toMatchObject({ kind: "permission", retryable: false });
    expect(calls).toHaveLength(0);
    assertRunInvariants(run);
  });
});

describe("faults reported on other runtimes: listeners, schemas and contexts", () => {
  it("HK-107: goes on when listeners throw, reject or take themselves off", async () => {
    const { tool } = spyTool("look", () => "seen");
    const runtime = createRuntime({ model: scriptedModel([callTool("look", {}, "c1"), "Done."]), tools: [tool] });
    const reported: string[] = [];
    let heard = 0;
    runtime.on("tool:end", () => {
      throw new Error("listener one");
    });
    runtime.on("step", async () => {
      throw new Error("listener two");
    });
    const off: () => void = runtime.on("tool:end", () => off());
    runtime.on("tool:end", () => heard++);
    runtime.on("listener:error", ({ error }) => reported.push(error));
    const run = await runtime.run("Go.");
    expect(run.status).toBe("completed");
    expect(resultOf(run, "c1")).toMatchObject({ ok: true, value: "seen" });
    expect(heard).toBe(1);
    expect(reported).toContain("listener one");
    expect(reported).toContain("listener two");
  });

  it("HK-097: shows both branches of a schema whose root is a union", () => {
    const { tool } = spyTool("either", () => "ok", {
      parameters: z.discriminatedUnion("op", [
        z.object({ op: z.literal("a"), id: z.string() }),
        z.object({ op: z.literal("b"), q: z.string() }),
      ]),
    });
    const { registry } = createRuntime({ model: scriptedModel(["x"]), tools: [tool, spyTool("other").tool] });
    const [shown, other] = registry.list();
    expect(shown?.parameters["type"]).toBe("object");
    expect(JSON.stringify(shown?.parameters)).toMatch(/"id".*"q"/);
    expect(other?.name).toBe("other");
  });

  it("HK-099: does not show a field with a default as required", async () => {
    const { tool, calls } = spyTool("t", () => "ok", {
      parameters: z.object({ n: z.number().default(5), o: z.string().optional() }),
    });
    const { model } = await play([callTool("t", {}), "Done."], { tools: [tool] });
    expect(model.requests[0]?.tools[0]?.parameters["required"] ?? []).toEqual([]);
    expect(calls).toEqual([{ n: 5 }]);
  });

  it("HK-101: shows no reference that leads nowhere", () => {
    const colour = z.enum(["x", "y"]);
    const tree: z.ZodType = z.object({ name: z.string(), children: z.array(z.lazy(() => tree)) });
    const { tool } = spyTool("t", () => "ok", {
      parameters: z.object({ a: z.array(z.object({ e: colour })), b: z.array(z.object({ e: colour })), tree }),
    });
    const { registry } = createRuntime({ model: scriptedModel(["x"]), tools: [tool] });
    const root = registry.list()[0]?.parameters as Record<string, unknown>;
    const text = JSON.stringify(root);
    for (const [, path = ""] of text.matchAll(/"\$ref":"#([^"]*)"/g)) {
      const target = path
        .split("/")
        .slice(1)
        .reduce<unknown>((at, key) => Reflect.get(at as object, key), root);
      expect(target, path).toBeTypeOf("object");
    }
    expect(text.match(/"enum":\["x","y"\]/g)?.length).toBe(2);
  });

  it("HK-105: refuses names that no provider takes, by name, and keeps the other tools", () => {
    const { registry } = createRuntime({ model: scriptedModel(["x"]), tools: [spyTool("t").tool] });
    expect(() => registry.register(spyTool("a".repeat(65)).tool)).toThrow(/64/);
    expect(() => registry.register(spyTool("").tool)).toThrow(TypeError);
    registry.register(spyTool("a".repeat(64)).tool);
    const first = registry.get("t");
    expect(() => registry.register(spyTool("t").tool)).toThrow(/"t"/);
    expect(registry.get("t")).toBe(first);
    expect(registry.list()).toHaveLength(2);
  });

  it("HK-031: never sends a result whose call was trimmed away", async () => {
    const whole = [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "p", name: "t", arguments: {} },
          { id: "q", name: "t", arguments: {} },
        ],
      },
      { role: "tool", toolCallId: "p", name: "t", content: "1" },
      { role: "tool", toolCallId: "q", name: "t", content: "2" },
      { role: "assistant", content: "text" },
      { role: "user", content: "Go on." },
    ] as const;
    for (const kept of [4, 3]) {
      const model = scriptedModel(["Done."]);
      const run = await createRuntime({ model }).run(whole.slice(-kept));
      expect(run).toMatchObject({ status: "failed", errorKind: "context", errorCode: "CONTEXT_INVALID_MESSAGE" });
      expect(run.error).toContain(kept === 4 ? '"p"' : '"q"');
      expect(model.requests).toHaveLength(0);
    }
  });

  it("HK-113: refuses a snapshot of a newer version and changes nothing", () => {
    const context = new AgentContext().add({ role: "user", content: "Hello." });
    const snapshot = JSON.parse(JSON.stringify(context.snapshot()));
    for (const schemaVersion of [999, undefined, "1"]) {
      const given = { ...snapshot, schemaVersion };
      const before = structuredClone(given);
      expect(() => AgentContext.restore(given)).toThrow(expect.objectContaining({ kind: "context", retryable: false }));
      expect(given).toEqual(before);
    }
    expect(() => AgentContext.restore({ ...snapshot, schemaVersion: 999 })).toThrow(/999.*1/);
    expect(AgentContext.restore({ ...snapshot, extra: true }).messages).toEqual(context.messages);
  });
});
