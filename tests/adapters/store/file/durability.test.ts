import { rmSync } from "node:fs";
import { fileStore } from "harness-kit/store";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Durability } from "../../../../src/adapters/store/file/disk.ts";
import { ENTRIES, filesIn, freshFolder, outcomeOf, RUN, SESSION } from "./folder.ts";

/** What was asked of the file system, in order: `fdatasync run.jsonl`, `rename run.jsonl`. */
const asked: string[] = [];
/** Which calls fail, with which code. */
const failures = new Map<string, string>();
const open = new Map<number, string>();

const short = (path: unknown) =>
  String(path)
    .replace(/^.*\/f-[^/]*\/?/, "")
    .replace(/^tmp\/.*$/, "tmp/…");

function ask(name: string, path: unknown): void {
  const code = failures.get(name);
  if (code !== undefined) throw Object.assign(new Error(`${code}: ${name}`), { code });
  asked.push(`${name} ${short(path)}`);
}

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  type Done = (error: Error | null) => void;
  const sync = (name: "fsync" | "fdatasync") => (file: number, done: Done) => {
    try {
      ask(name, open.get(file));
    } catch (error) {
      setImmediate(done, error as Error);
      return;
    }
    real[name](file, done);
  };
  return {
    ...real,
    openSync(path: string, ...rest: [string, number?]) {
      const file = real.openSync(path, ...rest);
      open.set(file, path);
      return file;
    },
    closeSync(file: number) {
      open.delete(file);
      real.closeSync(file);
    },
    fsync: sync("fsync"),
    fdatasync: sync("fdatasync"),
    fsyncSync(file: number) {
      ask("fsync", open.get(file));
      real.fsyncSync(file);
    },
    writeSync(file: number, bytes: Buffer, offset: number) {
      ask("write", open.get(file));
      // Only a part at a time, as a file system may.
      return real.writeSync(file, bytes, offset, Math.min(bytes.length - offset, 200));
    },
    renameSync(from: string, to: string) {
      ask("rename", to);
      real.renameSync(from, to);
    },
    linkSync(from: string, to: string) {
      ask("link", to);
      real.linkSync(from, to);
    },
    unlinkSync(path: string) {
      ask("unlink", path);
      real.unlinkSync(path);
    },
  };
});

beforeEach(() => {
  asked.length = 0;
  failures.clear();
});

function makeStore(durability: Durability) {
  const folder = freshFolder();
  return { folder, store: fileStore(folder, { durability }) };
}

/** What was asked, without the parts of one write after the first. */
const steps = () => asked.filter((step, index) => step !== asked[index - 1]);

