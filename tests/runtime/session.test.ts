import { createRuntime, defineTool, type Store } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { memoryStore } from "harness-kit/store";
import { callTool, recordingClock, type ScriptedTurn, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { dying } from "./crash.ts";

function runtimeOf(store: Store | undefined, turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns);
  return { model, runtime: createRuntime({ model, store, clock: recordingClock() }) };
}

const texts = (messages: readonly { content: unknown }[]) => messages.map((message) => message.content);

describe("a session", () => {
  it("goes on from the history of the run before, also in another process", async () => {
    const store = memoryStore();
    const first = await runtimeOf(store, ["Hello Ada."]).runtime.session("s1").run("I am Ada.");
    const later = runtimeOf(store, ["You are Ada."]);
    const second = await later.runtime.session("s1").run("Who am I?");
    expect(texts(later.model.requests[0]?.messages ?? [])).toEqual(["I am Ada.", "Hello Ada.", "Who am I?"]);
    expect([first.sessionId, second.sessionId]).toEqual(["s1", "s1"]);
    expect(await later.runtime.session("s1").info()).toMatchObject({
      id: "s1",
      title: "I am Ada.",
      runIds: [first.id, second.id],
    });
    expect(await store.listRuns({ sessionId: "s1" })).toHaveLength(2);
  });

  it("has no history and no entry before its first run", async () => {
    const { runtime } = runtimeOf(memoryStore(), ["Hi."]);
    expect(await runtime.session("s1").info()).toBeUndefined();
    expect(await runtime.session("s1").messages()).toEqual([]);
    await expect(runtime.session("s1").rename("Other")).rejects.toMatchObject({ code: "CONTEXT_NOT_FOUND" });
    await expect(runtime.session("s1").resume()).rejects.toMatchObject({ code: "CONTEXT_NOT_FOUND" });
  });

  it("is called by the beginning of its first line, by what the host says, or by a later name", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, ["a", "b", "c", "d"]);
    await runtime.session("long").run(`${"word ".repeat(40)}\nand more`);
    await runtime.session("named", { title: "Given" }).run("Hi.");
    await runtime.session("renamed").run("Hi.");
    await runtime.session("renamed").rename("Later");
    await runtime.session("renamed").run("Again.");
    const titles = Object.fromEntries((await store.listSessions()).map(({ id, title, runs }) => [id, [title, runs]]));
    expect(titles).toMatchObject({ named: ["Given", 1], renamed: ["Later", 2] });
    expect(titles["long"]?.[0]).toMatch(/^(word )+.*…$/u);
    expect(String(titles["long"]?.[0]).length).toBeLessThanOrEqual(60);
  });

  it("streams its runs", async () => {
    const store = memoryStore();
    const stream = runtimeOf(store, ["Hello."]).runtime.session("s1").stream("Hi.");
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types[0]).toBe("run:start");
    expect(types.at(-1)).toBe("run:end");
    expect((await stream.result).answer).toBe("Hello.");
    expect(texts(await runtimeOf(store, ["x"]).runtime.session("s1").messages())).toEqual(["Hi.", "Hello."]);
  });

  it("passes an abort of its stream on, also one that comes before the run begins", async () => {
    const stream = runtimeOf(memoryStore(), ["Hello."]).runtime.session("s1").stream("Hi.");
    stream.abort("changed my mind");
    expect(await stream.result).toMatchObject({ status: "aborted", error: expect.stringContaining("changed my mind") });
  });

  it("keeps the store that it is given instead of the runtime's", async () => {
    const [own, other] = [memoryStore(), memoryStore()];
    const { runtime } = runtimeOf(own, ["Hi."]);
    const run = await runtime.session("s1", { store: other }).run("Hi.");
    expect(await other.loadRun(run.id)).toBeDefined();
    expect(await own.listRuns()).toEqual([]);
  });

  it("refuses a second run while the first goes on", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, [() => new Promise((resolve) => setImmediate(resolve, "One.")), "Two."]);
    const [first, second] = await Promise.allSettled([
      runtime.session("s1").run("First."),
      runtime.session("s1").run("Second."),
    ]);
    expect(first).toMatchObject({ status: "fulfilled", value: { answer: "One." } });
    expect(second).toMatchObject({ status: "rejected", reason: { code: "CONTEXT_IN_USE" } });
    expect((await runtime.session("s1").run("Third.")).answer).toBe("Two.");
  });

  it("needs an id and a store", () => {
    const { runtime } = runtimeOf(undefined, ["Hi."]);
    expect(() => runtime.session("")).toThrow(TypeError);
    expect(() => runtime.session("s1")).toThrow(/needs a store/u);
    expect(() => runtime.session("s1", { store: {} as never })).toThrow(/store must be an object/u);
  });

  it("gives a run that failed its place in the history", async () => {
    const store = memoryStore();
    const failing = createRuntime({ model: () => Promise.reject(new Error("down")), store, retry: { maxAttempts: 1 } });
    expect((await failing.session("s1").run("Hi.")).status).toBe("failed");
    const { runtime, model } = runtimeOf(store, ["Back."]);
    await runtime.session("s1").run("Still there?");
    expect(texts(model.requests[0]?.messages ?? [])).toEqual(["Hi.", "Still there?"]);
  });
});

