import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeName } from "../../../../src/adapters/store/file/safe-name.ts";
import { ENTRIES, filesIn, freshStore, RUN, SESSION } from "./folder.ts";

/** Any text: lone surrogates, NUL, separators and long ones included. */
const anyId = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("a", "A", "/", "\\", ".", "\0", "~", "\ud800", "-", "é", "ı"), maxLength: 6 }),
  fc.constantFrom("con", "CON", "nul", "com1", "lpt9", "con.txt", "aux ", "..", "__proto__", "x".repeat(100_000)),
);

describe("the name of a file", () => {
  it("is the id where that is a plain name, so that people find their way", () => {
    for (const id of [
      "r1",
      "0b6f2f0e-5d8f-4b6e-9e0a-6a9f3a1c2d3e",
      "my_session-2",
      "a".repeat(64),
      "constant",
      "com",
    ]) {
      expect(safeName(id)).toBe(id);
    }
    expect(safeName("My Session/2")).toMatch(/^my_session_2~[0-9a-f]{32}$/);
    expect(safeName("a".repeat(65))).toMatch(/^a{24}~[0-9a-f]{32}$/);
  });

  it("is one that every file system takes, whatever the id is", () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const name = safeName(id);
        expect(name).toMatch(/^[a-z0-9_~][a-z0-9_~-]{0,63}$/);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is never shared by two ids, also where case is ignored", () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        expect(safeName(a).toLowerCase() === safeName(b).toLowerCase()).toBe(a === b);
      }),
      { numRuns: 2_000 },
    );
    expect(safeName("\ud800")).not.toBe(safeName("\ud801"));
    expect(safeName(safeName("A"))).not.toBe(safeName("A"));
  });
});

describe("an id", () => {
  it("never leaves the folder of its kind, and is given back as it was", async () => {
    const { folder, store } = freshStore();
    await fc.assert(
      fc.asyncProperty(anyId, async (id) => {
        await store.append(id, ENTRIES);
        await store.saveRun({ ...RUN, id });
        await store.saveSession({ ...SESSION, id });
        expect(await store.claim(id, id)).toBe(true);
        const unlock = await store.lock(id);
        expect(await store.lock(id)).toBeUndefined();
        await unlock?.();
        expect([(await store.loadRun(id))?.id, (await store.loadSession(id))?.id]).toEqual([id, id]);
        expect(await store.readJournal(id)).toEqual({ entries: ENTRIES });
        expect(readdirSync(folder).sort()).toEqual(["claims", "locks", "runs", "sessions", "tmp"]);
        expect((await store.listRuns()).map((run) => run.id)).toContain(id);
        expect([await store.deleteRun(id), await store.deleteSession(id)]).toEqual([true, true]);
        expect(filesIn(folder).filter((file) => !file.startsWith("claims/"))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
