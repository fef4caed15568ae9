import { memoryStore } from "harness-kit/store";
import { describe, expect, it } from "vitest";
import { ENTRIES, RUN, SESSION } from "./file/folder.ts";

describe("memoryStore", () => {
  it("refuses ids that are no strings", async () => {
    const store = memoryStore();
    const calls = [
      () => store.append(1 as never, ENTRIES),
      () => store.readJournal(1 as never),
      () => store.saveRun(undefined as never),
      () => store.loadRun(1 as never),
      () => store.deleteRun(1 as never),
      () => store.saveSession({} as never),
      () => store.loadSession(1 as never),
      () => store.deleteSession(1 as never),
      () => store.claim(1 as never, "a"),
      () => store.claim("k", undefined as never),
      () => store.lock(1 as never),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ code: "RUNTIME_INVALID_CONFIG" });
      await expect(call()).rejects.toThrow(/must be a string, got/);
    }
  });

  it("shares nothing with another one", async () => {
    const store = memoryStore();
    await store.saveRun(RUN);
    await store.saveSession(SESSION);
    await store.claim("k", "a");
    await store.lock("l");
    const other = memoryStore();
    expect([await other.listRuns(), await other.listSessions()]).toEqual([[], []]);
    expect(await other.claim("k", "b")).toBe(true);
    expect(await other.lock("l")).toBeTypeOf("function");
  });

  it("lists a run whose journal does not begin with its start as unreadable, and lists it as what it is later", async () => {
    const store = memoryStore();
    await store.append("r1", ENTRIES.slice(1));
    expect(await store.listRuns()).toEqual([
      {
        id: "r1",
        input: "",
        status: "unreadable",
        startedAt: 1_001,
        problem: expect.stringContaining("does not begin"),
      },
    ]);
    await store.saveRun(RUN);
    await store.append("r1", ENTRIES);
    expect((await store.listRuns()).map(({ status }) => status)).toEqual(["completed"]);
  });

  it("keeps the journal of a run that has a record already, and lists the record", async () => {
    const store = memoryStore();
    await store.saveRun(RUN);
    await store.append("r1", ENTRIES);
    expect((await store.listRuns()).map(({ status }) => status)).toEqual(["completed"]);
    expect((await store.readJournal("r1"))?.entries).toEqual(ENTRIES);
  });
});
