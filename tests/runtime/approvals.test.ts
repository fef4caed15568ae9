import { type AgentEvent, type AgentRun, assertWellFormed, createRuntime, defineTool, parseRun } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { assertRunInvariants, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

type GateOptions = Parameters<typeof createGate>[0];

/** A tool that remembers what it was called with. */
function sender() {
  const sent: unknown[] = [];
  const tool = defineTool({
    name: "send",
    description: "Send a mail.",
    access: "write",
    parameters: z.object({ to: z.string() }),
    execute: (args) => {
      sent.push(args);
      return `sent to ${args.to}`;
    },
  });
  return { tool, sent };
}

const look = defineTool({ name: "look", description: "Look.", parameters: z.object({}), execute: () => "seen" });

const asksBeforeSending: GateOptions["rules"] = [
  { id: "look", tool: "look", decision: "allow" },
  { id: "send", tool: "send", decision: "ask", reason: "Mails are approved by hand." },
];

const lookAndSend = (to = "ada") =>
  callTools({ id: "c1", name: "look", arguments: {} }, { id: "c2", name: "send", arguments: { to } });

function setUp(options: Partial<GateOptions> = {}) {
  const { tool, sent } = sender();
  const model = scriptedModel([lookAndSend(), "Done."]);
  const gate = createGate({ rules: asksBeforeSending, onAsk: "pause", ...options });
  return { sent, model, runtime: createRuntime({ model, tools: [look, tool], permission: gate }) };
}

const throughJson = (run: AgentRun): AgentRun => parseRun(JSON.stringify(run));
const idOf = (run: AgentRun): string => run.pending?.[0]?.id ?? "none";

describe("an approver", () => {
  it("is asked with what will run, and its yes lets exactly that run", async () => {
    const asked: unknown[] = [];
    const { runtime, sent } = setUp({
      onAsk: (request) => {
        asked.push([request.tool, request.arguments, request.reason, request.display.title]);
        return { decision: "allow" };
      },
    });
    const run = await runtime.run("Send it.");
    expect(asked).toEqual([["send", { to: "ada" }, "Mails are approved by hand.", expect.stringContaining("send")]]);
    expect(sent).toEqual([{ to: "ada" }]);
    expect(run).toMatchObject({ status: "completed", answer: "Done." });
    expect(run.steps).toContainEqual(
      expect.objectContaining({ type: "permission", callId: "c2", decision: "allow", by: "approver" }),
    );
  });

  it("denies by its no, with the reason that it gives", async () => {
    const { runtime, sent } = setUp({ onAsk: () => ({ decision: "deny", reason: "not to ada" }) });
    const run = await runtime.run("Send it.");
    expect(sent).toEqual([]);
    expect(run.steps).toContainEqual(
      expect.objectContaining({
        type: "tool",
        result: expect.objectContaining({ ok: false, kind: "permission", error: "not to ada" }),
      }),
    );
  });

  it.each([
    ["throws", () => Promise.reject(new Error("offline")), "PERMISSION_APPROVER_FAILED"],
    ["answers nonsense", () => "yes" as never, "PERMISSION_APPROVER_FAILED"],
  ])("denies when it %s", async (_name, onAsk, code) => {
    const { runtime, sent } = setUp({ onAsk });
    const run = await runtime.run("Send it.");
    expect(sent).toEqual([]);
    expect(run.steps).toContainEqual(
      expect.objectContaining({ result: expect.objectContaining({ kind: "permission", code }) }),
    );
  });

  it("denies when no answer comes in time, and the wait does not count against the deadline of the run", async () => {
    const clock = recordingClock({ auto: false });
    const { tool, sent } = sender();
    const gate = createGate({
      rules: asksBeforeSending,
      onAsk: () => new Promise(() => {}),
      approverTimeoutMs: 5_000,
      ruleTimeoutMs: 0,
    });
    const model = scriptedModel([lookAndSend(), "Done."]);
    const running = createRuntime({ model, tools: [look, tool], permission: gate, clock, timeoutMs: 1_000 }).run(
      "Send it.",
    );
    for (let i = 0; i < 20; i++) await clock.advance(300);
    const run = await running;
    expect(sent).toEqual([]);
    expect(run).toMatchObject({ status: "completed", answer: "Done." });
    expect(run.steps).toContainEqual(
      expect.objectContaining({ result: expect.objectContaining({ code: "PERMISSION_TIMEOUT" }) }),
    );
  });

  it("is not waited for after an abort", async () => {
    const controller = new AbortController();
    const { runtime, sent } = setUp({
      onAsk: () => {
        setTimeout(() => controller.abort("enough"), 5);
        return new Promise(() => {});
      },
    });
    const run = await runtime.run("Send it.", { signal: controller.signal });
    expect(sent).toEqual([]);
    expect(run).toMatchObject({ status: "aborted", errorCode: "RUN_ABORTED" });
    assertWellFormed(run.history);
  });

  it("is not asked again for what it wanted remembered", async () => {
    let asked = 0;
    const { tool, sent } = sender();
    const onAsk = () => {
      asked++;
      return { decision: "allow" as const, remember: { type: "exact" as const } };
    };
    const gate = createGate({ rules: asksBeforeSending, onAsk });
    const send = (id: string, to: string) => callTools({ id, name: "send", arguments: { to } });
    const model = scriptedModel([send("c1", "ada"), send("c2", "ada"), send("c3", "bob"), "Done."]);
    await createRuntime({ model, tools: [tool], permission: gate }).run("Send it.");
    expect(asked).toBe(2);
    expect(sent).toHaveLength(3);
  });
});

describe("what an approver wants remembered", () => {
  it.each([
    ["with its no", { decision: "deny" as const, remember: { type: "exact" as const } }, 0],
    ["in words that no grant has", { decision: "allow" as const, remember: { type: "all" } as never }, 2],
  ])("is not kept %s, and the next call is asked about again", async (_name, answer, runs) => {
    let asked = 0;
    const { tool, sent } = sender();
    const onAsk = () => {
      asked++;
      return answer;
    };
    const send = (id: string) => callTools({ id, name: "send", arguments: { to: "ada" } });
    const model = scriptedModel([send("c1"), send("c2"), "Done."]);
    const permission = createGate({ rules: asksBeforeSending, onAsk });
    await createRuntime({ model, tools: [tool], permission }).run("Send it.");
    expect([asked, sent.length]).toEqual([2, runs]);
  });
});

describe("a denial of the gate", () => {
  it("keeps the code that the gate gives it", async () => {
    const { runtime } = setUp({
      rules: [
        {
          id: "broken",
          tool: "send",
          when: () => {
            throw new Error("rule failed");
          },
          decision: "allow",
        },
      ],
      default: "allow",
    });
    const run = await runtime.run("Send it.");
    expect(run.steps).toContainEqual(
      expect.objectContaining({
        result: expect.objectContaining({ kind: "permission", code: "PERMISSION_POLICY_ERROR" }),
      }),
    );
  });
});

describe("a gate that pauses", () => {
  it("ends the run as paused with its questions, and runs nothing that waits", async () => {
    const { runtime, sent, model } = setUp();
    const run = await runtime.run("Send it.");
    expect(sent).toEqual([]);
    expect(run).toMatchObject({ status: "paused", stopReason: "paused", iterations: 1 });
    expect(run.pending).toMatchObject([{ tool: "send", callId: "c2", arguments: { to: "ada" } }]);
    expect(run.error).toBeUndefined();
    expect(run.steps.map((step) => step.type)).toEqual(["model", "permission", "permission", "tool"]);
    expect(model.requests).toHaveLength(1);
    expect(throughJson(run)).toEqual(run);
  });

  it("is resumed in another runtime from JSON; finished calls are not repeated and nothing is lost", async () => {
    const paused = await setUp().runtime.run("Send it.", { metadata: { ticket: 7 } });
    const { tool, sent } = sender();
    let looked = 0;
    const counted = { ...look, execute: () => `seen ${++looked}` };
    const events: AgentEvent[] = [];
    const gate = createGate({ rules: asksBeforeSending, onAsk: "pause" });
    const other = createRuntime({ model: scriptedModel(["Done."]), tools: [counted, tool], permission: gate });
    other.on("*", (event) => events.push(event));
    const run = await other.resume(JSON.stringify(paused), [{ id: idOf(paused), decision: "allow" }]);
    expect([looked, sent]).toEqual([0, [{ to: "ada" }]]);
    expect(run).toMatchObject({
      id: paused.id,
      status: "completed",
      answer: "Done.",
      iterations: 2,
      metadata: { ticket: 7 },
    });
    expect(run.pending).toBeUndefined();
    expect(run.steps.slice(0, 4)).toEqual(paused.steps);
    expect(run.history.map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    assertRunInvariants(run);
    expect(events[0]).toMatchObject({ type: "run:start", seq: paused.eventCount });
    expect(events.at(-1)?.type).toBe("run:end");
  });

  it("tells the model of a no", async () => {
    const { runtime, sent } = setUp();
    const paused = await runtime.run("Send it.");
    const run = await runtime.resume(paused, [{ id: idOf(paused), decision: "deny", reason: "not today" }]);
    expect(sent).toEqual([]);
    expect(run.status).toBe("completed");
    expect(run.history[3]).toMatchObject({ role: "tool", toolCallId: "c2", content: "not today", isError: true });
  });

  it("stays paused while a question has no answer", async () => {
    const { runtime, sent } = setUp();
    const paused = await runtime.run("Send it.");
    const again = await runtime.resume(paused);
    expect(again).toMatchObject({ status: "paused", pending: [{ id: idOf(paused) }] });
    const run = await runtime.resume(again, [{ id: idOf(again), decision: "allow" }]);
    expect(run.status).toBe("completed");
    expect(sent).toHaveLength(1);
  });

  it("counts an answer once", async () => {
    const { tool, sent } = sender();
    const gate = createGate({ rules: asksBeforeSending, onAsk: "pause" });
    const model = scriptedModel([lookAndSend(), "Done."], { repeatLast: true });
    const runtime = createRuntime({ model, tools: [look, tool], permission: gate });
    const paused = await runtime.run("Send it.");
    const decision = [{ id: idOf(paused), decision: "allow" as const }];
    await runtime.resume(paused, decision);
    const second = await runtime.resume(paused, decision);
    expect(sent).toHaveLength(1);
    expect(second.steps).toContainEqual(
      expect.objectContaining({ result: expect.objectContaining({ code: "PERMISSION_MISMATCH" }) }),
    );
  });

  it("does not take a yes for other arguments, other rules or a forged question", async () => {
    const secret = new Uint8Array(32).fill(7);
    const paused = await setUp({ secret }).runtime.run("Send it.");
    const changed = JSON.parse(JSON.stringify(paused));
    changed.steps[0].response.toolCalls[1].arguments.to = "eve";
    changed.history[1].toolCalls[1].arguments.to = "eve";
    const forged = JSON.parse(JSON.stringify(changed));
    forged.pending[0].arguments.to = "eve";
    const otherRules = [...asksBeforeSending, { id: "more", tool: "other", decision: "allow" as const }];
    for (const [record, options] of [
      [changed, { secret }],
      [forged, { secret }],
      [paused, { secret, rules: otherRules }],
      [paused, { secret: new Uint8Array(32).fill(8) }],
    ] as const) {
      const { runtime, sent } = setUp(options);
      const run = await runtime.resume(record, [{ id: idOf(paused), decision: "allow" }]);
      expect(sent).toEqual([]);
      expect(run.steps).toContainEqual(
        expect.objectContaining({
          result: expect.objectContaining({ ok: false, kind: "permission", code: "PERMISSION_MISMATCH" }),
        }),
      );
    }
  });

  it("asks the rules again: a yes does not override a denial that came meanwhile", async () => {
    const paused = await setUp().runtime.run("Send it.");
    const { runtime, sent } = setUp({
      rules: [...asksBeforeSending, { id: "never", tool: "send", decision: "deny", reason: "Mails are off." }],
    });
    const run = await runtime.resume(paused, [{ id: idOf(paused), decision: "allow" }]);
    expect(sent).toEqual([]);
    expect(run.history[3]).toMatchObject({ content: "Mails are off." });
  });

  it("does not take an answer that comes too late", async () => {
    const clock = recordingClock({ auto: false });
    const { tool, sent } = sender();
    const gate = createGate({ rules: asksBeforeSending, onAsk: "pause", approverTimeoutMs: 60_000, ruleTimeoutMs: 0 });
    const model = scriptedModel([lookAndSend(), "Done."]);
    const runtime = createRuntime({ model, tools: [look, tool], permission: gate, clock, timeoutMs: 0 });
    const paused = await runtime.run("Send it.");
    await clock.advance(60_000);
    const run = await runtime.resume(paused, [{ id: idOf(paused), decision: "allow" }]);
    expect(sent).toEqual([]);
    expect(run.steps).toContainEqual(
      expect.objectContaining({ result: expect.objectContaining({ code: "PERMISSION_TIMEOUT" }) }),
    );
  });

  it("refuses to resume what is not paused, and answers to other questions", async () => {
    const { runtime } = setUp();
    const paused = await runtime.run("Send it.");
    await expect(runtime.resume(paused, [{ id: "q9", decision: "allow" }])).rejects.toThrow(
      /belongs to none of the run's questions/,
    );
    const done = await runtime.resume(paused, [{ id: idOf(paused), decision: "allow" }]);
    await expect(runtime.resume(done)).rejects.toThrow(/Only a paused run can be resumed/);
    await expect(runtime.resume("{")).rejects.toMatchObject({ kind: "context", code: "CONTEXT_SNAPSHOT_INVALID" });
  });

  it("keeps its questions in a run that is aborted while others wait", async () => {
    const { runtime } = setUp();
    const paused = await runtime.run("Send it.");
    const run = await runtime.resume(paused, [], { signal: AbortSignal.abort("enough") });
    expect(run).toMatchObject({ status: "aborted", errorCode: "RUN_ABORTED" });
    assertWellFormed(run.history);
  });
});
