/**
 * The store contract: journals.
 *
 * Testing wing (Node).
 */
import { JOURNAL_VERSION, type JournalEntry } from "../contract/store.ts";
import { effectOf, ODD_IDS, refusalOf, type StoreCase, startOf } from "./store-contract-kit.ts";

const ALL_TYPES: readonly JournalEntry[] = [
  startOf("What is 17 + 38?", { sessionId: "s1", system: "Be brief.", metadata: { user: 7 }, hasOutput: true }),
  ...effectOf("1/model", { content: "I add.", toolCalls: [] }),
  { type: "run:resume", at: 1_003, from: 12, decisions: [{ id: "q1", decision: "allow" }] },
  { type: "effect:start", key: "1/tool/call_7", at: 1_004 },
  { type: "run:end", at: 1_005, status: "failed" },
];

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1.5, 1e300, "", "a", [], {}, [[[]]], { a: [{ b: null }] }],
  ...[
    "line\nend\r\n\u2028",
    '"quotes" \\',
    "\u0000\u001f\u007f",
    "n\u00e9 \u20ac \ud83d\ude00",
    "\ud800 alone",
    "#cut\n",
  ],
  ...["x".repeat(300_000), Array.from({ length: 2_000 }, (_, index) => index), JSON.parse('{"__proto__":{"a":1}}')],
];

/** The cases. */
export const journalCases: readonly StoreCase[] = [
  {
    sentence: "gives a journal back in the order in which it was written",
    async run({ store, other, expect }) {
      for (const entry of ALL_TYPES) await store.append("r1", [entry]);
      expect((await other.readJournal("r1"))?.entries).toEqual(ALL_TYPES);
      expect((await store.readJournal("r1"))?.recovered).toBe(undefined);
    },
  },
  {
    sentence: "takes several entries at once, and none at all",
    async run({ store, other, expect }) {
      await store.append("r1", []);
      expect(await other.readJournal("r1")).toBe(undefined);
      await store.append("r1", ALL_TYPES);
      await other.append("r1", []);
      await other.append("r1", effectOf("2/model", 2));
      expect((await store.readJournal("r1"))?.entries).toEqual([...ALL_TYPES, ...effectOf("2/model", 2)]);
    },
  },
  {
    sentence: "loses no entry of those that are added at the same moment",
    async run({ store, other, expect }) {
      await store.append("r1", [startOf("Go!")]);
      const keys = Array.from({ length: 40 }, (_, index) => `${index}/model`);
      await Promise.all(keys.map((key, index) => (index % 2 === 0 ? store : other).append("r1", effectOf(key, index))));
      const entries = (await other.readJournal("r1"))?.entries ?? [];
      const order = entries.flatMap((entry) => (entry.type === "effect:start" ? [entry.key] : []));
      expect([...order].sort()).toEqual([...keys].sort());
      expect(entries.slice(1)).toEqual(order.flatMap((key) => effectOf(key, Number.parseInt(key, 10))));
    },
  },
  {
    sentence: "keeps every kind of JSON as it is",
    async run({ store, other, expect }) {
      for (const [index, value] of VALUES.entries()) await store.append("r1", effectOf(`${index}`, value));
      const entries = (await other.readJournal("r1"))?.entries ?? [];
      const values = entries.flatMap((entry) => (entry.type === "effect:end" ? [entry.value] : []));
      expect(values.map((value) => JSON.stringify(value))).toEqual(VALUES.map((value) => JSON.stringify(value)));
    },
  },
  {
    sentence: "keeps the journals of all runs apart, whatever their ids are",
    async run({ store, other, expect }) {
      for (const id of ODD_IDS) await store.append(id, [startOf(`I am ${id}`)]);
      for (const id of ODD_IDS) await other.append(id, effectOf("1/model", id));
      for (const id of ODD_IDS) {
        const expected = [startOf(`I am ${id}`), ...effectOf("1/model", id)];
        expect((await store.readJournal(id))?.entries).toEqual(expected);
      }
    },
  },
  {
    sentence: "does not see what is changed after an entry was added, and gives nothing that can be changed",
    async run({ store, expect }) {
      const value = { list: [1] };
      const added = store.append("r1", [startOf("Go!"), ...effectOf("1/model", value)]);
      value.list.push(2);
      await added;
      const journal = await store.readJournal("r1");
      expect(journal?.entries.at(-1)).toMatchObject({ value: { list: [1] } });
      expect([journal?.entries, journal?.entries[0]].every(Object.isFrozen)).toBe(true);
    },
  },
  {
    sentence: "refuses a journal of a newer version, and names both",
    async run({ store, other, expect }) {
      await store.append("r1", [startOf("Go!", { schemaVersion: JOURNAL_VERSION + 998 })]);
      const refusal = await refusalOf(other.readJournal("r1"));
      expect(refusal).toMatchObject({ code: "CONTEXT_SNAPSHOT_VERSION", retryable: false });
      const named = [JOURNAL_VERSION + 998, JOURNAL_VERSION].filter((version) =>
        refusal.message.includes(`${version}`),
      );
      expect(named.length).toBe(2);
    },
  },
  {
    sentence: "refuses an entry that is no JSON, and adds nothing of it",
    async run({ store, other, expect }) {
      await store.append("r1", [startOf("Go!")]);
      const cyclic: Record<string, unknown> = {};
      cyclic["self"] = cyclic;
      const refusal = await refusalOf(store.append("r1", [...effectOf("1/model", 1), ...effectOf("2/model", cyclic)]));
      expect(refusal.code).toBe("CONTEXT_NOT_SERIALIZABLE");
      expect((await other.readJournal("r1"))?.entries).toEqual([startOf("Go!")]);
    },
  },
];