describe("a session whose last run is not over", () => {
  const charge = (done: string[]) =>
    defineTool({
      name: "charge",
      description: "Charge.",
      parameters: z.object({}),
      execute: () => {
        done.push("charged");
        return "charged";
      },
    });

  async function interrupted(at: number, done: string[] = []) {
    const inner = memoryStore();
    const { store } = dying(inner, { at, isWritten: true });
    const model = scriptedModel([callTool("charge", {}, "c1"), "Done."]);
    const runtime = createRuntime({ model, store, tools: [charge(done)], clock: recordingClock() });
    await Promise.race([runtime.session("s1").run("Charge it."), new Promise((resolve) => setTimeout(resolve, 20))]);
    return inner;
  }

  it("refuses the next one, and says what to do", async () => {
    const { runtime } = runtimeOf(await interrupted(4), ["Hi."]);
    await expect(runtime.session("s1").run("And?")).rejects.toThrow(/was interrupted .*session\.resume\(\)/u);
    await expect(runtime.session("s1").run("And?")).rejects.toMatchObject({ code: "CONTEXT_UNFINISHED" });
  });

  it("is resumed from where it stopped", async () => {
    const done: string[] = [];
    const store = await interrupted(5, done);
    const model = scriptedModel(["Done."]);
    const runtime = createRuntime({ model, store, tools: [charge(done)], clock: recordingClock() });
    expect(await runtime.session("s1").resume()).toMatchObject({ status: "completed", sessionId: "s1" });
    expect(done).toEqual(["charged"]);
    expect((await runtime.session("s1").messages()).at(-1)?.content).toBe("Done.");
  });

  it("is closed with all that it did, and nothing more", async () => {
    for (const at of [2, 3, 4, 5, 6]) {
      const done: string[] = [];
      const store = await interrupted(at, done);
      const before = done.length;
      const model = scriptedModel(["Next."]);
      const runtime = createRuntime({ model, store, tools: [charge(done)], clock: recordingClock() });
      const run = await runtime.session("s1").run("And?", { unfinished: "close" });
      expect(run).toMatchObject({ status: "completed", answer: "Next." });
      expect(done).toHaveLength(before);
      const [closed] = await store.listRuns({ status: "aborted" });
      const record = await store.loadRun(closed?.id ?? "");
      expect(record).toMatchObject({ status: "aborted", error: expect.stringContaining("given up") });
      const result = run.history.find((message) => message.role === "tool");
      if (at >= 5) expect(result).toMatchObject({ content: "charged" });
      else if (at === 4) expect(result).toMatchObject({ isError: true, content: expect.stringContaining("unknown") });
      else if (at === 3) expect(result).toMatchObject({ isError: true });
    }
  });

  it("answers the questions of a paused run, or closes it", async () => {
    const store = memoryStore();
    const sent: string[] = [];
    const send = defineTool({
      name: "send",
      description: "Send.",
      access: "write",
      parameters: z.object({}),
      execute: () => sent.push("sent"),
    });
    const permission = createGate({ rules: [{ tool: "send", decision: "ask" }], onAsk: "pause" });
    const office = (turns: readonly ScriptedTurn[]) =>
      createRuntime({ model: scriptedModel(turns), tools: [send], permission, store });
    const paused = await office([callTool("send", {}, "c1")])
      .session("s1")
      .run("Send it.");
    const decisions = [{ id: paused.pending?.[0]?.id ?? "", decision: "allow" as const }];
    expect(await office(["Sent."]).session("s1").resume(decisions)).toMatchObject({ answer: "Sent." });
    expect(sent).toEqual(["sent"]);
    await office([callTool("send", {}, "c2")])
      .session("s1")
      .run("Once more.");
    await expect(office(["Hi."]).session("s1").run("Well?")).rejects.toThrow(/waits for answers/u);
    const next = await office(["Fine."]).session("s1").run("Well?", { unfinished: "close" });
    expect(next).toMatchObject({ status: "completed", answer: "Fine." });
    expect(sent).toEqual(["sent"]);
  });

  it("overlooks a run that was entered and never began, and no other that is missing", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, ["One.", "Two.", "Three.", "Four."]);
    const session = runtime.session("s1");
    const first = await session.run("1");
    const record = await session.info();
    if (record === undefined) throw new Error("No session.");
    await store.saveSession({ ...record, runIds: [...record.runIds, "never-began"] });
    const second = await session.run("2");
    expect(texts(second.history)).toEqual(["1", "One.", "2", "Two."]);
    expect((await session.info())?.runIds).toEqual([first.id, second.id]);
    await store.deleteRun(first.id);
    await store.deleteRun(second.id);
    await expect(session.run("3")).rejects.toMatchObject({ code: "CONTEXT_NOT_FOUND" });
  });
});
