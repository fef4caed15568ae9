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

describe("a session, word for word", () => {
  it("names itself by the first line of its input, cut at sixty characters, without what is around it", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, ["a", "b", "c"]);
    await runtime.session("s1").run("\n  First line.  \nSecond line.");
    await runtime.session("s2").run("x".repeat(60));
    await runtime.session("s3").run("y".repeat(61));
    const titles = Object.fromEntries((await store.listSessions()).map(({ id, title }) => [id, title]));
    expect(titles).toMatchObject({ s1: "First line.", s2: "x".repeat(60) });
    expect(titles["s3"]).toBe(`${"y".repeat(59)}…`);
  });

  it("keeps when it began, and moves on when it was last used", async () => {
    const store = memoryStore();
    const at = async (start: number) => {
      const clock = recordingClock({ start });
      await createRuntime({ model: scriptedModel(["ok"]), store, clock })
        .session("s1")
        .run("Hi.");
    };
    await at(1_000);
    await at(2_000);
    expect(await store.loadSession("s1")).toMatchObject({ schemaVersion: 1, createdAt: 1_000, updatedAt: 2_000 });
  });

  it("refuses options, ids and titles that are none", () => {
    const { runtime } = runtimeOf(memoryStore(), ["Hi."]);
    expect(() => runtime.session("s1", 5 as never)).toThrow(
      /^The options must be an object such as \{ signal \}, got 5/u,
    );
    expect(() => runtime.session(7 as never)).toThrow(/^A session needs an id, got 7\./u);
    expect(() => runtime.session("s1", { title: 5 as never })).toThrow(/title/u);
    expect(() => runtime.session("s1").rename(5 as never)).toThrow(TypeError);
    const bare = runtimeOf(undefined, ["Hi."]).runtime;
    expect(() => bare.session("s1")).toThrow(
      'session("s1") needs a store. Write createRuntime({ store }) or session(id, { store }).',
    );
    expect(() => bare.session("s1", { store: memoryStore() })).not.toThrow();
  });

  it("says that it has no run yet, and who else works on it", async () => {
    const store = memoryStore();
    const session = runtimeOf(store, ["Hi."]).runtime.session("s1");
    await expect(session.resume()).rejects.toThrow(
      'The session "s1" has no run yet. Start one with session.run(input).',
    );
    const unlock = await store.lock("session/s1");
    await expect(session.run("Hi.")).rejects.toThrow(/^The session "s1" /u);
    await expect(session.rename("x")).rejects.toMatchObject({ code: "CONTEXT_IN_USE" });
    await unlock?.();
    expect((await session.run("Hi.")).answer).toBe("Hi.");
  });

  it.each(["loadSession", "saveSession", "loadRun"] as const)(
    "rejects typed when %s fails, and is free again",
    async (method) => {
      const inner = memoryStore();
      await runtimeOf(inner, ["One."]).runtime.session("s1").run("1");
      let isDown = true;
      const fail = () => (isDown ? Promise.reject(new Error("disk gone")) : undefined);
      const store: Store = {
        ...inner,
        [method]: (given: never) => fail() ?? (inner[method] as (given: never) => Promise<unknown>)(given),
      };
      const session = runtimeOf(store, ["Two."]).runtime.session("s1");
      const failure = session.run("2");
      if (method === "saveSession") {
        expect(await failure).toMatchObject({ status: "failed", errorCode: "CONTEXT_STORE_FAILED" });
        expect((await failure).error).toBe("The store failed to save the session: disk gone");
      } else {
        const what = method === "loadSession" ? "load the session" : "load the run";
        await expect(failure).rejects.toMatchObject({
          code: "CONTEXT_STORE_FAILED",
          message: `The store failed to ${what}: disk gone`,
        });
      }
      isDown = false;
      expect((await session.run("2")).answer).toBe("Two.");
    },
  );

  it("gives its run although the lock cannot be given back", async () => {
    const inner = memoryStore();
    const store: Store = {
      ...inner,
      lock: async (name) => {
        const unlock = await inner.lock(name);
        if (!name.startsWith("session/") || unlock === undefined) return unlock;
        return () => Promise.reject(new Error("no unlock"));
      },
    };
    expect(await runtimeOf(store, ["Hi."]).runtime.session("s1").run("Hi.")).toMatchObject({ answer: "Hi." });
  });

  it("reads its messages also while its last run waits or was interrupted: those before it", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, ["One."]);
    await runtime.session("s1").run("1");
    const gate = createGate({ rules: [{ tool: "send", decision: "ask" }], onAsk: "pause" });
    const send = {
      name: "send",
      description: "Send.",
      access: "write" as const,
      parameters: z.object({}),
      execute: () => 1,
    };
    const pausing = createRuntime({
      model: scriptedModel([callTool("send", {}, "c1")]),
      tools: [send],
      permission: gate,
      store,
    });
    const paused = await pausing.session("s1").run("Send it.");
    expect(paused.status).toBe("paused");
    expect(texts(await pausing.session("s1").messages())).toEqual(["1", "One."]);
    const message = `The last run of the session "s1" waits for answers (${paused.id}). Go on with session.resume(), or write run(input, { unfinished: "close" }).`;
    await expect(pausing.session("s1").run("More.")).rejects.toThrow(message);
  });

  it("says which run is lost that it goes on from", async () => {
    const store = memoryStore();
    const { runtime } = runtimeOf(store, ["One.", "Two.", "Three."]);
    const first = await runtime.session("s1").run("1");
    const second = await runtime.session("s1").run("2");
    await store.deleteRun(first.id);
    await store.deleteRun(second.id);
    await expect(runtime.session("s1").run("3")).rejects.toThrow(
      `The store no longer has the run ${first.id} that the session "s1" goes on from. Restore it from a backup, or delete the session.`,
    );
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
