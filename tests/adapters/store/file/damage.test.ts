import { readFileSync } from "node:fs";
import { fileStore } from "harness-kit/store";
import { beforeEach, describe, expect, it } from "vitest";
import type { JournalEntry, Store } from "../../../../src/contract/store.ts";
import { ENTRIES, freshStore, outcomeOf, put, RUN, rewrite, SESSION } from "./folder.ts";

const FLIPS = Number(process.env["HARNESS_KIT_FLIPS"] ?? 1_000);
const SEED = Number(process.env["HARNESS_KIT_SEED"] ?? 0);

const NEXT: JournalEntry = { type: "effect:start", key: "9/model", at: 9_000 };

let store: Store;
let folder: string;
let path: (...parts: string[]) => string;

beforeEach(async () => {
  ({ folder, store, path } = freshStore());
  for (const entry of ENTRIES) await store.append("r1", [entry]);
  await store.saveRun(RUN);
  await store.saveSession(SESSION);
});

const journalPath = () => path("runs", "r1", "journal.jsonl");
const recordPath = () => path("runs", "r1", "run.jsonl");
const sessionPath = () => path("sessions", "s1.jsonl");

/** Where each line of the journal ends. */
function lineEnds(bytes: Buffer): number[] {
  return [...bytes.keys()].filter((index) => bytes[index] === 0x0a).map((index) => index + 1);
}

describe("a journal that is cut", () => {
  it("gives at every byte the entries that are whole, and says what it left out", async () => {
    const whole = readFileSync(journalPath());
    const ends = lineEnds(whole);
    for (let length = 0; length <= whole.length; length++) {
      put(journalPath(), whole.subarray(0, length));
      const journal = await store.readJournal("r1");
      const lines = ends.filter((end) => end <= length).length;
      expect(journal?.entries).toEqual(ENTRIES.slice(0, Math.max(0, lines - 1)));
      const isTorn = length > 0 && !ends.includes(length);
      expect(journal?.recovered).toBe(
        isTorn ? `Line ${lines + 1} was cut while being written, and left out.` : undefined,
      );
    }
  });

  it("goes on after an append as if what was cut had never been, at every byte, and still says so", async () => {
    const whole = readFileSync(journalPath());
    for (let length = 0; length <= whole.length; length++) {
      put(journalPath(), whole.subarray(0, length));
      const before = await store.readJournal("r1");
      await fileStore(folder).append("r1", [NEXT]);
      const after = await store.readJournal("r1");
      expect(after?.entries).toEqual([...(before?.entries ?? []), NEXT]);
      expect(after?.recovered).toBe(before?.recovered);
    }
  });

  it("goes on also when that append is cut at any byte, and the one after it", async () => {
    const whole = readFileSync(journalPath());
    const cut = whole.length - 7;
    put(journalPath(), whole.subarray(0, cut));
    await store.append("r1", [NEXT]);
    const appended = readFileSync(journalPath());
    for (let length = cut; length <= appended.length; length++) {
      put(journalPath(), appended.subarray(0, length));
      const before = await store.readJournal("r1");
      const isWhole = length === appended.length;
      expect(before?.entries).toEqual(isWhole ? [...ENTRIES.slice(0, -1), NEXT] : ENTRIES.slice(0, -1));
      expect(before?.recovered).toMatch(/^(Line|The lines) 5/);
      await store.append("r1", [NEXT]);
      expect((await store.readJournal("r1"))?.entries).toEqual([...(before?.entries ?? []), NEXT]);
    }
  });

  it("tells nothing where another process closed a line that was being written and then was whole", async () => {
    rewrite(journalPath(), (bytes) => Buffer.concat([bytes, Buffer.from("#cut 57\n")]));
    expect(await store.readJournal("r1")).toEqual({ entries: ENTRIES });
  });

  it("names all lines that were cut", async () => {
    rewrite(journalPath(), (bytes) => bytes.subarray(0, -3));
    await store.append("r1", [NEXT]);
    rewrite(journalPath(), (bytes) => bytes.subarray(0, -3));
    const journal = await store.readJournal("r1");
    expect(journal?.recovered).toBe("The lines 5, 7 were cut while being written, and left out.");
    expect(journal?.entries).toEqual(ENTRIES.slice(0, -1));
  });
});

