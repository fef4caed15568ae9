import { type AgentRun, type AnyTool, createRuntime, defineTool, type RuntimeOptions, type Store } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { memoryStore } from "harness-kit/store";
import { assertRunInvariants, callTool, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { dying } from "./crash.ts";
import { resultOf } from "./helpers.ts";

const ID = "run-1";

/** A shop whose tools write down what they did, also across the death of their process. */
function shop() {
  const done: string[] = [];
  const tool = (name: string, more: Partial<AnyTool> = {}): AnyTool =>
    defineTool({
      name,
      description: `Do ${name}.`,
      parameters: z.object({ n: z.number() }),
      ...more,
      execute: ({ n }: { n: number }) => {
        done.push(`${name} ${n}`);
        return `${name} ${n} done`;
      },
    });
  return { done, tools: [tool("charge"), tool("look", { idempotent: true }), tool("mail")] };
}

const script = () => [
  callTools({ id: "c1", name: "charge", arguments: { n: 1 } }, { id: "c2", name: "look", arguments: { n: 2 } }),
  callTool("mail", { n: 3 }, "c3"),
  "All done.",
];

function runtimeOf(store: Store, tools: readonly AnyTool[], more: Partial<RuntimeOptions> = {}) {
  const model = scriptedModel(script());
  return { model, runtime: createRuntime({ model, tools, store, clock: recordingClock(), ...more }) };
}

/** A model that goes on where the journal ends: its script without the turns that were answered already. */
function laterModel(answered: number) {
  return scriptedModel([...script().slice(answered), "never said"]);
}

async function answeredTurns(store: Store): Promise<number> {
  const entries = (await store.readJournal(ID))?.entries ?? [];
  return entries.filter((entry) => entry.type === "effect:end" && entry.key.endsWith("/model")).length;
}

describe("a runtime with a store", () => {
  it("keeps the record of each run", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, shop().tools);
    const run = await runtime.run("Sell it.", { metadata: { order: 7 } });
    assertRunInvariants(run);
    expect(await store.loadRun(run.id)).toEqual(JSON.parse(JSON.stringify(run)));
    expect(await store.listRuns()).toMatchObject([{ id: run.id, status: "completed", input: "Sell it." }]);
    expect(run.storeError).toBeUndefined();
  });

  it("writes down every effect before and after, and how the run began and ended", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, shop().tools);
    const run = await runtime.run("Sell it.", { runId: ID });
    const entries = (await store.readJournal(ID))?.entries ?? [];
    expect(entries[0]).toMatchObject({
      type: "run:start",
      schemaVersion: 1,
      at: run.startedAt,
      input: "Sell it.",
      messages: [{ role: "user", content: "Sell it." }],
    });
    expect(entries.at(-1)).toEqual({ type: "run:end", at: run.endedAt, status: "completed" });
    const keys = entries.slice(1, -1).map((entry) => ("key" in entry ? `${entry.type} ${entry.key}` : entry.type));
    expect(keys.slice(0, 2)).toEqual(["effect:start 1/model", "effect:end 1/model"]);
    expect(keys.slice(2, 6).toSorted()).toEqual([
      "effect:end 1/tool/c1",
      "effect:end 1/tool/c2",
      "effect:start 1/tool/c1",
      "effect:start 1/tool/c2",
    ]);
    expect(keys.slice(6)).toEqual([
      "effect:start 2/model",
      "effect:end 2/model",
      "effect:start 2/tool/c3",
      "effect:end 2/tool/c3",
      "effect:start 3/model",
      "effect:end 3/model",
    ]);
  });

  it("refuses an id that is taken, and leaves the run that has it alone", async () => {
    const store = memoryStore();
    const first = await runtimeOf(store, shop().tools).runtime.run("Sell it.", { runId: ID });
    const second = await runtimeOf(store, shop().tools).runtime.run("Again.", { runId: ID });
    expect(second).toMatchObject({ status: "failed", errorKind: "context", errorCode: "CONTEXT_IN_USE" });
    expect(await store.loadRun(ID)).toMatchObject({ input: first.input, status: "completed" });
  });

  it("starts nothing that it cannot write down, and ends the run with what it did", async () => {
    const { done, tools } = shop();
    const inner = memoryStore();
    let appends = 0;
    const full: Store = {
      ...inner,
      append: async (runId, entries) => {
        if (++appends > 3) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        return inner.append(runId, entries);
      },
    };
    const run = await runtimeOf(full, tools, { concurrency: 1 }).runtime.run("Sell it.");
    assertRunInvariants(run);
    expect(run).toMatchObject({ status: "failed", errorKind: "context", errorCode: "CONTEXT_STORE_FAILED" });
    expect(run.error).toContain("no space left");
    expect(run.steps[0]).toMatchObject({ type: "model" });
    expect(done).toEqual([]);
    expect(resultOf(run, "c1")).toMatchObject({ ok: false, error: expect.stringContaining("Not run") });
    expect(run.storeError).toMatchObject({ code: "CONTEXT_STORE_FAILED" });
  });

  it("keeps a result that it could not write down, and stops behind it", async () => {
    const { done, tools } = shop();
    const inner = memoryStore();
    const failing: Store = {
      ...inner,
      append: async (runId, entries) => {
        if (entries.some((entry) => entry.type === "effect:end" && entry.key === "2/tool/c3")) throw "disk gone";
        return inner.append(runId, entries);
      },
    };
    const run = await runtimeOf(failing, tools).runtime.run("Sell it.");
    expect(run).toMatchObject({ status: "failed", errorCode: "CONTEXT_STORE_FAILED" });
    expect(resultOf(run, "c3")).toEqual({ ok: true, value: "mail 3 done" });
    expect(done).toContain("mail 3");
  });

  it("does not wait for ever for a store that hangs", async () => {
    const { tools } = shop();
    for (let at = 1; at < 12; at++) {
      const { store } = dying(memoryStore(), { at, isWritten: false });
      const run = await runtimeOf(store, tools).runtime.run("Sell it.");
      assertRunInvariants(run);
      expect(run.storeError?.message ?? run.error).toContain("within 5000 ms");
    }
  });

  it("ends after an abort, also when the store never answers again", async () => {
    const controller = new AbortController();
    const { store, appends } = dying(memoryStore(), { at: 2, isWritten: false });
    const running = runtimeOf(store, shop().tools).runtime.run("Sell it.", { signal: controller.signal });
    while (appends() < 2) await new Promise(setImmediate);
    controller.abort("enough");
    const run = await running;
    expect(run).toMatchObject({ status: "aborted", error: expect.stringContaining("enough") });
    expect(run.storeError).toMatchObject({ code: "CONTEXT_STORE_FAILED" });
  });

  it("gives back a lock that comes when nobody waits for it any more", async () => {
    const inner = memoryStore();
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const store: Store = { ...inner, lock: (name) => opened.then(() => inner.lock(name)) };
    const { runtime } = runtimeOf(store, shop().tools, { storeTimeoutMs: 10 });
    expect(await runtime.run("Sell it.", { runId: ID })).toMatchObject({ errorCode: "CONTEXT_STORE_FAILED" });
    open();
    await new Promise(setImmediate);
    expect(await inner.lock(`run/${ID}`)).toBeDefined();
  });

  it("takes a store and a time for it only if they are such", () => {
    const model = scriptedModel(["Hi."]);
    expect(() => createRuntime({ model, store: {} as never })).toThrow(/store must be an object with append\(\)/u);
    expect(() => createRuntime({ model, storeTimeoutMs: 0 })).toThrow(/storeTimeoutMs must be a finite number/u);
  });
});

