import { createRuntime, type JournalEntry } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { memoryStore } from "harness-kit/store";
import { callTool, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { readStanding } from "../../src/runtime/read-standing.ts";
import { spyTool } from "./helpers.ts";

const start: JournalEntry = { type: "run:start", schemaVersion: 1, at: 5, input: "Go.", messages: [] };
const tools = [spyTool("send", () => "sent", { access: "write" }).tool];
const gate = createGate({ rules: [{ tool: "send", decision: "ask" }], onAsk: "pause" });

/** A store with entries, and how what it holds stands. */
async function standing(entries: readonly object[], store = memoryStore(), id = "r1") {
  if (entries.length > 0) await store.append(id, entries as readonly JournalEntry[]);
  return readStanding({ store, clock: recordingClock(), timeoutMs: 1_000 }, id);
}

/** A paused run in a store. */
async function paused() {
  const store = memoryStore();
  const model = scriptedModel([callTool("send", {}, "c1")]);
  const run = await createRuntime({ model, tools, permission: gate, store }).run("Send it.");
  return { store, run };
}

describe("how a stored run stands", () => {
  it("is over where its record says so, whatever its journal holds", async () => {
    const store = memoryStore();
    const run = await createRuntime({ model: scriptedModel(["Done."]), store }).run("Go.");
    expect(await standing([], store, run.id)).toMatchObject({ type: "ended", run: { answer: "Done." } });
  });

  it("is unknown where the store has nothing", async () => {
    await expect(standing([], memoryStore(), "none")).rejects.toMatchObject({
      code: "CONTEXT_NOT_FOUND",
      message: 'The store has no run "none". Look for its id in store.listRuns().',
    });
  });

  it("is paused where the record is the last word, with a journal or without one", async () => {
    const { store, run } = await paused();
    expect(await standing([], store, run.id)).toMatchObject({ type: "paused", run: { id: run.id } });
    const bare = memoryStore();
    await bare.saveRun(run);
    expect(await standing([], bare, run.id)).toMatchObject({ type: "paused", run: { id: run.id } });
  });

  it("is paused as well where it went on and paused again, and interrupted where it did not come so far", async () => {
    const { store, run } = await paused();
    const resume = (from: number) => ({ type: "run:resume", at: 6, from, decisions: [] });
    const count = run.eventCount ?? 0;
    const later = { type: "effect:end", key: "1/tool/c1", at: 7, value: { ok: 1 } };
    expect(await standing([resume(count - 1), later], store, run.id)).toMatchObject({ type: "paused" });
    const interrupted = await standing([resume(count), later], store, run.id);
    expect(interrupted).toMatchObject({
      type: "interrupted",
      id: run.id,
      opening: { type: "run:resume", from: count },
    });
    expect(interrupted).toHaveProperty("base.id", run.id);
    expect(interrupted).toHaveProperty("known", new Map([["1/tool/c1", { ok: 1 }]]));
  });

  it("is interrupted with what ended and what was in flight, in the last part only", async () => {
    expect(
      await standing([
        start,
        { type: "effect:start", key: "1/model", at: 6 },
        { type: "effect:end", key: "1/model", at: 7, value: null },
        { type: "effect:start", key: "1/tool/a", at: 8 },
        { type: "run:end", at: 9, status: "aborted" },
      ]),
    ).toEqual({
      type: "interrupted",
      id: "r1",
      opening: start,
      base: undefined,
      known: new Map([["1/model", null]]),
      inFlight: new Map([["1/tool/a", 8]]),
    });
  });

  it("is damaged where its beginning is missing, or the record that it goes on from", async () => {
    const damaged = (why: string) => ({
      code: "CONTEXT_STORE_DAMAGED",
      message: `The journal of the run "r1" cannot be used: ${why}. Restore it from a backup, or start a new run.`,
    });
    await expect(standing([{ type: "effect:start", key: "1/model", at: 6 }])).rejects.toMatchObject(
      damaged("it does not say how the run began"),
    );
    await expect(standing([{ type: "run:resume", at: 6, from: 3, decisions: [] }])).rejects.toMatchObject(
      damaged("the paused record that it goes on from is missing"),
    );
    for (const [version, told] of [
      [0, "0"],
      ["2", '"2"'],
      [undefined, "undefined"],
    ] as const) {
      await expect(standing([{ ...start, schemaVersion: version }])).rejects.toMatchObject(
        damaged(`it has the version ${told}`),
      );
    }
  });

  it("is newer where its journal says so", async () => {
    const entries = [{ ...start, schemaVersion: 2 }] as const;
    const store = { ...memoryStore(), readJournal: async () => ({ entries }) };
    await expect(standing([], store)).rejects.toMatchObject({
      code: "CONTEXT_SNAPSHOT_VERSION",
      message:
        'The journal of the run "r1" has version 2, this package reads up to 1. Update harness-kit to resume it.',
    });
  });
});

describe("what a run can be resumed with", () => {
  const runtimeOf = (more = {}) => createRuntime({ model: scriptedModel(["Done."]), permission: gate, tools, ...more });

  it("is a paused record with questions", async () => {
    const { run } = await paused();
    const over = await createRuntime({ model: scriptedModel(["Done."]) }).run("Go.");
    const message = `Only a paused run can be resumed; the run "${over.id}" is completed. Start a new run instead.`;
    await expect(runtimeOf().resume(over)).rejects.toThrow(expect.objectContaining({ name: "TypeError", message }));
    for (const pending of [undefined, []]) {
      await expect(runtimeOf().resume({ ...run, pending })).rejects.toThrow(TypeError);
    }
    const text = JSON.stringify(run);
    for (const given of [text, `\n  ${text}`]) expect((await runtimeOf().resume(given)).status).toBe("paused");
  });

  it("is an id only where there is a store", async () => {
    for (const id of ["some-id", "x{", "", " "]) {
      await expect(runtimeOf().resume(id)).rejects.toThrow(
        `resume(${JSON.stringify(id)}) needs a store to find the run in. Write createRuntime({ store }), or pass the record.`,
      );
    }
  });

  it("are answers in a list, each to one of its questions", async () => {
    const { run } = await paused();
    for (const [decisions, told] of [
      ["allow", /must be an array such as \[\{ id, decision: "allow" \}\], got "allow"/],
      [[null], /The decision null belongs to none of the run's questions/],
      [["allow"], /The decision "allow" belongs to none/],
      [
        [{ id: "other", decision: "allow" }],
        /belongs to none of the run's questions\. Its id is that of an entry of run\.pending/,
      ],
    ] as const) {
      await expect(runtimeOf().resume(run, decisions as never)).rejects.toThrow(told);
    }
  });

  it("is refused where the store has gone on, and free again afterwards", async () => {
    const { store, run } = await paused();
    const runtime = runtimeOf({ store });
    await expect(runtime.resume({ ...run, eventCount: 1 })).rejects.toMatchObject({
      code: "CONTEXT_IN_USE",
      message: expect.stringContaining(
        "has gone on since this record was made. Go on from the store: runtime.resume(id).",
      ),
    });
    const done = await runtime.resume(run, [{ id: run.pending?.[0]?.id ?? "", decision: "deny" }]);
    expect(done.status).toBe("completed");
    await expect(runtime.resume(run)).rejects.toMatchObject({ code: "CONTEXT_IN_USE" });
  });

  it("was taken already where the process died behind it; the same answers are no news, others are refused", async () => {
    const { store, run } = await paused();
    const id = run.pending?.[0]?.id ?? "";
    const decisions = [{ id, decision: "deny" }] as const;
    const entry = { type: "run:resume", at: 6, from: run.eventCount ?? 0, decisions } as const;
    await store.append(run.id, [entry]);
    const runtime = runtimeOf({ store });
    for (const other of [[{ id, decision: "allow" }], [{ id: "x", decision: "deny" }]] as const) {
      await expect(runtime.resume(run.id, other)).rejects.toThrow(
        `The run "${run.id}" asks nothing now: it was interrupted. Write resume(id) without decisions.`,
      );
    }
    expect((await runtime.resume(run.id, decisions)).status).toBe("completed");
  });

  it("goes on with calls whose arguments were broken, as they stand in the record", async () => {
    const turn = {
      content: "",
      finishReason: "toolCalls" as const,
      toolCalls: [
        { id: "c1", name: "send", arguments: {} },
        { id: "c2", name: "send", arguments: '{"cut' },
      ],
    };
    const run = await createRuntime({ model: scriptedModel([turn]), tools, permission: gate }).run("Go.");
    expect(run.status).toBe("paused");
    const answer = [{ id: run.pending?.[0]?.id ?? "", decision: "allow" as const }];
    const done = await runtimeOf().resume(run, answer);
    const results = done.steps.flatMap((step) => (step.type === "tool" ? [[step.call, step.result.ok]] : []));
    expect(results).toEqual(
      expect.arrayContaining([
        [turn.toolCalls[0], true],
        [turn.toolCalls[1], false],
      ]),
    );
  });
});
