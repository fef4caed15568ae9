import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore, memoryStore, type PruneOptions, pruneRuns, type Store } from "harness-kit/store";
import { describe, expect, it } from "vitest";
import { STATUS_OF, type StopReason } from "../../../src/contract/run.ts";
import { ENTRIES, RUN, SESSION } from "./file/folder.ts";

const DAY = 86_400_000;
const NOW = 100 * DAY;

interface Made {
  readonly ageDays: number;
  readonly stopReason?: StopReason;
  readonly sessionId?: string;
}

async function save(store: Store, runs: Readonly<Record<string, Made>>): Promise<void> {
  for (const [id, { ageDays, stopReason = "finished", sessionId }] of Object.entries(runs)) {
    const endedAt = NOW - ageDays * DAY;
    await store.saveRun({
      ...RUN,
      id,
      status: STATUS_OF[stopReason],
      stopReason,
      startedAt: endedAt - DAY / 2,
      endedAt,
      ...(sessionId !== undefined && { sessionId }),
    });
  }
}

const left = async (store: Store) => (await store.listRuns()).map(({ id }) => id).join(" ");

describe("pruneRuns", () => {
  const byAge = { new: { ageDays: 1 }, mid: { ageDays: 10 }, old: { ageDays: 31 }, older: { ageDays: 40 } };

  it.each<[PruneOptions, string, string]>([
    [{ olderThanMs: 30 * DAY }, "old older", "new mid"],
    [{ olderThanMs: 31 * DAY }, "older", "new mid old"],
    [{ keep: 1 }, "mid old older", "new"],
    [{ keep: 0 }, "new mid old older", ""],
    [{ keep: 3, olderThanMs: 0 }, "older", "new mid old"],
    [{ keep: 1, olderThanMs: 30 * DAY }, "old older", "new mid"],
    [{ keep: Number.POSITIVE_INFINITY }, "", "new mid old older"],
    [{ olderThanMs: 0, status: "failed" }, "", "new mid old older"],
    [{ olderThanMs: undefined, keep: 2, status: undefined }, "old older", "new mid"],
  ])("forgets the runs that fit %j", async (options, deleted, kept) => {
    const store = memoryStore();
    await save(store, byAge);
    expect((await pruneRuns(store, { now: NOW, ...options })).join(" ")).toBe(deleted);
    expect(await left(store)).toBe(kept);
  });

  it("reads the clock of the system where it is told no time", async () => {
    const store = memoryStore();
    await store.saveRun({ ...RUN, id: "today", startedAt: Date.now(), endedAt: Date.now() });
    await store.saveRun(RUN);
    expect(await pruneRuns(store, { olderThanMs: DAY })).toEqual(["r1"]);
  });

  it("forgets more runs than a list shows by default", async () => {
    const store = memoryStore();
    await save(store, Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`r${index}`, { ageDays: 50 }])));
    expect(await pruneRuns(store, { now: NOW, olderThanMs: DAY })).toHaveLength(150);
  });

  it("leaves what somebody may go on with, unless it is asked for", async () => {
    const store = memoryStore();
    await save(store, { paused: { ageDays: 50, stopReason: "paused" }, failed: { ageDays: 50, stopReason: "failed" } });
    await store.append("unfinished", ENTRIES);
    await store.append("unreadable", ENTRIES.slice(1));
    const all = { now: NOW, olderThanMs: DAY };
    expect(await pruneRuns(store, all)).toEqual(["failed"]);
    expect(await pruneRuns(store, { ...all, status: ["unfinished", "paused"] })).toEqual(["paused", "unfinished"]);
    expect(await pruneRuns(store, { ...all, status: "unreadable" })).toEqual(["unreadable"]);
  });

  it("leaves the last run of a session as long as there is the session", async () => {
    const store = memoryStore();
    await save(store, { a: { ageDays: 50, sessionId: "s1" }, b: { ageDays: 49, sessionId: "s1" }, c: { ageDays: 48 } });
    await store.saveSession({ ...SESSION, runIds: ["a", "b"] });
    await store.saveSession({ ...SESSION, id: "s2", runIds: [] });
    const all = { now: NOW, keep: 0 };
    expect(await pruneRuns(store, all)).toEqual(["c", "a"]);
    await store.deleteSession("s1");
    expect(await pruneRuns(store, all)).toEqual(["b"]);
  });

  it("leaves all runs of a session that cannot be read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "harness-kit-prune-"));
    const store = fileStore(folder);
    await save(store, { a: { ageDays: 50, sessionId: "s1" }, b: { ageDays: 49, sessionId: "s2" }, c: { ageDays: 48 } });
    await store.saveSession({ ...SESSION, runIds: ["a"] });
    await store.saveSession({ ...SESSION, id: "s2", schemaVersion: 999, runIds: ["x"] });
    writeFileSync(join(folder, "sessions", "s1.jsonl"), "damaged");
    expect(await pruneRuns(store, { now: NOW, keep: 0 })).toEqual(["c"]);
    rmSync(folder, { recursive: true });
  });

  it("leaves a run that some process works on", async () => {
    const store = memoryStore();
    await save(store, byAge);
    const unlock = await store.lock("run/old");
    expect(await pruneRuns(store, { now: NOW, keep: 1 })).toEqual(["mid", "older"]);
    await unlock?.();
    expect(await pruneRuns(store, { now: NOW, keep: 1 })).toEqual(["old"]);
    expect(await store.lock("run/old")).toBeTypeOf("function");
  });

  it("tells only of what it deleted itself", async () => {
    const store = memoryStore();
    await save(store, byAge);
    const rival: Store = { ...store, deleteRun: async (id) => id !== "old" && store.deleteRun(id) };
    expect(await pruneRuns(rival, { now: NOW, olderThanMs: 30 * DAY })).toEqual(["older"]);
  });

  it("refuses to delete everything by an oversight", async () => {
    const store = memoryStore();
    await save(store, byAge);
    await expect(pruneRuns(store, {})).rejects.toThrow("pruneRuns needs `olderThanMs`, `keep` or both");
    await expect(pruneRuns(store, { keep: -1 })).rejects.toThrow("`keep` must be a number from 0 up, got -1");
    for (const olderThanMs of [Number.NaN, "1" as unknown as number]) {
      await expect(pruneRuns(store, { olderThanMs })).rejects.toThrow("`olderThanMs` must be a number from 0 up");
    }
    expect(await left(store)).toBe("new mid old older");
  });
});
