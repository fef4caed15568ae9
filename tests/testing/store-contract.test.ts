import { memoryStore, type Store } from "harness-kit/store";
import { type StoreUnderTest, storeContract } from "harness-kit/testing";
import { describe, expect, it } from "vitest";

/** Runs the suite and gives the sentences that do not hold. */
async function brokenPromises(makeStore: () => StoreUnderTest): Promise<string[]> {
  const cases: [string, () => Promise<void>][] = [];
  storeContract(makeStore, { it: (sentence, run) => cases.push([sentence, run]), expect });
  const broken: string[] = [];
  for (const [sentence, run] of cases) await run().catch(() => broken.push(sentence));
  return broken;
}

type Break = (store: Store) => Partial<Store>;

const yes = async () => true;

/** Faults that stores have had, and a word of a sentence that finds each. */
const FAULTS: Readonly<Record<string, readonly [Break, RegExp]>> = {
  "forgets the order": [
    (store) => ({ append: (id, entries) => store.append(id, [...entries].reverse()) }),
    /gives a journal back in the order|takes several entries at once/,
  ],
  "loses the last entry of many": [
    (store) => ({ append: (id, entries) => store.append(id, entries.length > 1 ? entries.slice(0, -1) : entries) }),
    /takes several entries at once/,
  ],
  "begins a journal with nothing": [
    (store) => ({ readJournal: async (id) => (await store.readJournal(id)) ?? { entries: [] } }),
    /and none at all/,
  ],
  "ignores case in ids": [
    (store) => ({
      append: (id, entries) => store.append(id.toLowerCase(), entries),
      readJournal: (id) => store.readJournal(id.toLowerCase()),
    }),
    /keeps the journals of all runs apart/,
  ],
  "waits before it copies": [
    (store) => ({
      saveRun: async (run) => {
        await new Promise((resolve) => setImmediate(resolve));
        await store.saveRun(run);
      },
    }),
    /does not see what is changed after a record was saved/,
  ],
  "gives what can be changed": [
    (store) => ({ loadRun: async (id) => structuredClone(await store.loadRun(id)) }),
    /gives nothing that can be changed/,
  ],
  "reads a newer version": [
    (store) => ({ loadSession: (id) => store.loadSession(id).catch(() => undefined) }),
    /refuses a session of a newer version/,
  ],
  "does not sort": [
    (store) => ({ listRuns: async (query) => [...(await store.listRuns(query))].reverse() }),
    /the newest first/,
  ],
  "knows no limit": [
    (store) => ({ listRuns: (query) => store.listRuns({ ...query, limit: Number.POSITIVE_INFINITY }) }),
    /lists a hundred runs/,
  ],
  "takes a time for the end of a day": [
    (store) => ({
      listRuns: ({ to, ...query } = {}) => store.listRuns({ ...query, to: to === undefined ? to : to + 1 }),
    }),
    /lists the runs that fit/,
  ],
  "keeps the journal of a deleted run": [
    (store) => ({
      deleteRun: async (id) => {
        const journal = await store.readJournal(id);
        const isDeleted = await store.deleteRun(id);
        if (journal !== undefined) await store.append(id, journal.entries);
        return isDeleted;
      },
    }),
    /deletes a run with its journal/,
  ],
  "gives a key to everybody": [() => ({ claim: yes }), /gives a key to the first that asks/],
  "gives a key once only": [
    (store) => {
      const taken = new Set<string>();
      return { claim: async (key, holder) => !taken.has(key) && taken.add(key) && store.claim(key, holder) };
    },
    /whenever it asks/,
  ],
  "gives a lock to everybody": [() => ({ lock: async () => async () => {} }), /gives a lock to one at a time/],
  "unlocks what is not its own": [
    () => {
      const locked = new Set<string>();
      return {
        async lock(name) {
          if (locked.has(name)) return undefined;
          locked.add(name);
          return async () => {
            locked.delete(name);
          };
        },
      };
    },
    /gives back with an unlock nothing but its own lock/,
  ],
  "deletes the runs of a session": [
    (store) => ({
      async deleteSession(id) {
        for (const run of await store.listRuns({ sessionId: id })) await store.deleteRun(run.id);
        return store.deleteSession(id);
      },
    }),
    /deletes a session and leaves its runs/,
  ],
  "throws what it likes": [
    (store) => ({ saveRun: (run) => store.saveRun(run).catch(() => Promise.reject(new TypeError("circular"))) }),
    /refuses a record that is no JSON/,
  ],
};

describe("the contract of stores", () => {
  it.each(Object.entries(FAULTS))("finds a store that %s", async (_name, [breakStore, sentence]) => {
    const broken = await brokenPromises(() => {
      const store = memoryStore();
      return { store: { ...store, ...breakStore(store) } };
    });
    expect(broken).toContainEqual(expect.stringMatching(sentence));
  });

  it("finds a store that another one that has it open cannot read", async () => {
    const broken = await brokenPromises(() => ({ store: memoryStore(), reopen: () => memoryStore() }));
    expect(broken.length).toBeGreaterThan(20);
  });

  it("takes every store away, also when a case fails", async () => {
    let open = 0;
    await brokenPromises(() => {
      open++;
      return { store: { ...memoryStore(), claim: yes }, dispose: () => open-- };
    });
    expect(open).toBe(0);
  });

  it("needs a store, it and expect", () => {
    for (const given of [{ it }, { expect }, {}]) {
      expect(() => storeContract(() => ({ store: memoryStore() }), given as never)).toThrow(
        "storeContract takes a function that makes a store",
      );
    }
    expect(() => storeContract(memoryStore() as never, { it, expect })).toThrow(TypeError);
  });
});