describe("a run that is resumed by its id", () => {
  /** Lets a run die at an append, and goes on in another runtime. */
  async function dieAndResume(at: number, isWritten: boolean) {
    const inner = memoryStore();
    const { done, tools } = shop();
    const first = dying(inner, { at, isWritten });
    await runtimeOf(first.store, tools).runtime.run("Sell it.", { runId: ID, metadata: { order: 7 } });
    if ((await inner.readJournal(ID)) === undefined) return undefined;
    const before = [...done];
    const recorded = new Set(
      ((await inner.readJournal(ID))?.entries ?? []).flatMap((entry) =>
        entry.type === "effect:end" ? [entry.key] : [],
      ),
    );
    const model = laterModel(await answeredTurns(inner));
    const events: unknown[] = [];
    const runtime = createRuntime({ model, tools, store: inner, clock: recordingClock() });
    runtime.on("*", (event) => events.push(event));
    const run = await runtime.resume(ID);
    return { inner, run, before, done, recorded, events, model };
  }

  it("never repeats what ended and never loses it, wherever its process died", async () => {
    let resumed = 0;
    for (let at = 1; at <= 14; at++) {
      for (const isWritten of [false, true]) {
        const result = await dieAndResume(at, isWritten);
        if (result === undefined) continue;
        const { run, before, done, recorded, events, inner } = result;
        resumed++;
        assertRunInvariants(run, events.length === 0 ? undefined : (events as never));
        expect(run).toMatchObject({ id: ID, status: "completed", answer: "All done.", metadata: { order: 7 } });
        expect(run.iterations).toBe(3);
        for (const [key, name] of [
          ["1/tool/c1", "charge 1"],
          ["1/tool/c2", "look 2"],
          ["2/tool/c3", "mail 3"],
        ] as const) {
          const times = done.filter((each) => each === name).length;
          const id = key.slice(-2);
          if (recorded.has(key)) expect(times).toBe(1);
          else if (name === "look 2") expect(times).toBeGreaterThanOrEqual(1);
          else if (before.includes(name)) {
            // It ran, and its end was not written: nobody knows, so it is said and not done again.
            expect(times).toBe(1);
            expect(resultOf(run, id)).toMatchObject({ ok: false, code: "TOOL_OUTCOME_UNKNOWN", retryable: false });
          }
          if (recorded.has(key)) expect(resultOf(run, id)).toMatchObject({ ok: true });
        }
        expect(await inner.loadRun(ID)).toEqual(JSON.parse(JSON.stringify(run)));
      }
    }
    expect(resumed).toBeGreaterThan(20);
  });

  it("tells the model what is known of a call that was running", async () => {
    const result = await dieAndResume(4, true);
    const failure = result?.run.steps.find((step) => step.type === "tool" && step.call.id === "c1");
    expect(failure).toMatchObject({
      result: {
        error: expect.stringMatching(/"charge" was running, since .* not started again.*run-1\/c1/su),
        code: "TOOL_OUTCOME_UNKNOWN",
      },
    });
  });

  it("says in its first event that it was resumed, and counts its events from the beginning", async () => {
    const result = await dieAndResume(6, true);
    expect(result?.events[0]).toMatchObject({ type: "run:start", resumed: true, seq: 0, input: "Sell it." });
  });

  it("comes back as it is when it is over", async () => {
    const store = memoryStore();
    const { done, tools } = shop();
    const run = await runtimeOf(store, tools).runtime.run("Sell it.", { runId: ID });
    const again = await createRuntime({ model: scriptedModel(["never said"]), tools, store }).resume(ID);
    expect(again).toEqual(JSON.parse(JSON.stringify(run)));
    expect(done).toHaveLength(3);
  });

  it("goes on with the system prompt and the settings of its beginning", async () => {
    const inner = memoryStore();
    const { tools } = shop();
    const { store } = dying(inner, { at: 3, isWritten: true });
    await runtimeOf(store, tools).runtime.run("Sell it.", { runId: ID, system: "Be kind.", settings: { topP: 0.5 } });
    const model = laterModel(await answeredTurns(inner));
    await createRuntime({ model, tools, store: inner, clock: recordingClock() }).resume(ID);
    expect(model.requests[0]?.messages[0]).toEqual({ role: "system", content: "Be kind." });
    expect(model.requests[0]?.settings).toEqual({ topP: 0.5 });
  });

  it("keeps the result of a call whose tool is gone", async () => {
    const inner = memoryStore();
    const { tools } = shop();
    await runtimeOf(dying(inner, { at: 8, isWritten: true }).store, tools).runtime.run("Sell it.", { runId: ID });
    const model = scriptedModel([callTool("look", { n: 9 }), "Done."], { repeatLast: true });
    const others = tools.filter((tool) => tool.name !== "charge");
    const run = await createRuntime({ model, tools: others, store: inner, clock: recordingClock() }).resume(ID);
    expect(resultOf(run, "c1")).toEqual({ ok: true, value: "charge 1 done" });
  });

  it("asks for the form of its answer again", async () => {
    const inner = memoryStore();
    const output = z.object({ sum: z.number() });
    const model = scriptedModel(['{"sum":3}'], { repeatLast: true });
    const dead = createRuntime({
      model,
      store: dying(inner, { at: 2, isWritten: true }).store,
      clock: recordingClock(),
    });
    await dead.run("Add.", { runId: ID, output });
    const runtime = createRuntime({ model, store: inner, clock: recordingClock() });
    await expect(runtime.resume(ID)).rejects.toThrow(/Give it again: resume\(id, \[\], \{ output \}\)/u);
    expect(await runtime.resume(ID, [], { output })).toMatchObject({ output: { sum: 3 } });
  });

  it("is refused while somebody else has it, without a store, and when there is no such run", async () => {
    const store = memoryStore();
    const { tools } = shop();
    const { runtime } = runtimeOf(store, tools);
    await expect(runtime.resume("nobody")).rejects.toMatchObject({ code: "CONTEXT_NOT_FOUND", kind: "context" });
    const unlock = await store.lock(`run/${ID}`);
    await expect(runtime.resume(ID)).rejects.toMatchObject({ code: "CONTEXT_IN_USE", retryable: true });
    await unlock?.();
    await expect(createRuntime({ model: scriptedModel(["Hi."]) }).resume(ID)).rejects.toThrow(/needs a store/u);
  });

  it("was never begun when its process died before the first entry, and is started with the same id", async () => {
    const inner = memoryStore();
    const isNew = (id: string) => inner.readJournal(id).then((journal) => journal ?? { entries: [] });
    const { tools, done } = shop();
    const { runtime } = runtimeOf({ ...inner, readJournal: isNew }, tools);
    await expect(runtime.resume(ID)).rejects.toMatchObject({
      code: "CONTEXT_NOT_FOUND",
      message: expect.stringContaining("start it anew, also with the same id"),
    });
    expect(await runtime.run("Sell it.", { runId: ID })).toMatchObject({ id: ID, status: "completed" });
    expect(done).toEqual(["charge 1", "look 2", "mail 3"]);
    expect(await runtime.run("Sell it.", { runId: ID })).toMatchObject({ errorCode: "CONTEXT_IN_USE" });
  });

  it("is refused with decisions when it asks nothing, and can be resumed afterwards", async () => {
    const inner = memoryStore();
    const { tools } = shop();
    await runtimeOf(dying(inner, { at: 5, isWritten: true }).store, tools).runtime.run("Sell it.", { runId: ID });
    const model = laterModel(await answeredTurns(inner));
    const runtime = createRuntime({ model, tools, store: inner, clock: recordingClock() });
    await expect(runtime.resume(ID, [{ id: "q", decision: "allow" }])).rejects.toThrow(/asks nothing now/u);
    expect((await runtime.resume(ID)).status).toBe("completed");
  });

  it("refuses a journal that is newer, or that holds what is no outcome", async () => {
    const newer = memoryStore();
    const start = { type: "run:start", schemaVersion: 2, at: 1, input: "Hi.", messages: [] } as const;
    const read = async () => ({ entries: [start] });
    const { runtime } = runtimeOf({ ...newer, readJournal: read }, shop().tools);
    await expect(runtime.resume(ID)).rejects.toMatchObject({ code: "CONTEXT_SNAPSHOT_VERSION" });
    const entries = [
      { ...start, schemaVersion: 1, messages: [{ role: "user", content: "Hi." }] },
      { type: "effect:end", key: "1/model", at: 1, value: "Hello" },
    ] as const;
    const odd = runtimeOf({ ...memoryStore(), readJournal: async () => ({ entries }) }, shop().tools);
    expect(await odd.runtime.resume(ID)).toMatchObject({ status: "failed", errorCode: "CONTEXT_STORE_DAMAGED" });
  });
});

