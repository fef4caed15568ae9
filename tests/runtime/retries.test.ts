import { createRuntime, ModelError, type RuntimeOptions, ToolError } from "harness-kit";
import { callTool, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { failureOf, play, resultOf, spyTool } from "./helpers.ts";
import { unavailable } from "./scenarios.ts";

/** Runs a script and hears the events of some types, without what every event has. */
async function heard(types: readonly string[], script: Parameters<typeof play>[0], options: Partial<RuntimeOptions>) {
  const model = scriptedModel(script, { repeatLast: true });
  const runtime = createRuntime({ model, clock: recordingClock(), random: () => 0.5, ...options });
  const events: object[] = [];
  runtime.on("*", ({ runId: _run, seq: _seq, at: _at, ...event }) => {
    if (types.includes(event.type)) events.push(event);
  });
  return { run: await runtime.run("Go."), events, model };
}

describe("a model call that is tried again", () => {
  it("is told before the wait, with what the provider asked for only where it did", async () => {
    const asked = Object.assign(new Error("slow down"), { status: 429, headers: { "retry-after": "2" } });
    const { events, run } = await heard(["model:retry"], [asked, unavailable(), "Done."], {
      retry: { maxAttempts: 3, baseMs: 100 },
    });
    expect(run.status).toBe("completed");
    expect(events).toEqual([
      {
        type: "model:retry",
        attempt: 1,
        maxAttempts: 3,
        delayMs: expect.any(Number),
        retryAfterMs: 2_000,
        code: "MODEL_RATE_LIMITED",
        message: expect.any(String),
        budgetLeft: expect.any(Number),
      },
      expect.objectContaining({ type: "model:retry", attempt: 2, code: "MODEL_OVERLOADED" }),
    ]);
    expect(events[0]).toMatchObject({ delayMs: expect.toSatisfy((ms: number) => ms >= 2_000) });
    expect(events[1]).not.toHaveProperty("retryAfterMs");
  });

  it("is not handed over for what is no failure of a model", async () => {
    const second = scriptedModel(["Second."], { repeatLast: true });
    const plugin = {
      name: "broken",
      wrapModel: () => () => Promise.reject(new Error("plugin down")),
    };
    const { run } = await play([unavailable()], { fallback: [second], plugins: [plugin as never] });
    expect(run.status).toBe("failed");
    expect(run.errorKind).not.toBe("model");
    expect(second.requests).toHaveLength(0);
  });

  it("is not handed over behind half an answer that somebody has read", async () => {
    const second = scriptedModel(["Second."], { repeatLast: true });
    const model = {
      generate: () => Promise.reject(new Error("This model streams.")),
      async *stream() {
        yield { type: "text", text: "half" } as const;
        throw new ModelError("cut", { code: "MODEL_NETWORK" });
      },
    };
    const runtime = createRuntime({ model, fallback: [second], clock: recordingClock() });
    const stream = runtime.stream("Go.");
    for await (const _ of stream);
    expect(await stream.result).toMatchObject({ status: "failed", errorCode: "MODEL_STREAM_INTERRUPTED" });
    expect(second.requests).toHaveLength(0);
    const plain = await createRuntime({
      model,
      fallback: [second],
      clock: recordingClock(),
      retry: { maxAttempts: 1 },
    }).run("Go.");
    expect(plain).toMatchObject({ status: "completed", answer: "Second." });
  });

  it("says from which model to which, by what", async () => {
    const refused = new ModelError("no key", { code: "MODEL_AUTH" });
    const names = ["b", "c"].map((name) => scriptedModel(name === "c" ? ["Done."] : [refused], { name }));
    const { events } = await heard(["model:fallback"], [refused], { fallback: names });
    expect(events).toEqual([
      { type: "model:fallback", from: "scripted", to: "b", code: "MODEL_AUTH" },
      { type: "model:fallback", from: "b", to: "c", code: "MODEL_AUTH" },
    ]);
  });
});

describe("a tool call that is tried again", () => {
  const flaky = (failures: number, error: () => unknown, more = {}) => {
    let tries = 0;
    return spyTool(
      "t",
      () => {
        if (tries++ < failures) throw error();
        return "ok";
      },
      { idempotent: true, ...more },
    );
  };
  const busy = () => new ToolError("busy", { code: "TOOL_FAILED", retryable: true });

  it("is told before the wait and stands in the record", async () => {
    const { tool, calls } = flaky(2, busy);
    const { run, events } = await heard(["tool:retry"], [callTool("t", {}, "c1"), "Done."], {
      tools: [tool],
      retry: { maxAttempts: 3 },
    });
    expect(calls).toHaveLength(3);
    const told = { type: "tool:retry", callId: "c1", maxAttempts: 3, code: "TOOL_FAILED", message: "busy" };
    expect(events).toEqual([
      { ...told, attempt: 1, delayMs: expect.any(Number), budgetLeft: expect.any(Number) },
      { ...told, attempt: 2, delayMs: expect.any(Number), budgetLeft: expect.any(Number) },
    ]);
    const step = run.steps.find((each) => each.type === "tool");
    expect(step).toMatchObject({
      attempts: 3,
      failures: [
        { attempt: 1, code: "TOOL_FAILED", message: "busy" },
        { attempt: 2, code: "TOOL_FAILED", message: "busy" },
      ],
    });
    const waited = events.reduce((sum, event) => sum + Number(Reflect.get(event, "delayMs")), 0);
    expect(step).toMatchObject({ durationMs: waited });
  });

  it("is one that came back as failed as well, by what it says of itself", async () => {
    let tries = 0;
    const answer = () =>
      tries++ === 0 ? { ok: false, error: "busy", kind: "tool", code: "TOOL_FAILED", retryable: true } : "ok";
    const { tool } = spyTool("t", answer, { idempotent: true });
    const { run } = await play([callTool("t", {}, "c1"), "Done."], { tools: [tool] });
    expect([tries, resultOf(run, "c1")]).toEqual([2, expect.objectContaining({ ok: true })]);
  });

  it("is none that the end of the run stopped", async () => {
    const controller = new AbortController();
    const { tool, calls } = flaky(9, () => {
      controller.abort("enough");
      return busy();
    });
    const runtime = createRuntime({
      model: scriptedModel([callTool("t", {}, "c1")]),
      tools: [tool],
      clock: recordingClock(),
    });
    const run = await runtime.run("Go.", { signal: controller.signal });
    expect([run.status, calls.length]).toEqual(["aborted", 1]);
  });

  it("is one that took too long, if it may be repeated, and says so", async () => {
    for (const idempotent of [true, false]) {
      const { tool, calls } = spyTool("t", () => new Promise(() => {}), { idempotent, timeoutMs: 50 });
      const { run } = await play([callTool("t", {}, "c1"), "Done."], { tools: [tool], retry: { maxAttempts: 2 } });
      expect(calls).toHaveLength(idempotent ? 2 : 1);
      expect(failureOf(run, "c1")).toMatchObject({
        code: "TOOL_TIMEOUT",
        retryable: idempotent,
        error: 'The tool "t" did not finish within 50 ms and was stopped; what it did until then is unknown.',
      });
    }
  });

  it("has no failures in the record where it went well, or was never started", async () => {
    const { run } = await play([callTool("t", {}, "c1"), callTool("t", "{broken", "c2"), "Done."], {
      tools: [flaky(0, busy).tool],
    });
    const steps = run.steps.filter((step) => step.type === "tool");
    expect(steps.map((step) => [step.attempts, "failures" in step])).toEqual([
      [1, false],
      [0, false],
    ]);
  });
});

describe("the end of an answer", () => {
  it.each([
    ["length", "Cut.", true],
    ["filtered", "Held back.", true],
    ["stop", "Whole.", undefined],
    ["stop", "", true],
  ] as const)("by %s with %j", async (finishReason, content, incomplete) => {
    const { run } = await play([{ content, finishReason }]);
    expect(run).toMatchObject({ status: "completed", answer: content });
    expect(run.incomplete).toBe(incomplete);
  });

  it("is a denial where three calls in a row were denied", async () => {
    const { run } = await play(
      [callTool("t", {}, "")],
      { tools: [spyTool("t").tool], permission: () => ({ decision: "deny" }) },
      { repeatLast: true },
    );
    expect(run).toMatchObject({ status: "failed", stopReason: "permission", errorKind: "permission" });
    expect(run.steps.filter((step) => step.type === "tool")).toHaveLength(3);
  });

  it("is announced: the model reads the note, the host gets an event", async () => {
    const { events, model } = await heard(["limit:warning"], [callTool("t", {}, "")], {
      tools: [spyTool("t", () => "same").tool],
    });
    expect(events).toEqual([
      { type: "limit:warning", limit: "identicalCalls", message: expect.stringContaining("the same result 3 times") },
    ]);
    const notes = model.requests.map(({ messages }) => String(messages.at(-1)?.content).includes("[note: this call"));
    expect(notes).toEqual([false, false, false, true, false]);
  });
});
