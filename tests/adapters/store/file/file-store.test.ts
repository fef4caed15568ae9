import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { fileStore } from "harness-kit/store";
import { describe, expect, it } from "vitest";
import { checkedLine } from "../../../../src/adapters/store/file/checked-line.ts";
import { thisOwner } from "../../../../src/adapters/store/file/owner.ts";
import { ENTRIES, filesIn, freshFolder, freshStore, outcomeOf, put, RUN, rewrite, SESSION } from "./folder.ts";

const isWindows = process.platform === "win32";

/** A store with one of everything. */
async function filledStore() {
  const made = freshStore();
  await made.store.append("r1", ENTRIES);
  await made.store.saveRun(RUN);
  await made.store.saveSession(SESSION);
  await made.store.claim("k", "a");
  await made.store.lock("l");
  return made;
}

describe("fileStore", () => {
  it("takes the path of a folder and a durability", () => {
    for (const folder of [undefined, "", 7, "a\0b"]) {
      expect(() => fileStore(folder as string)).toThrow(/fileStore takes the path of a folder, such as/);
    }
    expect(() => fileStore("x", { durability: "disk" as "system" })).toThrow(
      '`durability` must be "process" or "system", got "disk"',
    );
    expect(() => fileStore("x", { durability: undefined })).not.toThrow();
  });

  it("makes nothing until it is written to", async () => {
    const folder = join(freshFolder(), "a", "b");
    const store = fileStore(folder);
    expect([await store.listRuns(), await store.listSessions()]).toEqual([[], []]);
    expect([await store.loadRun("r1"), await store.readJournal("r1"), await store.loadSession("s1")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([await store.deleteRun("r1"), await store.deleteSession("s1")]).toEqual([false, false]);
    await store.append("r1", []);
    expect(existsSync(folder)).toBe(false);
  });

  it.runIf(isMainThread)("keeps to the folder that its path meant when it was made", async () => {
    const { folder } = freshStore();
    const before = process.cwd();
    try {
      process.chdir(folder);
      const store = fileStore("data");
      process.chdir(before);
      await store.saveRun(RUN);
    } finally {
      process.chdir(before);
    }
    expect(filesIn(folder)).toEqual(["data/runs/r1/run.jsonl"]);
  });

  it("refuses ids that are no strings", async () => {
    const { store } = freshStore();
    const calls = [
      () => store.append(1 as never, ENTRIES),
      () => store.readJournal(1 as never),
      () => store.saveRun({} as never),
      () => store.saveRun(undefined as never),
      () => store.loadRun(1 as never),
      () => store.deleteRun(1 as never),
      () => store.saveSession(undefined as never),
      () => store.loadSession(1 as never),
      () => store.deleteSession(1 as never),
      () => store.claim(1 as never, "a"),
      () => store.claim("k", 1 as never),
      () => store.lock(1 as never),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(/must be a string, got/);
    await expect(store.listRuns({ limit: -1 })).rejects.toThrow("`limit` must be a number from 0 up, got -1");
    await expect(store.listRuns({ from: Number.NaN })).rejects.toThrow("`from` must be a number, got NaN");
  });

  it.runIf(isMainThread && !isWindows)("lets nobody but its user look into it, whatever the umask", async () => {
    const before = process.umask(0);
    try {
      const { folder } = await filledStore();
      for (const name of ["runs", "runs/r1", "sessions", "claims", "locks", "tmp"]) {
        expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o700]);
      }
      for (const file of filesIn(folder))
        expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
      expect(filesIn(folder)).toHaveLength(5);
    } finally {
      process.umask(before);
    }
  });

  it("leaves a folder that was there as it was", async () => {
    const { folder, store } = freshStore();
    chmodSync(folder, 0o755);
    put(join(folder, "README"), "mine");
    await store.saveRun(RUN);
    await store.deleteRun("r1");
    expect(readFileSync(join(folder, "README"), "utf8")).toBe("mine");
  });

  it("writes the documented lines", async () => {
    const { path } = await filledStore();
    const lines = readFileSync(path("runs/r1/run.jsonl"), "utf8").split("\n");
    expect(lines).toHaveLength(3);
    const [head, body] = lines.slice(0, 2).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(head).toEqual({
      sum: expect.stringMatching(/^[0-9a-f]{16}$/),
      head: {
        form: 1,
        id: "r1",
        summary: {
          id: "r1",
          input: "né 😀",
          status: "completed",
          stopReason: "finished",
          startedAt: 1_000,
          endedAt: 1_005,
        },
      },
    });
    expect(body?.["run"]).toEqual(RUN);
    const journal = readFileSync(path("runs/r1/journal.jsonl"), "utf8").trimEnd().split("\n");
    expect(journal.map((line) => Object.keys(JSON.parse(line) as object)[1])).toEqual([
      "head",
      ...ENTRIES.map(() => "entry"),
    ]);
    expect(readFileSync(path("claims/k.jsonl"), "utf8")).toContain('"claim":{"key":"k","holder":"a"}');
  });
});

describe("what somebody else put there", () => {
  it("hides no other run when it stands where the journal of a paused run should be", async () => {
    const { store, path } = await filledStore();
    await store.saveRun({ ...RUN, id: "r2", status: "paused", stopReason: "paused" });
    mkdirSync(path("runs/r2/journal.jsonl"));
    const runs = await store.listRuns();
    expect(Object.fromEntries(runs.map(({ id, status }) => [id, status]))).toEqual({
      r1: "completed",
      r2: "unreadable",
    });
    expect(runs.find(({ id }) => id === "r2")?.problem).toContain("EISDIR");
  });

  it("is refused when it is a file of another id", async () => {
    const { store, path } = await filledStore();
    await store.append("r2", ENTRIES);
    await store.saveRun({ ...RUN, id: "r2" });
    put(path("runs/r1/run.jsonl"), readFileSync(path("runs/r2/run.jsonl")));
    put(path("runs/r1/journal.jsonl"), readFileSync(path("runs/r2/journal.jsonl")));
    for (const outcome of [
      await outcomeOf<unknown>(store.loadRun("r1")),
      await outcomeOf<unknown>(store.readJournal("r1")),
    ]) {
      expect(outcome).toMatchObject({ code: "CONTEXT_STORE_DAMAGED" });
      expect(outcome).toMatchObject({ message: expect.stringContaining('it is that of "r2", not of "r1"') });
    }
    put(path("claims/k.jsonl"), checkedLine("claim", '{"key":"x","holder":"a"}'));
    expect(await outcomeOf(store.claim("k", "a"))).toMatchObject({ code: "CONTEXT_STORE_DAMAGED" });
  });

  it.each([
    ["run", "runs/r1/run.jsonl"],
    ["session", "sessions/s1.jsonl"],
    ["journal", "runs/r1/journal.jsonl"],
  ])("is refused with both versions when a newer form of the file holds it: %s", async (kind, file) => {
    const { store, path } = await filledStore();
    const id = kind === "session" ? "s1" : "r1";
    rewrite(path(file), (bytes) => {
      const rest = bytes.subarray(bytes.indexOf("\n") + 1);
      return Buffer.concat([Buffer.from(checkedLine("head", JSON.stringify({ form: 2, id }))), rest]);
    });
    const before = readFileSync(path(file));
    const load = {
      run: () => store.loadRun(id),
      session: () => store.loadSession(id),
      journal: () => store.readJournal(id),
    };
    const outcome = await outcomeOf<unknown>(load[kind as keyof typeof load]());
    expect(outcome).toMatchObject({ code: "CONTEXT_SNAPSHOT_VERSION" });
    expect(outcome).toMatchObject({
      message: `The file ${path(file)} has version 2, this package reads up to 1. Update harness-kit to read it; nothing was changed.`,
    });
    expect(readFileSync(path(file))).toEqual(before);
  });

  it("is refused when its lines are whole and hold something else", async () => {
    const { store, path } = await filledStore();
    const head = checkedLine("head", '{"form":1,"id":"r1"}');
    const cases: [string, RegExp][] = [
      [checkedLine("entry", JSON.stringify(ENTRIES[0])), /line 1 of .* it does not begin with a head/],
      [head + checkedLine("run", "{}"), /line 2 of .* or it is no line of such a file/],
      [checkedLine("head", "7"), /line 1 of .* or it is no line of such a file/],
      [checkedLine("head", "null"), /line 1 of .* or it is no line of such a file/],
      [head + checkedLine("entry", "null"), /line 2 of .* its checksum does not fit/],
      [`${head}\n`, /line 2 of .* its checksum does not fit/],
      [`${head}{}\n`, /line 2 of .* its checksum does not fit/],
      [head + checkedLine("entry", "{"), /line 2 of .* its checksum does not fit/],
    ];
    for (const [text, message] of cases) {
      put(path("runs/r1/journal.jsonl"), text);
      expect(await outcomeOf(store.readJournal("r1"))).toMatchObject({
        code: "CONTEXT_STORE_DAMAGED",
        message: expect.stringMatching(message),
      });
    }
    for (const body of [checkedLine("session", "{}"), checkedLine("run", "null")]) {
      put(path("runs/r1/run.jsonl"), head + body);
      expect(await outcomeOf(store.loadRun("r1"))).toMatchObject({ code: "CONTEXT_STORE_DAMAGED" });
    }
    put(path("claims/k.jsonl"), checkedLine("claim", "null"));
    expect(await outcomeOf(store.claim("k", "a"))).toMatchObject({ code: "CONTEXT_STORE_DAMAGED" });
  });
});

describe("a list", () => {
  it("shows what cannot be read, with the reason and what is known of it", async () => {
    const { store, path } = await filledStore();
    await store.append("r2", ENTRIES);
    await store.append("r3", ENTRIES);
    await store.append("r4", [{ type: "run:end", at: 1, status: "failed" }]);
    put(path("runs/r1/run.jsonl"), "{}\n");
    put(path("runs/r2/journal.jsonl"), "");
    put(path("runs/r3/run.jsonl"), checkedLine("head", '{"form":1,"id":"r1"}'));
    const at = new Date(9_000);
    utimesSync(path("runs/r2"), at, at);
    const runs = await store.listRuns({ status: "unreadable" });
    expect(runs.map(({ id }) => id).sort()).toEqual(["r1", "r2", "r3", "r4"]);
    const byId = Object.fromEntries(runs.map((run) => [run.id, run]));
    expect(byId["r1"]).toMatchObject({
      input: "né 😀",
      startedAt: 1_000,
      problem: expect.stringContaining("run.jsonl is damaged"),
    });
    expect(byId["r2"]).toMatchObject({
      input: "",
      startedAt: 9_000,
      problem: expect.stringContaining("journal.jsonl is damaged"),
    });
    expect(byId["r3"]).toMatchObject({ input: "né 😀", problem: expect.stringContaining('it is that of "r1"') });
    expect(byId["r4"]).toMatchObject({ problem: expect.stringContaining("does not begin with the start of the run") });
    for (const { id } of runs) expect(await store.deleteRun(id)).toBe(true);
    expect(await store.listRuns()).toEqual([]);
  });

  it("shows a session that cannot be read", async () => {
    const { store, path } = await filledStore();
    await store.saveSession({ ...SESSION, id: "s2", updatedAt: 8_000 });
    rewrite(path("sessions/s1.jsonl"), (bytes) => bytes.subarray(0, 9));
    utimesSync(path("sessions/s1.jsonl"), 9, 9);
    const sessions = await store.listSessions();
    expect(sessions.map(({ id }) => id)).toEqual(["s1", "s2"]);
    expect(sessions[0]).toMatchObject({
      updatedAt: 9_000,
      runs: 0,
      problem: expect.stringContaining("s1.jsonl is damaged"),
    });
  });

  it("does not mind what is none of the store's", async () => {
    const { store, path } = await filledStore();
    put(path("runs/.DS_Store"), "x");
    put(path("sessions/.DS_Store"), "x");
    mkdirSync(path("runs/empty"));
    mkdirSync(path("sessions/folder.jsonl"));
    expect((await store.listRuns()).map(({ id }) => id)).toEqual(["r1"]);
    expect((await store.listSessions()).map(({ id }) => id)).toEqual(["s1"]);
    expect(await store.deleteRun("empty")).toBe(false);
  });

  it("reads only the beginning of a file, however long that is", async () => {
    const { store, path } = freshStore();
    const id = "é".repeat(20_000);
    await store.saveRun({ ...RUN, id, answer: "x".repeat(2_000_000) });
    expect((await store.listRuns()).map((run) => run.id)).toEqual([id]);
    await store.saveRun(RUN);
    rewrite(path("runs/r1/run.jsonl"), (bytes) => bytes.subarray(0, bytes.indexOf("\n") + 1));
    expect((await store.listRuns()).find((run) => run.id === "r1")?.status).toBe("completed");
  });

  it("lists hundreds of runs and lets others work in between", async () => {
    const { store } = freshStore();
    for (let index = 0; index < 120; index++) await store.append(`r${index}`, ENTRIES);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    expect(await store.listRuns({ limit: 1_000 })).toHaveLength(120);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

describe("the file system", () => {
  it("is named with what it said and what to do when it refuses", async () => {
    const { store, path } = freshStore();
    put(path("runs"), "in the way");
    put(path("sessions"), "in the way");
    put(path("claims"), "in the way");
    put(path("locks"), "in the way");
    const calls: [string, () => Promise<unknown>][] = [
      ["write", () => store.append("r1", ENTRIES)],
      ["write", () => store.saveRun(RUN)],
      ["write", () => store.saveSession(SESSION)],
      ["write", () => store.claim("k", "a")],
      ["write", () => store.lock("l")],
      ["read", () => store.loadRun("r1")],
      ["read", () => store.readJournal("r1")],
      ["read", () => store.listRuns()],
      ["read", () => store.listSessions()],
      ["read", () => store.loadSession("s1")],
      ["delete", () => store.deleteRun("r1")],
      ["delete", () => store.deleteSession("s1")],
    ];
    for (const [doing, call] of calls) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ kind: "context", code: "CONTEXT_STORE_FAILED", retryable: true });
      expect(error).toMatchObject({
        message: expect.stringMatching(
          `^The store could not ${doing} .*(ENOTDIR|EEXIST).* (Move|A file is in the way|Look)`,
        ),
        cause: expect.objectContaining({ code: expect.stringMatching(/ENOTDIR|EEXIST/) }),
        detail: { path: expect.stringContaining(path()) },
      });
    }
    expect(filesIn(path()).filter((file) => file.startsWith("tmp"))).toEqual([]);
  });

  it("is told apart by its codes", async () => {
    const { store, path } = freshStore();
    mkdirSync(path("runs/r1/journal.jsonl"), { recursive: true });
    expect(await outcomeOf(store.append("r1", ENTRIES))).toMatchObject({
      message: expect.stringMatching(/EISDIR.* A folder is in the way of a file; move it/),
    });
  });

  it.runIf(existsSync("/dev/full"))("is heard when the disk is full", async () => {
    const { store, path } = freshStore();
    mkdirSync(path("runs/r1"), { recursive: true });
    symlinkSync("/dev/full", path("runs/r1/journal.jsonl"));
    const error: unknown = await store.append("r1", ENTRIES).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "CONTEXT_STORE_FAILED", cause: { code: "ENOSPC" } });
    expect(error).toMatchObject({ message: expect.stringContaining("Free space on the disk, then try again.") });
  });

  it("may take a folder away at any time", async () => {
    const { folder, store } = await filledStore();
    rmSync(folder, { recursive: true });
    await store.append("r1", ENTRIES);
    await store.saveSession(SESSION);
    expect(filesIn(folder)).toEqual(["runs/r1/journal.jsonl", "sessions/s1.jsonl"]);
  });
});

