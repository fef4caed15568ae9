import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { fileStore } from "harness-kit/store";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { checkedLine } from "../../../../src/adapters/store/file/checked-line.ts";
import { thisOwner } from "../../../../src/adapters/store/file/owner.ts";
import { bundleStore, startChild } from "./children.ts";
import { filesIn, freshStore, put } from "./folder.ts";

beforeAll(bundleStore);
afterEach(() => {
  vi.useRealTimers();
});

const LOCK = "locks/r1.jsonl";
const HOLDER = `const unlock = await store.lock("r1"); say(String(typeof unlock)); await told(); process.exit(0);`;

/** Writes a lock as some other process would have. */
function putLock(path: string, owner: object): void {
  put(path, checkedLine("lock", JSON.stringify({ name: "r1", token: "t", ...thisOwner(), ...owner })));
}

/** Makes a file as old as this, in milliseconds. */
function age(path: string, ms: number): void {
  const at = (Date.now() - ms) / 1_000;
  utimesSync(path, at, at);
}

const hasProc = existsSync("/proc/self/stat");

describe("a lock", { timeout: 60_000 }, () => {
  it("is free at once when its holder is killed", async () => {
    const { folder, store } = freshStore();
    const child = startChild(folder, HOLDER);
    expect(await child.next()).toBe("function");
    expect(await store.lock("r1")).toBeUndefined();
    child.process.kill("SIGKILL");
    await child.ended;
    const unlock = await store.lock("r1");
    expect(unlock).toBeTypeOf("function");
    expect(await store.lock("r1")).toBeUndefined();
    expect(filesIn(folder)).toEqual([LOCK]);
    await unlock?.();
    expect(filesIn(folder)).toEqual([]);
  });

  it("is free when its holder ended without giving it back, which no lock holds up", async () => {
    const { folder, store } = freshStore();
    const child = startChild(folder, `say(String(typeof (await store.lock("r1"))));`);
    expect(await child.next()).toBe("function");
    expect(await child.ended).toBe(0);
    expect(await store.lock("r1")).toBeTypeOf("function");
  });

  it.runIf(hasProc)("is free when its holder was killed and its parent has not looked yet", async () => {
    const { folder, store, path } = freshStore();
    await (await store.lock("r1"))?.();
    const child = startChild(
      folder,
      `
      import { spawn } from "node:child_process";
      import { once } from "node:events";
      import { readFileSync } from "node:fs";
      const holder = spawn("sleep", ["60"]);
      await once(holder, "spawn");
      const stat = () => readFileSync("/proc/" + holder.pid + "/stat", "latin1").split(") ")[1].split(" ");
      say(JSON.stringify({ pid: holder.pid, started: stat()[19] }));
      await told();
      process.kill(holder.pid, "SIGKILL");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      say(stat()[0] + " " + typeof (await store.lock("r1")));
      process.exit(0);
      `,
    );
    putLock(path(LOCK), JSON.parse(await child.next()) as object);
    expect(await store.lock("r1")).toBeUndefined();
    child.tell("go");
    expect(await child.next()).toBe("Z function");
  });

  it.runIf(hasProc)("is free when its holder's process id belongs to another process by now", async () => {
    const { store, path } = freshStore();
    await (await store.lock("r1"))?.();
    putLock(path(LOCK), { started: "1" });
    expect(await store.lock("r1")).toBeTypeOf("function");
  });

  it("is held by a process that lives, whoever's it is and however old the lock is", async () => {
    const { store, path } = freshStore();
    await (await store.lock("r1"))?.();
    putLock(path(LOCK), {});
    age(path(LOCK), 86_400_000);
    expect(await store.lock("r1")).toBeUndefined();
    putLock(path(LOCK), { started: "" });
    expect(await store.lock("r1")).toBeUndefined();
  });

  it.each([
    ["another machine", { machine: "elsewhere", pid: 2 ** 30 }],
    ["another container of this machine", { machine: `${hostname()} other pid:[1]`, pid: 2 ** 30 }],
  ])("of %s is held for a minute without a heartbeat", async (_name, owner) => {
    const { store, path } = freshStore();
    await (await store.lock("r1"))?.();
    putLock(path(LOCK), owner);
    expect(await store.lock("r1")).toBeUndefined();
    age(path(LOCK), 50_000);
    expect(await store.lock("r1")).toBeUndefined();
    age(path(LOCK), 61_000);
    expect(await store.lock("r1")).toBeTypeOf("function");
  });

  it("that is damaged is held for a minute, too", async () => {
    const { store, path } = freshStore();
    await (await store.lock("r1"))?.();
    for (const content of ["", "{", '{"lock":{"pid":1}}\n']) {
      put(path(LOCK), content);
      expect(await store.lock("r1")).toBeUndefined();
      age(path(LOCK), 61_000);
      const unlock = await store.lock("r1");
      expect(unlock).toBeTypeOf("function");
      await unlock?.();
    }
  });

  it("shows every quarter of a minute that its holder lives, as long as it is held", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { store, path } = freshStore();
    const unlock = await store.lock("r1");
    const before = readFileSync(path(LOCK));
    age(path(LOCK), 50_000);
    vi.advanceTimersByTime(15_000);
    expect(Date.now() - statSync(path(LOCK)).mtimeMs).toBeLessThan(20_000);
    expect(readFileSync(path(LOCK))).toEqual(before);
    await unlock?.();
    expect(vi.getTimerCount()).toBe(0);
    expect(existsSync(path(LOCK))).toBe(false);
  });

  it("that somebody else took over is neither touched nor given back by the one who lost it", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { store, path } = freshStore();
    const unlock = await store.lock("r1");
    putLock(path(LOCK), { token: "another" });
    age(path(LOCK), 50_000);
    vi.advanceTimersByTime(60_000);
    expect(Date.now() - statSync(path(LOCK)).mtimeMs).toBeGreaterThan(40_000);
    await unlock?.();
    expect(existsSync(path(LOCK))).toBe(true);
    expect(await store.lock("r1")).toBeUndefined();
  });

  it("does not mind that its file is gone", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { folder, store } = freshStore();
    const unlock = await store.lock("r1");
    rmSync(`${folder}/locks`, { recursive: true });
    vi.advanceTimersByTime(60_000);
    await unlock?.();
    expect(filesIn(folder)).toEqual([]);
  });
});

