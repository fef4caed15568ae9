/**
 * The store contract: records of runs, and their list.
 *
 * Testing wing (Node).
 */
import { RUN_SCHEMA_VERSION, type RunStatus, type StopReason } from "../contract/run.ts";
import type { RunQuery, Store } from "../contract/store.ts";
import {
  effectOf,
  ODD_IDS,
  recordOf,
  refusalOf,
  type StoreCase,
  type StoreKit,
  startOf,
} from "./store-contract-kit.ts";

/** A record that uses what records have. */
const FULL = recordOf("r1", {
  status: "failed",
  stopReason: "failed",
  error: "Slow down",
  errorKind: "model",
  errorCode: "MODEL_RATE_LIMITED",
  sessionId: "s1",
  metadata: { user: { name: "Ada \ud83d\ude00" } },
});

const KINDS: readonly (readonly [status: RunStatus, stopReason: StopReason])[] = [
  ["completed", "finished"],
  ["failed", "timeout"],
  ["aborted", "aborted"],
  ["paused", "paused"],
];

/** Runs of every status, a second apart, every other one of a session; the last one has no record. */
async function fill(store: Store): Promise<void> {
  for (const [index, [status, stopReason]] of KINDS.entries()) {
    const startedAt = 1_000 * (index + 1);
    const session = index % 2 === 0 ? { sessionId: "s1" } : {};
    await store.saveRun(recordOf(status, { status, stopReason, startedAt, endedAt: startedAt + 10, ...session }));
  }
  await store.append("unfinished", [startOf("Go!", { at: 5_000, sessionId: "s1" })]);
}

async function listed(store: Store, query?: RunQuery): Promise<string> {
  return (await store.listRuns(query)).map(({ id }) => id).join(" ");
}

const QUERIES: readonly (readonly [query: RunQuery | undefined, ids: string])[] = [
  [undefined, "unfinished paused aborted failed completed"],
  [{}, "unfinished paused aborted failed completed"],
  [{ status: "failed" }, "failed"],
  [{ status: "unfinished" }, "unfinished"],
  [{ status: ["completed", "paused"] }, "paused completed"],
  [{ status: [] }, ""],
  [{ from: 2_000 }, "unfinished paused aborted failed"],
  [{ to: 2_000 }, "completed"],
  [{ from: 2_000, to: 4_000 }, "aborted failed"],
  [{ sessionId: "s1" }, "unfinished aborted completed"],
  [{ sessionId: "s2" }, ""],
  [{ limit: 2 }, "unfinished paused"],
  [{ limit: 0 }, ""],
  [{ limit: Number.POSITIVE_INFINITY, status: undefined }, "unfinished paused aborted failed completed"],
  [{ status: ["completed", "failed", "aborted"], sessionId: "s1", from: 1_000, to: 3_001, limit: 1 }, "aborted"],
];

async function listsByQuery({ store, other, expect }: StoreKit): Promise<void> {
  await fill(store);
  for (const [query, ids] of QUERIES) expect(await listed(other, query)).toBe(ids);
}