describe('a store with "system" durability', () => {
  it("waits for the disk before it says that an entry is kept, and for the folder of a new file", async () => {
    const { store } = makeStore("system");
    await store.append("r1", ENTRIES);
    expect(steps()).toEqual([
      "fsync runs",
      "fsync ",
      "write runs/r1/journal.jsonl",
      "fdatasync runs/r1/journal.jsonl",
      "fsync runs/r1",
    ]);
    asked.length = 0;
    await store.append("r1", ENTRIES);
    expect(steps()).toEqual(["write runs/r1/journal.jsonl", "fdatasync runs/r1/journal.jsonl"]);
  });

  it("puts a document in place only when it is on the disk, and waits for its folder", async () => {
    const { store } = makeStore("system");
    await store.saveRun(RUN);
    await store.saveSession(SESSION);
    asked.length = 0;
    await store.saveRun(RUN);
    await store.saveSession(SESSION);
    expect(steps()).toEqual([
      ...["write tmp/…", "fdatasync tmp/…", "rename runs/r1/run.jsonl", "fsync runs/r1"],
      ...["write tmp/…", "fdatasync tmp/…", "rename sessions/s1.jsonl", "fsync sessions"],
    ]);
  });

  it("waits for the disk with claims, and with what is deleted", async () => {
    const { store } = makeStore("system");
    await store.saveRun(RUN);
    await store.saveSession(SESSION);
    await store.claim("j", "a");
    asked.length = 0;
    await store.claim("k", "a");
    await store.deleteRun("r1");
    await store.deleteSession("s1");
    expect(steps()).toEqual([
      ...["write tmp/…", "fdatasync tmp/…", "link claims/k.jsonl", "fsync claims"],
      ...["rename tmp/…", "fsync runs", "unlink sessions/s1.jsonl", "fsync sessions"],
    ]);
  });

  it("keeps the last of the documents that are saved at the same moment", async () => {
    const { folder, store } = makeStore("system");
    const answers = Array.from({ length: 20 }, (_, index) => "x".repeat((20 - index) * 9_000) + index);
    await Promise.all(answers.map((answer) => store.saveRun({ ...RUN, answer })));
    expect((await store.loadRun("r1"))?.answer).toBe(answers.at(-1));
    expect(filesIn(folder)).toEqual(["runs/r1/run.jsonl"]);
  });

  it.each([
    ["fdatasync", "EIO"],
    ["fsync", "EIO"],
  ])("says so when %s fails, and goes on", async (call, code) => {
    const { store } = makeStore("system");
    await store.saveRun(RUN);
    failures.set(call, code);
    const doings = [
      () => store.append("r1", ENTRIES),
      () => store.saveRun({ ...RUN, answer: "new" }),
      () => store.claim("k", "a"),
    ];
    for (const doing of doings)
      expect(await outcomeOf<unknown>(doing())).toMatchObject({ code: "CONTEXT_STORE_FAILED" });
    failures.clear();
    await store.saveRun({ ...RUN, answer: "newer" });
    expect((await store.loadRun("r1"))?.answer).toBe("newer");
    expect(open.size).toBe(0);
  });
});

describe('a store with "process" durability', () => {
  it("never waits for the disk", async () => {
    const { store } = makeStore("process");
    await store.append("r1", ENTRIES);
    await store.saveRun(RUN);
    await store.claim("k", "a");
    await (await store.lock("l"))?.();
    await store.deleteRun("r1");
    expect(asked.filter((step) => step.includes("sync"))).toEqual([]);
  });

  it("leaves the document before and no file aside when it cannot write", async () => {
    const { folder, store } = makeStore("process");
    await store.saveRun(RUN);
    for (const [call, code] of [
      ["write", "ENOSPC"],
      ["write", "EDQUOT"],
      ["rename", "EROFS"],
    ] as const) {
      failures.set(call, code);
      const outcome = await outcomeOf(store.saveRun({ ...RUN, answer: "new" }));
      expect(outcome).toMatchObject({ code: "CONTEXT_STORE_FAILED" });
      expect(outcome).toMatchObject({
        message: expect.stringMatching(/(Free space|Choose a folder that can be written)/),
      });
      failures.clear();
    }
    expect(await store.loadRun("r1")).toEqual(RUN);
    expect(filesIn(folder)).toEqual(["runs/r1/run.jsonl"]);
    expect(open.size).toBe(0);
  });

  it("gives up when its folder is taken away again and again", async () => {
    const { folder, store } = makeStore("process");
    failures.set("rename", "ENOENT");
    expect(await outcomeOf(store.saveRun(RUN))).toMatchObject({ code: "CONTEXT_STORE_FAILED" });
    rmSync(folder, { recursive: true });
  });
});

describe("a file system without hard links", () => {
  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])("keeps claims and locks, too (%s)", async (code) => {
    const { folder, store } = makeStore("process");
    failures.set("link", code);
    expect(await store.claim("k", "a")).toBe(true);
    expect([await store.claim("k", "a"), await store.claim("k", "b")]).toEqual([true, false]);
    const unlock = await store.lock("l");
    expect(await store.lock("l")).toBeUndefined();
    await unlock?.();
    expect(filesIn(folder)).toEqual(["claims/k.jsonl"]);
  });

  it("is told apart from one that refuses", async () => {
    const { store } = makeStore("process");
    await store.claim("j", "a");
    failures.set("link", "EIO");
    expect(await outcomeOf(store.claim("k", "a"))).toMatchObject({ code: "CONTEXT_STORE_FAILED" });
  });
});