describe("what a process that died left behind", () => {
  const named = (pid: number, more: Partial<ReturnType<typeof thisOwner>> = {}) => ({ ...thisOwner(), pid, ...more });

  it("is removed by the next one that writes, as soon as nobody can be writing it", async () => {
    const hash = (machine: string) => createHash("sha256").update(machine).digest("hex").slice(0, 12);
    const nameOf = ({ pid, started, machine }: ReturnType<typeof thisOwner>, id: string) =>
      [pid, started, hash(machine), id].join(".");
    const { folder, store, path } = freshStore();
    mkdirSync(path("tmp"));
    const gone = nameOf(named(2 ** 22 + 1), "gone");
    const alive = nameOf(thisOwner(), "alive");
    const elsewhere = nameOf(named(2 ** 22 + 1, { machine: "elsewhere" }), "elsewhere");
    const oldOne = nameOf(named(2 ** 22 + 1, { machine: "elsewhere" }), "old");
    for (const name of [alive, elsewhere, oldOne]) put(path("tmp", name), "half");
    mkdirSync(path("tmp", gone));
    put(path("tmp", gone, "run.jsonl"), "half");
    utimesSync(path("tmp", oldOne), 1, 1);
    await store.saveRun(RUN);
    expect(filesIn(folder).sort()).toEqual([`tmp/${alive}`, `tmp/${elsewhere}`, "runs/r1/run.jsonl"].sort());
  });
});