/** The cases. */
export const runCases: readonly StoreCase[] = [
  {
    sentence: "gives a record back as it was saved",
    async run({ store, other, expect }) {
      expect(await store.loadRun("r1")).toBe(undefined);
      await store.saveRun(FULL);
      expect(await other.loadRun("r1")).toEqual(FULL);
      expect(await other.loadRun("r2")).toBe(undefined);
    },
  },
  {
    sentence: "keeps a record in place of the one before",
    async run({ store, other, expect }) {
      const paused = recordOf("r1", { status: "paused", stopReason: "paused", answer: "x".repeat(100_000) });
      await store.saveRun(paused);
      await other.saveRun(FULL);
      expect(await store.loadRun("r1")).toEqual(FULL);
      expect(await listed(store, { status: "paused" })).toBe("");
    },
  },
  {
    sentence: "keeps one of the records that are saved at the same moment, and keeps it whole",
    async run({ store, other, expect }) {
      const answers = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(2_000));
      await Promise.all(
        answers.map((answer, index) => (index % 2 === 0 ? store : other).saveRun(recordOf("r1", { answer }))),
      );
      expect(answers.includes((await other.loadRun("r1"))?.answer ?? "")).toBe(true);
    },
  },
  {
    sentence: "does not see what is changed after a record was saved, and gives nothing that can be changed",
    async run({ store, expect }) {
      const run = recordOf("r1", { metadata: { list: [1] } });
      const saved = store.saveRun(run);
      (run.metadata as { list: number[] }).list.push(2);
      await saved;
      const loaded = await store.loadRun("r1");
      expect(loaded?.metadata).toEqual({ list: [1] });
      expect([loaded, loaded?.history, loaded?.steps[0]].every(Object.isFrozen)).toBe(true);
    },
  },
  {
    sentence: "keeps the records of all runs apart, whatever their ids are",
    async run({ store, other, expect }) {
      for (const id of ODD_IDS) await store.saveRun(recordOf(id, { input: `I am ${id}` }));
      for (const id of ODD_IDS) expect((await other.loadRun(id))?.input).toBe(`I am ${id}`);
      const ids = (await other.listRuns({ limit: Number.POSITIVE_INFINITY })).map(({ id }) => id);
      expect([...ids].sort()).toEqual([...ODD_IDS].sort());
    },
  },
  {
    sentence: "refuses a record of a newer version, names both, and keeps it",
    async run({ store, other, expect }) {
      await store.saveRun(recordOf("r1", { schemaVersion: RUN_SCHEMA_VERSION + 998 }));
      const refusal = await refusalOf(other.loadRun("r1"));
      expect(refusal).toMatchObject({ code: "CONTEXT_SNAPSHOT_VERSION", retryable: false });
      expect(refusal.message.includes(`${RUN_SCHEMA_VERSION + 998}`)).toBe(true);
      expect((await refusalOf(store.loadRun("r1"))).code).toBe("CONTEXT_SNAPSHOT_VERSION");
    },
  },
  {
    sentence: "refuses a record that is no JSON, and keeps the one before",
    async run({ store, other, expect }) {
      await store.saveRun(FULL);
      const cyclic: Record<string, unknown> = {};
      cyclic["self"] = cyclic;
      const refusal = await refusalOf(store.saveRun(recordOf("r1", { metadata: cyclic })));
      expect(refusal.code).toBe("CONTEXT_NOT_SERIALIZABLE");
      expect(await other.loadRun("r1")).toEqual(FULL);
    },
  },
  {
    sentence: "lists a run with what a list shows",
    async run({ store, other, expect }) {
      await store.saveRun(FULL);
      const { id, input, status, stopReason, startedAt, endedAt, errorKind, errorCode, sessionId } = FULL;
      const summary = { id, input, status, stopReason, startedAt, endedAt, errorKind, errorCode, sessionId };
      expect(await other.listRuns()).toEqual([summary]);
    },
  },
  {
    sentence: "lists a run with a journal and no record as unfinished, until it has one",
    async run({ store, other, expect }) {
      await store.append("r1", [startOf("Go!", { sessionId: "s1" }), ...effectOf("1/model", 1)]);
      const summary = { id: "r1", input: "Go!", status: "unfinished", startedAt: 1_000, sessionId: "s1" };
      expect(await other.listRuns()).toEqual([summary]);
      await store.saveRun(FULL);
      await store.append("r1", [{ type: "run:end", at: 1_003, status: "failed" }]);
      expect((await other.listRuns()).map(({ status }) => status)).toEqual(["failed"]);
    },
  },
  {
    sentence: "lists a paused run that goes on as unfinished, until its next part is over",
    async run({ store, other, expect }) {
      const statuses = async () => (await other.listRuns()).map(({ status }) => status);
      const paused = recordOf("r1", { status: "paused", stopReason: "paused" });
      await store.saveRun(paused);
      expect(await statuses()).toEqual(["paused"]);
      await store.append("r1", [{ type: "run:resume", at: 1_001, from: 1, decisions: [] }]);
      expect(await statuses()).toEqual(["unfinished"]);
      await store.append("r1", effectOf("2/model", "x".repeat(2_000)));
      expect(await other.listRuns({ status: "paused" })).toEqual([]);
      await store.saveRun(paused);
      await store.append("r1", [{ type: "run:end", at: 1_003, status: "paused" }]);
      expect(await statuses()).toEqual(["paused"]);
    },
  },
  {
    sentence: "lists the beginning of a long input only",
    async run({ store, other, expect }) {
      await store.saveRun(recordOf("r1", { input: "x".repeat(100_000) }));
      await store.append("r2", [startOf("y".repeat(100_000))]);
      const inputs = (await other.listRuns()).map(({ input }) => input);
      expect(inputs.map((input) => input[0]).sort()).toEqual(["x", "y"]);
      expect(inputs.every(({ length }) => length <= 1_000)).toBe(true);
    },
  },
  { sentence: "lists the runs that fit, the newest first", run: listsByQuery },
  {
    sentence: "lists a hundred runs where no limit is given",
    async run({ store, other, expect }) {
      for (let index = 0; index < 101; index++) await store.saveRun(recordOf(`r${index}`, { startedAt: index }));
      const runs = await other.listRuns();
      expect([runs.length, runs[0]?.id, runs.at(-1)?.id]).toEqual([100, "r100", "r1"]);
    },
  },
  {
    sentence: "deletes a run with its journal, and no other",
    async run({ store, other, expect }) {
      await fill(store);
      await store.append("failed", [startOf("Go!")]);
      expect(await other.deleteRun("failed")).toBe(true);
      expect(await other.deleteRun("unfinished")).toBe(true);
      expect(await store.deleteRun("unfinished")).toBe(false);
      expect(await store.deleteRun("never")).toBe(false);
      expect([await store.loadRun("failed"), await store.readJournal("failed")]).toEqual([undefined, undefined]);
      expect(await listed(store)).toBe("paused aborted completed");
    },
  },
  {
    sentence: "begins a run anew under the id of a deleted one",
    async run({ store, other, expect }) {
      await store.append("r1", [startOf("Go!"), ...effectOf("1/model", 1)]);
      await other.deleteRun("r1");
      await store.append("r1", [startOf("Again!")]);
      expect((await other.readJournal("r1"))?.entries).toEqual([startOf("Again!")]);
      expect((await other.listRuns()).map(({ input }) => input)).toEqual(["Again!"]);
    },
  },
];