describe("approvals in a store", () => {
  const send = (sent: unknown[]) =>
    defineTool({
      name: "send",
      description: "Send a mail.",
      access: "write",
      parameters: z.object({ to: z.string() }),
      execute: ({ to }) => {
        sent.push(to);
        return "sent";
      },
    });
  const permission = () => createGate({ rules: [{ tool: "send", decision: "ask" }], onAsk: "pause" });
  const yes = (run: AgentRun) => [{ id: run.pending?.[0]?.id ?? "none", decision: "allow" as const }];

  function office(store: Store, sent: unknown[], turns: Parameters<typeof scriptedModel>[0]) {
    const model = scriptedModel(turns);
    return createRuntime({ model, tools: [send(sent)], permission: permission(), store, clock: recordingClock() });
  }

  it("are answered in another process by the id of the run", async () => {
    const store = memoryStore();
    const sent: unknown[] = [];
    const paused = await office(store, sent, [callTool("send", { to: "ada" }, "c1")]).run("Write.", { runId: ID });
    expect(paused.status).toBe("paused");
    const other = office(store, sent, ["Done."]);
    const run = await other.resume(ID, yes(paused));
    assertRunInvariants(run);
    expect(run).toMatchObject({ id: ID, status: "completed", answer: "Done." });
    expect(sent).toEqual(["ada"]);
    expect(await store.loadRun(ID)).toMatchObject({ status: "completed" });
  });

  it("count once, also when two processes bring the same record", async () => {
    const store = memoryStore();
    const sent: unknown[] = [];
    const paused = await office(store, sent, [callTool("send", { to: "ada" }, "c1")]).run("Write.");
    const [first, second] = await Promise.allSettled(
      [1, 2].map(() => office(store, sent, ["Done."]).resume(JSON.stringify(paused), yes(paused))),
    );
    expect([first?.status, second?.status].toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(office(store, sent, ["Done."]).resume(JSON.stringify(paused), yes(paused))).rejects.toMatchObject({
      code: "CONTEXT_IN_USE",
    });
    expect(sent).toEqual(["ada"]);
  });

  it("survive a process that dies behind them, and are not asked again", async () => {
    for (let at = 1; at <= 8; at++) {
      const inner = memoryStore();
      const sent: unknown[] = [];
      const paused = await office(inner, sent, [callTool("send", { to: "ada" }, "c1")]).run("Write.", { runId: ID });
      const { store } = dying(inner, { at, isWritten: true });
      await office(store, sent, ["Done."]).resume(ID, yes(paused));
      const before = [...sent];
      const loaded = await inner.loadRun(ID);
      const entries = (await inner.readJournal(ID))?.entries ?? [];
      if (loaded?.status !== "paused" || !entries.some((entry) => entry.type === "run:resume")) continue;
      const run = await office(inner, sent, ["Done."]).resume(ID, at % 2 === 0 ? [] : yes(paused));
      assertRunInvariants(run);
      expect(run.status).toBe("completed");
      expect(sent).toEqual(["ada"].slice(0, Math.max(before.length, sent.length)));
      expect(sent.length).toBeLessThanOrEqual(1);
      if (before.length === 0 && sent.length === 0) {
        expect(resultOf(run, "c1")).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN" });
      }
    }
  });

  it("are taken from a record that the store does not know", async () => {
    const sent: unknown[] = [];
    const model = scriptedModel([callTool("send", { to: "ada" }, "c1")]);
    const paused = await createRuntime({ model, tools: [send(sent)], permission: permission() }).run("Write.");
    const store = memoryStore();
    const run = await office(store, sent, ["Done."]).resume(paused, yes(paused));
    expect(run.status).toBe("completed");
    expect(await store.loadRun(paused.id)).toMatchObject({ status: "completed" });
    await expect(office(store, sent, ["Done."]).resume(paused, yes(paused))).rejects.toMatchObject({
      code: "CONTEXT_IN_USE",
    });
  });
});
