/**
 * The store contract: claims and locks, which at most one has.
 *
 * Testing wing (Node).
 */
import { ODD_IDS, type StoreCase } from "./store-contract-kit.ts";

const CONTENDERS = Array.from({ length: 20 }, (_, index) => `holder ${index}`);

/** The cases. */
export const holdCases: readonly StoreCase[] = [
  {
    sentence: "gives a key to the first that asks, whenever it asks, and to no other",
    async run({ store, other, expect }) {
      expect(await store.claim("approval 1", "a")).toBe(true);
      expect(await other.claim("approval 1", "b")).toBe(false);
      expect(await other.claim("approval 1", "a")).toBe(true);
      expect(await store.claim("approval 1", "a ")).toBe(false);
      expect(await store.claim("approval 2", "b")).toBe(true);
    },
  },
  {
    sentence: "gives a key to exactly one of those that ask at the same moment",
    async run({ store, other, expect }) {
      const claims = CONTENDERS.map((holder, index) => (index % 2 === 0 ? store : other).claim("key", holder));
      const winners = (await Promise.all(claims)).flatMap((isTaken, index) => (isTaken ? [CONTENDERS[index]] : []));
      expect(winners.length).toBe(1);
      expect(await other.claim("key", winners[0] ?? "")).toBe(true);
    },
  },
  {
    sentence: "keeps a claim when runs are deleted",
    async run({ store, other, expect }) {
      await store.claim("r1", "a");
      await store.deleteRun("r1");
      expect(await other.claim("r1", "b")).toBe(false);
    },
  },
  {
    sentence: "keeps keys, holders and locks apart, whatever they are",
    async run({ store, other, expect }) {
      for (const id of ODD_IDS) expect(await store.claim(id, id)).toBe(true);
      for (const id of ODD_IDS)
        expect([await other.claim(id, id), await other.claim(id, `${id}!`)]).toEqual([true, false]);
      const unlocks = [];
      for (const id of ODD_IDS) unlocks.push(await store.lock(id));
      expect(unlocks.every((unlock) => typeof unlock === "function")).toBe(true);
      for (const unlock of unlocks) await unlock?.();
    },
  },
  {
    sentence: "gives a lock to one at a time",
    async run({ store, other, expect }) {
      const unlock = await store.lock("run r1");
      expect(typeof unlock).toBe("function");
      expect(await other.lock("run r1")).toBe(undefined);
      expect(await store.lock("run r1")).toBe(undefined);
      const unlockOther = await other.lock("run r2");
      await unlock?.();
      const again = await other.lock("run r1");
      expect(typeof again).toBe("function");
      await unlockOther?.();
      await again?.();
    },
  },
  {
    sentence: "gives a lock to exactly one of those that ask at the same moment",
    async run({ store, other, expect }) {
      for (let round = 0; round < 5; round++) {
        const asked = CONTENDERS.map((_, index) => (index % 2 === 0 ? store : other).lock("run r1"));
        const unlocks = (await Promise.all(asked)).filter((unlock) => unlock !== undefined);
        expect(unlocks.length).toBe(1);
        await unlocks[0]?.();
      }
    },
  },
  {
    sentence: "gives back with an unlock nothing but its own lock",
    async run({ store, other, expect }) {
      const unlock = await store.lock("run r1");
      await unlock?.();
      const next = await other.lock("run r1");
      await unlock?.();
      expect(await store.lock("run r1")).toBe(undefined);
      await next?.();
    },
  },
];