describe("a document that is cut", () => {
  it.each([
    ["a record", recordPath, () => store.loadRun("r1"), RUN],
    ["a session", sessionPath, () => store.loadSession("s1"), SESSION],
  ] as const)("is refused with the path of its file at every byte: %s", async (_name, pathOf, load, value) => {
    const whole = readFileSync(pathOf());
    for (let length = 0; length < whole.length; length++) {
      put(pathOf(), whole.subarray(0, length));
      const outcome = await outcomeOf<unknown>(load());
      expect(outcome).toMatchObject({ code: "CONTEXT_STORE_DAMAGED" });
      expect(outcome).toMatchObject({ message: expect.stringContaining(pathOf()) });
      expect(readFileSync(pathOf()).length).toBe(length);
    }
    put(pathOf(), whole);
    expect(await load()).toEqual(value);
  });

  it("is refused when something was added to it", async () => {
    for (const added of ["x", "\n", "{}\n"]) {
      rewrite(recordPath(), (bytes) => Buffer.concat([bytes, Buffer.from(added)]));
      expect(await outcomeOf(store.loadRun("r1"))).toMatchObject({ code: "CONTEXT_STORE_DAMAGED" });
      await store.saveRun(RUN);
    }
  });
});

/** A generator of whole numbers below a bound, the same ones each time. */
function numbers(seed: number): (bound: number) => number {
  let state = seed + SEED;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function withFlips(bytes: Buffer, random: (bound: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  for (let flips = 1 + random(3); flips > 0; flips--) {
    const at = random(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random(8));
  }
  return copy;
}

describe(`a file with flipped bits, ${FLIPS} times from seed ${SEED}`, () => {
  it("is never a journal that is other than what was written, unless it says so", { timeout: 600_000 }, async () => {
    const random = numbers(1);
    await store.append("r1", [NEXT]);
    rewrite(journalPath(), (bytes) => bytes.subarray(0, -9));
    await store.append("r1", [NEXT]);
    const whole = readFileSync(journalPath());
    const entries = [...ENTRIES, NEXT];
    const seen = { equal: 0, shorter: 0, refused: 0 };
    for (let round = 0; round < FLIPS; round++) {
      put(journalPath(), withFlips(whole, random));
      const outcome = await outcomeOf(store.readJournal("r1"));
      if ("code" in outcome) {
        seen.refused++;
        expect(outcome.code).toBe("CONTEXT_STORE_DAMAGED");
        expect(outcome.message).toMatch(/line \d+ of .*journal\.jsonl is damaged: .* Restore the file/);
        continue;
      }
      const read = outcome.value?.entries ?? [];
      expect(read).toEqual(entries.slice(0, read.length));
      if (read.length === entries.length) seen.equal++;
      else seen.shorter++;
      // The last line end was hit: the line before it counts as one that was never written whole.
      if (read.length < entries.length) expect(outcome.value?.recovered).toMatch(/The lines 6, 8 were cut/);
      expect(read.length).toBeGreaterThanOrEqual(entries.length - 1);
    }
    expect(seen.refused).toBeGreaterThan(FLIPS / 2);
    expect(seen.refused + seen.equal + seen.shorter).toBe(FLIPS);
  });

  it.each([
    ["record", recordPath, () => store.loadRun("r1")],
    ["session", sessionPath, () => store.loadSession("s1")],
  ] as const)("is always refused as a %s", { timeout: 600_000 }, async (_name, pathOf, load) => {
    const random = numbers(2);
    const whole = readFileSync(pathOf());
    for (let round = 0; round < FLIPS; round++) {
      const flipped = withFlips(whole, random);
      if (flipped.equals(whole)) continue;
      put(pathOf(), flipped);
      const outcome = await outcomeOf<unknown>(load());
      expect(outcome).toMatchObject({ code: "CONTEXT_STORE_DAMAGED" });
      expect(outcome).toMatchObject({ message: expect.stringContaining(pathOf()) });
    }
  });

  it("never hides the others from a list", { timeout: 600_000 }, async () => {
    const random = numbers(3);
    const [summary] = await store.listRuns();
    await store.saveRun({ ...RUN, id: "r2", startedAt: 2_000 });
    const whole = readFileSync(recordPath());
    for (let round = 0; round < FLIPS; round++) {
      put(recordPath(), withFlips(whole, random));
      const runs = await store.listRuns();
      expect(runs.map(({ id }) => id)).toEqual(["r2", "r1"]);
      if (runs[1]?.status !== "unreadable") expect(runs[1]).toEqual(summary);
      else expect(runs[1].problem).toContain(recordPath());
    }
  });

  it("is never a claim of somebody else", { timeout: 600_000 }, async () => {
    const random = numbers(4);
    await store.claim("k", "a");
    const claimPath = path("claims", "k.jsonl");
    const whole = readFileSync(claimPath);
    for (let round = 0; round < FLIPS / 10; round++) {
      put(claimPath, withFlips(whole, random));
      for (const [holder, isHolder] of [
        ["a", true],
        ["b", false],
      ] as const) {
        const outcome = await outcomeOf(store.claim("k", holder));
        expect(outcome).toMatchObject("code" in outcome ? { code: "CONTEXT_STORE_DAMAGED" } : { value: isHolder });
      }
    }
  });
});
