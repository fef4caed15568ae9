import { AgentContext, type AgentRun, createRuntime, type Message, parseRun, type RunInput } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { memoryStore } from "harness-kit/store";
import { callTool, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { play, resultOf, spyTool } from "./helpers.ts";

const runtimeOf = (options = {}) =>
  createRuntime({ model: scriptedModel(["Done."], { repeatLast: true }), ...options });

const runOf = (input: unknown, options = {}) => runtimeOf().run(input as RunInput, options);

describe("the text of an input", () => {
  it.each([
    ["Hi.", "Hi."],
    ["half \ud800 of it", "half \ufffd of it"],
    [[{ role: "user", content: "Hi." }], "Hi."],
    [{ messages: [{ role: "user", content: "Hi." }] }, "Hi."],
    [
      [
        { role: "user", content: "First." },
        { role: "assistant", content: "Yes." },
        { role: "user", content: "Last." },
      ],
      "Last.",
    ],
    [
      [
        {
          role: "user",
          content: [
            { type: "text", text: "In " },
            { type: "text", text: "parts." },
          ],
        },
      ],
      "In \nparts.",
    ],
    [[{ role: "assistant", content: "Nobody asked." }], ""],
  ])("%j", async (input, text) => {
    expect((await runOf(input)).input).toBe(text);
  });

  it("is empty where the last message of the user has none that can be read", async () => {
    for (const content of [undefined, null, 5, {}]) {
      const run = await runOf([{ role: "user", content }]);
      expect(run).toMatchObject({ input: "", status: "failed", errorKind: "context" });
    }
    expect(await runOf([null])).toMatchObject({ input: "", status: "failed", errorKind: "context" });
  });

  it("must be there", async () => {
    for (const [input, message] of [
      ["", 'The input is empty. Write what the run is to do, for example run("What is 17 + 38?").'],
      [" \n", 'The input is empty. Write what the run is to do, for example run("What is 17 + 38?").'],
      [[], 'The input has no messages. Give at least one, for example { role: "user", content: "…" }.'],
      [{ messages: [] }, 'The input has no messages. Give at least one, for example { role: "user", content: "…" }.'],
      [5, "The input must be a string, an array of messages or { messages }, got 5."],
      [null, "The input must be a string, an array of messages or { messages }, got null."],
      [undefined, "The input must be a string, an array of messages or { messages }, got undefined."],
    ] as const) {
      await expect(runOf(input)).rejects.toThrow(expect.objectContaining({ name: "TypeError", message }));
    }
  });

  it("may have no messages of its own where the context has some", async () => {
    const context = new AgentContext();
    context.add({ role: "user", content: "From before." });
    expect(await runOf([], { context })).toMatchObject({ status: "completed", input: "" });
  });

  it("answers calls that were left open, before the next message and at the end", async () => {
    const open = (id: string) => ({ role: "assistant", content: "", toolCalls: [{ id, name: "t", arguments: {} }] });
    const run = await runOf([
      { role: "user", content: "Go." },
      open("a"),
      { role: "user", content: "And?" },
      open("b"),
    ]);
    const answers = run.history.filter((message) => message.role === "tool");
    expect(answers).toMatchObject([{ toolCallId: "a" }, { toolCallId: "b" }]);
    for (const { content } of answers) {
      expect(content).toBe("No result was recorded for this call; whether it had an effect is unknown.");
    }
  });
});

describe("what a run is given", () => {
  it("must be an object with a context, an id and texts that are such", async () => {
    for (const [options, message] of [
      [5, "The options must be an object such as { signal }, got 5."],
      ["x", 'The options must be an object such as { signal }, got "x".'],
      [
        { context: {} },
        "context must be an AgentContext, got {}. Write new AgentContext() or AgentContext.restore(snapshot).",
      ],
    ] as const) {
      await expect(runOf("Hi.", options as never)).rejects.toThrow(
        expect.objectContaining({ name: "TypeError", message }),
      );
    }
    await expect(runOf("Hi.", { runId: 5 })).rejects.toThrow(/^runId /u);
    await expect(runOf("Hi.", { system: 5 })).rejects.toThrow(/^system /u);
    await expect(runOf("Hi.", { signal: {} })).rejects.toThrow(/^signal /u);
  });

  it("comes before what the runtime has, setting by setting", async () => {
    const model = scriptedModel(["Done."], { repeatLast: true });
    const runtime = createRuntime({ model, system: "Be kind.", settings: { temperature: 0, topP: 0.1 } });
    await runtime.run("Hi.");
    await runtime.run("Hi.", { system: "Be brief.", settings: { topP: 0.2 } });
    expect(model.requests.map(({ messages, settings }) => [messages[0], settings])).toEqual([
      [
        { role: "system", content: "Be kind." },
        { temperature: 0, topP: 0.1 },
      ],
      [
        { role: "system", content: "Be brief." },
        { temperature: 0, topP: 0.2 },
      ],
    ]);
    await runtimeOf({ model }).run("Hi.");
    expect(model.requests[2]?.messages).toEqual([{ role: "user", content: "Hi." }]);
    expect(model.requests[2]).not.toHaveProperty("settings", expect.anything());
  });

  it("is aborted by each of its signals, and tells who listens", async () => {
    for (const where of ["runtime", "run"] as const) {
      const controller = new AbortController();
      const stuck = scriptedModel([() => new Promise(() => controller.abort("that will do"))]);
      const runtime = createRuntime({
        model: stuck,
        clock: recordingClock(),
        signal: where === "runtime" ? controller.signal : undefined,
      });
      const told: unknown[] = [];
      runtime.on("run:abort", ({ reason }) => told.push(reason));
      const run = await runtime.run("Go.", where === "run" ? { signal: controller.signal } : {});
      expect(run).toMatchObject({ status: "aborted", errorCode: "RUN_ABORTED" });
      expect(told).toEqual([run.error]);
      expect(run.error).toContain("that will do");
      expect(run.abandoned).toEqual([{ type: "model", name: "scripted" }]);
    }
  });

  it("says of a tool that was left running which call it was", async () => {
    const clock = recordingClock();
    const { tool } = spyTool("stuck", () => new Promise(() => {}), { timeoutMs: 50 });
    const runtime = createRuntime({
      model: scriptedModel([callTool("stuck", {}, "c1"), "Done."]),
      tools: [tool],
      clock,
    });
    const told: unknown[] = [];
    runtime.on("tool:abandoned", ({ callId }) => told.push(callId));
    const run = await runtime.run("Go.");
    expect(told).toEqual(["c1"]);
    expect(run.abandoned).toEqual([{ type: "tool", name: "stuck", callId: "c1" }]);
    expect(Object.isFrozen(run.abandoned?.[0])).toBe(true);
  });

  it("ends with RUN_TIMEOUT and what to do about it", async () => {
    const { run } = await play([() => new Promise(() => {})], { timeoutMs: 1_234 });
    expect(run).toMatchObject({ stopReason: "timeout", errorKind: "runtime", errorCode: "RUN_TIMEOUT" });
    expect(run.error).toBe(
      "The run did not end within 1234 ms and was stopped. Raise timeoutMs, or give the run a smaller task.",
    );
  });
});

describe("what a store has of the start of a run", () => {
  async function startOf(options: object, runtimeOptions = {}) {
    const store = memoryStore();
    const run = await runtimeOf({ store, ...runtimeOptions }).run("Hi.", options);
    return (await store.readJournal(run.id))?.entries[0];
  }

  it("is what its caller wished, and nothing that he did not", async () => {
    const bare = await startOf({});
    expect(Object.keys(bare ?? {}).sort()).toEqual(["at", "input", "messages", "schemaVersion", "type"]);
    expect(
      await startOf(
        { system: "Be brief.", settings: { topP: 0.2 }, metadata: { order: 7 } },
        { settings: { temperature: 0 } },
      ),
    ).toMatchObject({ system: "Be brief.", settings: { temperature: 0, topP: 0.2 }, metadata: { order: 7 } });
    const asked = await startOf({ output: z.object({}) }, { model: scriptedModel(["{}"]) });
    expect(asked).toMatchObject({ hasOutput: true });
    expect(asked).not.toHaveProperty("settings");
  });

  it("says which run has an id already", async () => {
    const store = memoryStore();
    await runtimeOf({ store }).run("Hi.", { runId: "mine" });
    const again = await runtimeOf({ store }).run("Hi.", { runId: "mine" });
    expect(again.error).toBe(
      'The store has a run with the id "mine" already. Leave runId out, or go on with it by runtime.resume(id).',
    );
  });
});

describe("a run that was taken up again", () => {
  const gate = createGate({ rules: [{ tool: "send", decision: "ask" }], default: "allow", onAsk: "pause" });
  const tools = () => [
    spyTool("send", () => "sent", { access: "write" }).tool,
    spyTool("look", () => Math.random()).tool,
  ];
  const turn = () =>
    callTools({ id: "c1", name: "look", arguments: {} }, { id: "c2", name: "send", arguments: { to: "ada" } });

  async function paused(more = {}): Promise<AgentRun> {
    const model = scriptedModel([{ ...turn(), usage: { inputTokens: 5, outputTokens: 1 } }]);
    const run = await createRuntime({ model, tools: tools(), permission: gate, ...more }).run("Go.");
    return parseRun(JSON.stringify(run));
  }

  const answer = (run: AgentRun, decision: "allow" | "deny" = "allow") => [
    { id: run.pending?.[0]?.id ?? "", decision },
  ];

  it("goes on counting calls, turns, tokens and events where it was", async () => {
    const run = await paused();
    const model = scriptedModel([
      { ...callTool("look", {}, "c3"), usage: { inputTokens: 7, outputTokens: 1 } },
      "Done.",
    ]);
    const runtime = createRuntime({ model, tools: tools(), permission: gate, limits: { toolCalls: 3 } });
    const seqs: number[] = [];
    const starts: object[] = [];
    runtime.on("*", (event) => {
      seqs.push(event.seq);
      if (event.type === "run:start") starts.push(event);
    });
    const resumed = await runtime.resume(run, answer(run));
    expect(resumed).toMatchObject({ status: "completed", iterations: 3, startedAt: run.startedAt, id: run.id });
    expect(resumed.usage).toMatchObject({ inputTokens: 12, outputTokens: 2 });
    expect(seqs[0]).toBe(run.eventCount);
    expect(seqs).toEqual(seqs.map((_, index) => (run.eventCount ?? 0) + index));
    expect(starts).toEqual([expect.objectContaining({ resumed: true })]);
    expect(resumed.steps.map(({ index }) => index)).toEqual(resumed.steps.map((_, index) => index));
    const { run: fresh } = await play(["Done."]);
    expect(fresh.eventCount).toBeUndefined();
  });

  it("stops at the tool calls that it has left", async () => {
    const run = await paused();
    const model = scriptedModel([callTool("look", {}, "c3"), callTool("look", {}, "c4"), "Never."]);
    const resumed = await createRuntime({ model, tools: tools(), permission: gate, limits: { toolCalls: 3 } }).resume(
      run,
      answer(run),
    );
    expect(resumed).toMatchObject({ stopReason: "limit", errorDetail: { detail: { limit: "toolCalls", most: 3 } } });
    expect(resultOf(resumed, "c3")).toMatchObject({ ok: true });
  });

  it("writes down what its caller wished then", async () => {
    const store = memoryStore();
    const run = await paused({ store });
    const runtime = createRuntime({ model: scriptedModel(["Done."]), tools: tools(), permission: gate, store });
    await runtime.resume(run.id, answer(run), { system: "Be brief.", settings: { topP: 0.3 } });
    const entries = (await store.readJournal(run.id))?.entries ?? [];
    const resume = entries.find((entry) => entry.type === "run:resume");
    expect(resume).toMatchObject({
      from: run.eventCount,
      decisions: answer(run),
      system: "Be brief.",
      settings: { topP: 0.3 },
    });
  });

  it("keeps its messages in order: the answered call first, then what comes", async () => {
    const run = await paused();
    const model = scriptedModel(["Done."]);
    const resumed = await createRuntime({ model, tools: tools(), permission: gate }).resume(run, answer(run, "deny"));
    const roles = (messages: readonly Message[]) => messages.map(({ role }) => role);
    expect(roles(resumed.history)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(resultOf(resumed, "c2")).toMatchObject({ ok: false, kind: "permission" });
  });
});
