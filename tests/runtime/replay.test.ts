import { readFileSync } from "node:fs";
import {
  type AgentRun,
  allowTools,
  createRuntime,
  defineTool,
  ModelError,
  parseRun,
  type ReplayOptions,
  type RuntimeOptions,
  replayRun,
} from "harness-kit";
import { createGate } from "harness-kit/permission";
import { assertRunInvariants, callTool, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const add = (compute = (a: number, b: number) => a + b) =>
  defineTool({
    name: "add",
    description: "Add two numbers.",
    access: "none",
    parameters: z.object({ a: z.number(), b: z.number().default(1) }),
    execute: ({ a, b }) => compute(a, b),
  });

const write = (done: unknown[] = []) =>
  defineTool({
    name: "write",
    description: "Write.",
    access: "write",
    parameters: z.object({ text: z.string() }),
    execute: ({ text }) => {
      done.push(text);
      return { written: text.length };
    },
  });

type Script = Parameters<typeof scriptedModel>[0];

/** Makes a record, as it comes back from a file. */
async function record(script: Script, options: Partial<RuntimeOptions> = {}, input = "Go."): Promise<AgentRun> {
  const model = scriptedModel(script, { repeatLast: true });
  const clock = recordingClock();
  const run = await createRuntime({ model, clock, random: () => 0.5, tools: [add(), write()], ...options }).run(input);
  assertRunInvariants(run);
  return parseRun(JSON.stringify(run));
}

async function replay(run: AgentRun, options: ReplayOptions = {}) {
  return replayRun(run, { tools: [add(), write()], ...options });
}

const sums: Script = [
  callTools({ id: "c1", name: "add", arguments: { a: 1 } }, { id: "c2", name: "add", arguments: { a: 2, b: 3 } }),
  { ...callTool("add", { a: "no" }, "c3"), usage: { inputTokens: 7, outputTokens: 2 } },
  callTool("unknown", {}, "c4"),
  "Done.",
];

describe("a replay", () => {
  it("gives an equal record, and asks no model", async () => {
    const recorded = await record(sums);
    const { run, divergence } = await replay(recorded, { execute: false });
    expect(divergence).toBeUndefined();
    expect(JSON.parse(JSON.stringify(run))).toEqual(recorded);
    expect((await replay(recorded)).divergence).toBeUndefined();
  });

  it("repeats the ends of runs: a cap, a limit, no progress, a failed model, bad arguments", async () => {
    const loop = [callTool("add", { a: 1 }, "")];
    const failing: Script = [callTool("add", { a: 1 }, "c1"), new ModelError("no key", { code: "MODEL_AUTH" })];
    for (const [script, options, stopReason] of [
      [loop, { maxSteps: 2 }, "maxSteps"],
      [loop, { limits: { toolCalls: 2 } }, "limit"],
      [loop, {}, "noProgress"],
      [failing, {}, "failed"],
      [["{"], {}, "finished"],
      [[{ content: "", finishReason: "stop" }], {}, "finished"],
    ] as const) {
      const recorded = await record(script, options);
      expect(recorded.stopReason).toBe(stopReason);
      const limits = "limits" in options ? { limits: options.limits } : {};
      const { run, divergence } = await replay(recorded, limits);
      expect(divergence).toBeUndefined();
      expect(run.errorCode).toBe(recorded.errorCode);
    }
  });

  it("repeats retries, what they wasted, and what a run cost", async () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    const script: Script = [new ModelError("busy", { code: "MODEL_OVERLOADED" }), { content: "Done.", usage }];
    const price = ({ inputTokens }: { inputTokens: number }) => inputTokens / 100;
    const recorded = await record(script, { price });
    expect(recorded.usage.costUsd).toBe(0.1);
    expect((await replay(recorded)).divergence).toBeUndefined();
    expect((await replay(recorded, { price })).divergence).toBeUndefined();
    const { divergence } = await replay(recorded, { price: () => 5 });
    expect(divergence).toMatchObject({ path: "usage.costUsd", expected: 0.1, actual: 5 });
  });

  it("repeats a run that was aborted between and during its calls", async () => {
    const controller = new AbortController();
    const stopping = defineTool({
      name: "stop",
      description: "Stop.",
      parameters: z.object({}),
      execute: () => {
        controller.abort("enough");
        return "late";
      },
    });
    const model = scriptedModel([callTool("add", { a: 1 }, "c1"), callTool("stop", {}, "c2"), "Never."]);
    const runtime = createRuntime({ model, tools: [add(), stopping], clock: recordingClock() });
    const recorded = parseRun(JSON.stringify(await runtime.run("Go.", { signal: controller.signal })));
    expect(recorded.status).toBe("aborted");
    const { run, divergence } = await replayRun(recorded, { tools: [add(), stopping] });
    expect(divergence).toBeUndefined();
    expect(run.status).toBe("aborted");
  });

  it("names the first place where today's tool gives something else", async () => {
    const recorded = await record(sums);
    const { divergence } = await replay(recorded, { tools: [add((a, b) => a * b), write()] });
    expect(divergence).toMatchObject({ path: "steps[1].result.value", expected: 2, actual: 1 });
    expect(divergence?.message).toBe("The replay left the record at steps[1].result.value: expected 2, got 1.");
  });

  it("names a tool that is gone, and one that takes other arguments", async () => {
    const recorded = await record(sums);
    const gone = await replayRun(recorded, { tools: [write()] });
    expect(gone.divergence).toMatchObject({ path: expect.stringMatching(/^steps\[1\]\.result/u) });
    const narrow = defineTool({ ...add(), parameters: z.object({ a: z.number().max(1), b: z.number().default(1) }) });
    const { divergence } = await replayRun(recorded, { tools: [narrow as never, write()] });
    expect(divergence?.path).toMatch(/^steps\[2\]\.result/u);
  });

  it("executes only what computes, unless it is told otherwise", async () => {
    const done: unknown[] = [];
    const permission = allowTools("write");
    const recorded = await record([callTool("write", { text: "hello" }, "c1"), "Done."], { permission });
    const tools = [add(), write(done)];
    expect((await replayRun(recorded, { tools, permission })).divergence).toBeUndefined();
    expect(done).toEqual([]);
    expect((await replayRun(recorded, { tools, permission, execute: true })).divergence).toBeUndefined();
    expect(done).toEqual(["hello"]);
    await replayRun(recorded, { tools, permission, execute: (tool) => tool === "write" });
    expect(done).toHaveLength(2);
    const counting = [add(() => Number(done.push("computed"))), write(done)];
    for (const execute of [false, (tool: string) => tool === "write"]) {
      await replayRun(await record(sums), { tools: counting, execute });
      expect(done).toHaveLength(2);
    }
  });

  it("lets the gate of today judge, and takes the record's word without one", async () => {
    const script: Script = [callTool("write", { text: "hello" }, "c1"), "Done."];
    const recorded = await record(script, { permission: allowTools("write") });
    expect((await replay(recorded)).divergence).toBeUndefined();
    const stricter = createGate({ rules: [{ id: "no", tool: "write", decision: "deny" }] });
    expect((await replay(recorded, { permission: stricter })).divergence).toMatchObject({
      path: expect.stringContaining("decision"),
      expected: "allow",
      actual: "deny",
    });
    const refused = await record(script);
    expect(refused.steps.some((step) => step.type === "permission" && step.decision === "deny")).toBe(true);
    expect((await replay(refused)).divergence).toBeUndefined();
  });

  it("repeats runs with approvals: answered, paused, and resumed", async () => {
    const rules = [{ tool: "write", decision: "ask" as const }];
    const script: Script = [
      callTools({ id: "c1", name: "write", arguments: { text: "a" } }, { id: "c2", name: "add", arguments: { a: 1 } }),
      "Done.",
    ];
    const asked = await record(script, {
      permission: createGate({ rules, default: "allow", onAsk: () => ({ decision: "allow" }) }),
    });
    expect((await replay(asked)).divergence).toBeUndefined();
    const gate = createGate({ rules, default: "allow", onAsk: "pause" });
    const paused = await record(script, { permission: gate });
    expect(paused.status).toBe("paused");
    expect((await replay(paused)).divergence).toBeUndefined();
    const runtime = createRuntime({ model: scriptedModel(["Done."]), tools: [add(), write()], permission: gate });
    const resumed = await runtime.resume(paused, [{ id: paused.pending?.[0]?.id ?? "", decision: "allow" }]);
    expect((await replay(parseRun(JSON.stringify(resumed)))).divergence).toBeUndefined();
  });

  it("checks an output against today's form", async () => {
    const model = scriptedModel(['{"sum":3}']);
    const output = z.object({ sum: z.number() });
    const run = parseRun(JSON.stringify(await createRuntime({ model }).run("Add.", { output })));
    expect((await replayRun(run, { output })).divergence).toBeUndefined();
    const { divergence } = await replayRun(run, { output: z.object({ total: z.number() }) });
    expect(divergence).toBeDefined();
  });

  it("repeats denials with the words and the code that they had", async () => {
    const script: Script = [callTool("write", { text: "a" }, "c1"), callTool("write", { text: "b" }, "c2"), "Done."];
    const permission = ({ id }: { id: string }) =>
      id === "c1" ? ({ decision: "deny", reason: "Not today." } as const) : ({ decision: "allow" } as const);
    const recorded = await record(script, { permission });
    const { run, divergence } = await replay(recorded, { execute: false });
    expect(divergence).toBeUndefined();
    expect(run.steps.filter((step) => step.type === "permission")).toMatchObject([
      { decision: "deny", by: "gate", reason: "Not today." },
      { decision: "allow", by: "gate" },
    ]);
    expect(JSON.parse(JSON.stringify(run))).toEqual(recorded);
  });

  it("lets a gate judge anew what rules decided, and never what a person answered", async () => {
    const rules = [{ tool: "write", decision: "ask" as const }];
    const script: Script = [callTool("write", { text: "a" }, "c1"), callTool("add", { a: 1 }, "c2"), "Done."];
    const gateOf = (answer: "allow" | "deny") =>
      createGate({ rules, default: "allow", onAsk: () => ({ decision: answer }) });
    const allowed = await record(script, { permission: gateOf("allow") });
    expect((await replay(allowed, { permission: gateOf("deny") })).divergence).toBeUndefined();
    const denied = await record(script, { permission: gateOf("deny") });
    expect(denied.steps).toContainEqual(
      expect.objectContaining({ type: "permission", by: "approver", decision: "deny" }),
    );
    expect((await replay(denied, { permission: gateOf("allow") })).divergence).toBeUndefined();
    let judged = 0;
    const counting = (call: { name: string }) => {
      judged += call.name === "add" ? 1 : 100;
      return { decision: "allow" } as const;
    };
    await replay(allowed, { permission: counting });
    expect(judged).toBe(1);
  });

  it("leaves a question open that the record leaves open", async () => {
    const gate = createGate({ rules: [{ tool: "write", decision: "ask" }], default: "allow", onAsk: "pause" });
    const script: Script = [
      callTools(
        { id: "c1", name: "write", arguments: { text: "a" } },
        { id: "c2", name: "write", arguments: { text: "b" } },
      ),
      "Never.",
    ];
    const paused = await record(script, { permission: gate });
    for (const permission of [undefined, gate]) {
      const { run, divergence } = await replay(paused, { permission });
      expect(divergence).toBeUndefined();
      expect(run.pending).toEqual(paused.pending);
      expect(run.pending).toHaveLength(2);
    }
  });

  it("repeats a model that failed for good: its tries, its waste, its half answer", async () => {
    const wasted = Object.assign(new ModelError("cut", { code: "MODEL_OVERLOADED" }));
    const bad = { content: 5 as never, usage: { inputTokens: 9, outputTokens: 1 } };
    const recorded = await record([callTool("add", { a: 1 }, "c1"), bad, wasted, bad], { retry: { maxAttempts: 3 } });
    expect(recorded).toMatchObject({ status: "failed", usage: { wasted: { inputTokens: expect.any(Number) } } });
    expect(recorded.steps.at(-1)).toMatchObject({ attempts: 3, failures: [{}, {}] });
    const { run, divergence } = await replay(recorded);
    expect(divergence).toBeUndefined();
    expect(JSON.parse(JSON.stringify(run))).toEqual({
      ...recorded,
      steps: expect.any(Array),
      endedAt: expect.any(Number),
    });
    expect(run.steps.at(-1)).toMatchObject({ attempts: 3, failures: [{}, {}], retryState: "attempts_exhausted" });
  });

  it("counts what tries wasted once, though later turns went well", async () => {
    const bad = { content: 5 as never, usage: { inputTokens: 9, outputTokens: 1 } };
    const recorded = await record([bad, callTool("add", { a: 1 }, "c1"), bad, "Done."]);
    expect(recorded).toMatchObject({ status: "completed", usage: { wasted: { inputTokens: 18, outputTokens: 2 } } });
    expect((await replay(recorded)).run.usage).toEqual(recorded.usage);
  });

  it.each(["aborted", "timeout"] as const)(
    "repeats a run that was %s while its model was at work",
    async (stopReason) => {
      const controller = new AbortController();
      const stuck = () => {
        if (stopReason === "aborted") controller.abort("enough");
        return new Promise<never>(() => {});
      };
      const model = scriptedModel([callTool("add", { a: 1 }, "c1"), stuck]);
      const runtime = createRuntime({ model, tools: [add()], clock: recordingClock(), timeoutMs: 500, graceMs: 1 });
      const recorded = parseRun(JSON.stringify(await runtime.run("Go.", { signal: controller.signal })));
      expect(recorded.stopReason).toBe(stopReason);
      const { run, divergence } = await replayRun(recorded, { tools: [add()] });
      expect(divergence).toBeUndefined();
      expect(run).toMatchObject({ stopReason, error: recorded.error });
    },
  );

  it("repeats a run that was aborted before its first answer", async () => {
    const aborted = AbortSignal.abort("never mind");
    const recorded = parseRun(
      JSON.stringify(await createRuntime({ model: scriptedModel(["x"]) }).run("Go.", { signal: aborted })),
    );
    const { run } = await replayRun(recorded);
    expect(recorded.steps).toMatchObject([{ type: "error", code: "RUN_ABORTED" }]);
    expect(run.history.at(-1)).toEqual(recorded.history.at(-1));
  });

  it("starts behind the history that the run was given", async () => {
    const model = scriptedModel([callTool("add", { a: 1 }, "c1"), "Done."]);
    const messages = [
      { role: "user", content: "Before." },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "Go." },
    ] as const;
    const recorded = parseRun(JSON.stringify(await createRuntime({ model, tools: [add()] }).run({ messages })));
    const { run, divergence } = await replay(recorded);
    expect(divergence).toBeUndefined();
    expect(run.history.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
  });

  it("asks no model beyond the record, and says so", async () => {
    const recorded = await record([callTool("add", { a: 1 }, "c1"), callTool("add", { a: 2 }, "c2")], { maxSteps: 2 });
    const { run } = await replay(recorded, { maxSteps: 3 });
    expect(run).toMatchObject({ status: "failed", errorCode: "MODEL_UNKNOWN" });
    expect(run.error).toBe("The record has no further answer of the model.");
  });

  it("does not mind which of the calls of a turn was faster", async () => {
    const slow = defineTool({
      name: "slow",
      description: "Slow.",
      parameters: z.object({ ms: z.number() }),
      execute: async ({ ms }) => {
        for (let round = 0; round < ms; round++) await Promise.resolve();
        return ms;
      },
    });
    const turn = callTools(
      { id: "b", name: "slow", arguments: { ms: 9 } },
      { id: "a", name: "slow", arguments: { ms: 1 } },
    );
    const permission = createGate({ rules: [], default: "allow" });
    const model = scriptedModel([turn, { ...turn, content: "again" }, "Done."]);
    const recorded = parseRun(JSON.stringify(await createRuntime({ model, tools: [slow], permission }).run("Go.")));
    const shuffled = { ...recorded, steps: [...recorded.steps] };
    const places = recorded.steps.flatMap((step, index) => (step.type === "permission" ? [index] : []));
    const [first = 0, second = 0] = places;
    [shuffled.steps[first], shuffled.steps[second]] = [
      { ...recorded.steps[second], index: first } as never,
      { ...recorded.steps[first], index: second } as never,
    ];
    expect((await replayRun(shuffled, { tools: [slow], execute: true, permission })).divergence).toBeUndefined();
  });

  it("refuses what is no record", async () => {
    await expect(replayRun("{")).rejects.toMatchObject({ kind: "context" });
  });

  it("gives the golden record of version 1 again", async () => {
    const golden = readFileSync(new URL("golden/run-v1.json", import.meta.url), "utf8");
    const { run, divergence } = await replay(parseRun(golden), { permission: allowTools("write") });
    expect(divergence).toBeUndefined();
    const again = await replay(parseRun(golden), { execute: false });
    expect(again.divergence).toBeUndefined();
    expect(JSON.parse(JSON.stringify(again.run))).toEqual(JSON.parse(golden));
    expect(run.status).toBe("completed");
  });
});
