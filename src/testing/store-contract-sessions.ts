/**
 * The store contract: sessions.
 *
 * Testing wing (Node).
 */
import { SESSION_VERSION } from "../contract/store.ts";
import { ODD_IDS, recordOf, refusalOf, type StoreCase, sessionOf } from "./store-contract-kit.ts";

/** The cases. */
export const sessionCases: readonly StoreCase[] = [
  {
    sentence: "gives a session back as it was saved, in place of the one before",
    async run({ store, other, expect }) {
      expect(await store.loadSession("s1")).toBe(undefined);
      await store.saveSession(sessionOf("s1", { runIds: ["r1"] }));
      const later = sessionOf("s1", { runIds: ["r1", "r2"], title: "Caf\u00e9 \ud83d\ude00\n", updatedAt: 3_000 });
      await other.saveSession(later);
      expect(await store.loadSession("s1")).toEqual(later);
      expect(await store.loadSession("s2")).toBe(undefined);
    },
  },
  {
    sentence: "does not see what is changed after a session was saved, and gives nothing that can be changed",
    async run({ store, expect }) {
      const runIds = ["r1"];
      const saved = store.saveSession(sessionOf("s1", { runIds }));
      runIds.push("r2");
      await saved;
      const loaded = await store.loadSession("s1");
      expect(loaded?.runIds).toEqual(["r1"]);
      expect([loaded, loaded?.runIds].every(Object.isFrozen)).toBe(true);
    },
  },
  {
    sentence: "lists sessions, the latest changed first, with how many runs they have",
    async run({ store, other, expect }) {
      expect(await store.listSessions()).toEqual([]);
      await store.saveSession(sessionOf("s1", { updatedAt: 2_000, runIds: ["r1", "r2"] }));
      await store.saveSession(sessionOf("s2", { updatedAt: 3_000 }));
      await store.saveSession(sessionOf("s3", { updatedAt: 1_000 }));
      const [first, second, third] = await other.listSessions();
      expect([first?.id, second?.id, third?.id]).toEqual(["s2", "s1", "s3"]);
      expect(second).toEqual({ id: "s1", title: "About s1", createdAt: 1_000, updatedAt: 2_000, runs: 2 });
    },
  },
  {
    sentence: "keeps sessions apart, whatever their ids are",
    async run({ store, other, expect }) {
      for (const id of ODD_IDS) await store.saveSession(sessionOf(id));
      for (const id of ODD_IDS) expect(await other.loadSession(id)).toEqual(sessionOf(id));
      expect((await other.listSessions()).map(({ id }) => id).sort()).toEqual([...ODD_IDS].sort());
    },
  },
  {
    sentence: "deletes a session and leaves its runs",
    async run({ store, other, expect }) {
      await store.saveRun(recordOf("r1", { sessionId: "s1" }));
      await store.saveSession(sessionOf("s1", { runIds: ["r1"] }));
      expect(await other.deleteSession("s1")).toBe(true);
      expect(await store.deleteSession("s1")).toBe(false);
      expect([await store.loadSession("s1"), await store.listSessions()]).toEqual([undefined, []]);
      expect((await store.loadRun("r1"))?.sessionId).toBe("s1");
    },
  },
  {
    sentence: "refuses a session of a newer version, names both, and keeps it",
    async run({ store, other, expect }) {
      await store.saveSession(sessionOf("s1", { schemaVersion: SESSION_VERSION + 998 }));
      const refusal = await refusalOf(other.loadSession("s1"));
      expect(refusal).toMatchObject({ code: "CONTEXT_SNAPSHOT_VERSION", retryable: false });
      expect(refusal.message.includes(`${SESSION_VERSION + 998}`)).toBe(true);
      expect((await refusalOf(store.loadSession("s1"))).code).toBe("CONTEXT_SNAPSHOT_VERSION");
    },
  },
];