describe("a lock whose holder is gone", () => {
  const GONE = { pid: 2 ** 22 + 1 };

  it("is taken over by exactly one of several processes, every time", { timeout: 120_000 }, async () => {
    const { folder, store, path } = freshStore();
    await (await store.lock("r1"))?.();
    const contender = `
      say("ready");
      for (;;) {
        const name = await told();
        const [, at] = name.split(" ");
        while (Date.now() < Number(at));
        say(String(typeof (await store.lock(name.split(" ")[0]))));
      }
    `;
    const children = Array.from({ length: 3 }, () => startChild(folder, contender));
    for (const child of children) await child.next();
    for (let round = 0; round < 60; round++) {
      putLock(path(`locks/round${round}.jsonl`), GONE);
      for (const child of children) child.tell(`round${round} ${Date.now() + 5}`);
      const said = await Promise.all(children.map((child) => child.next()));
      expect(said.filter((kind) => kind === "function")).toHaveLength(1);
    }
    for (const child of children) child.process.kill("SIGKILL");
    expect(filesIn(folder).filter((file) => !/^locks\/round\d+\.jsonl$/.test(file))).toEqual([]);
  });

  it.each(["process", "system"] as const)("is taken over by exactly one of many at once (%s)", async (durability) => {
    const { folder, store, path } = freshStore();
    await (await store.lock("r1"))?.();
    const stores = Array.from({ length: 4 }, () => fileStore(folder, { durability }));
    for (let round = 0; round < 10; round++) {
      putLock(path(LOCK), { ...GONE, token: String(round) });
      const asked = Array.from({ length: 20 }, (_, index) => stores[index % stores.length]?.lock("r1"));
      const unlocks = (await Promise.all(asked)).filter((unlock) => unlock !== undefined);
      expect(unlocks).toHaveLength(1);
      expect(filesIn(folder)).toEqual([LOCK]);
      await unlocks[0]?.();
    }
  });

  it("is taken over although somebody died while taking it over", async () => {
    const { folder, store, path } = freshStore();
    await (await store.lock("r1"))?.();
    putLock(path(LOCK), GONE);
    const right = rightFor(path(LOCK));
    putLock(`${right}.1`, { ...GONE, token: "died, too" });
    expect(await store.lock("r1")).toBeTypeOf("function");
    expect(filesIn(folder)).toEqual([LOCK]);
  });

  it("is left alone while somebody who lives is taking it over", async () => {
    const { store, path } = freshStore();
    await (await store.lock("r1"))?.();
    putLock(path(LOCK), GONE);
    const right = rightFor(path(LOCK));
    putLock(`${right}.1`, { token: "alive" });
    expect(await store.lock("r1")).toBeUndefined();
    expect(readFileSync(path(LOCK), "utf8")).toContain(`"pid":${GONE.pid}`);
  });
});

/** The name of the right to take over a lock, without its number. */
function rightFor(path: string): string {
  return `${path}.${createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16)}`;
}
