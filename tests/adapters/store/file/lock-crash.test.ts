import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileStore } from "harness-kit/store";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { checkedLine } from "../../../../src/adapters/store/file/checked-line.ts";
import { filesIn, freshFolder, put } from "./folder.ts";

/** Who asks now, and who is gone. */
const world = vi.hoisted(() => ({
  pid: 1,
  gone: new Set<number>(),
  callsLeft: Number.POSITIVE_INFINITY,
  /** What others do before a call, once. */
  meanwhile: undefined as ((call: string, path: string) => boolean) | undefined,
}));

class Killed extends Error {}

vi.mock("../../../../src/adapters/store/file/owner.ts", () => ({
  thisOwner: () => ({ pid: world.pid, started: "", machine: "here" }),
  isGone: ({ pid }: { pid: number }) => world.gone.has(pid),
}));

/** The file system does no more for a process that was killed; what it did stays. */
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const mortal = (name: keyof typeof real) => {
    const call = real[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => {
      if (world.callsLeft-- <= 0) throw new Killed(name);
      const { meanwhile } = world;
      world.meanwhile = undefined;
      if (meanwhile?.(name, String(args.at(name === "linkSync" ? 1 : 0))) === false) world.meanwhile = meanwhile;
      return call(...args);
    };
  };
  const names = ["openSync", "writeSync", "linkSync", "renameSync", "rmSync", "readFileSync", "readdirSync"] as const;
  return { ...real, ...Object.fromEntries(names.map((name) => [name, mortal(name)])) };
});

beforeEach(() => {
  world.gone.clear();
  world.callsLeft = Number.POSITIVE_INFINITY;
  world.meanwhile = undefined;
});

/** Asks for the lock as another process. */
function lockAs(folder: string, pid: number) {
  world.pid = pid;
  return fileStore(folder).lock("r1");
}

/** A process that is killed at its `calls`-th call of the file system; false when it came to the end before. */
async function dies(folder: string, pid: number, calls: number): Promise<boolean> {
  world.callsLeft = calls;
  const isDead = await lockAs(folder, pid).then(
    () => world.callsLeft < 0,
    () => true,
  );
  world.callsLeft = Number.POSITIVE_INFINITY;
  world.gone.add(pid);
  return isDead;
}

describe("a lock, whenever a process dies that wants it", { timeout: 120_000 }, () => {
  it("is had by exactly one of the next, and leaves nothing behind", async () => {
    let calls = 0;
    for (let hasDied = true; hasDied; calls++) {
      const folder = freshFolder();
      hasDied = await dies(folder, 10, calls);
      const unlock = await lockAs(folder, 11);
      expect(unlock).toBeTypeOf("function");
      expect(await lockAs(folder, 12)).toBeUndefined();
      await unlock?.();
      expect(filesIn(folder)).toEqual([]);
    }
    expect(calls).toBeGreaterThan(3);
  });

  it("is had by exactly one of the next also when two die in a row while they take it over", async () => {
    let pairs = 0;
    for (let first = 0, hasDied = true; hasDied; first++) {
      for (let second = 0, hasDiedToo = true; hasDiedToo; second++) {
        const folder = freshFolder();
        world.gone.clear();
        await lockAs(folder, 20);
        world.gone.add(20);
        hasDied = await dies(folder, 21, first);
        hasDiedToo = await dies(folder, 22, second);
        const unlock = await lockAs(folder, 23);
        expect(unlock).toBeTypeOf("function");
        expect([await lockAs(folder, 24), await lockAs(folder, 25)]).toEqual([undefined, undefined]);
        await unlock?.();
        expect(filesIn(folder)).toEqual([]);
        pairs++;
      }
    }
    expect(pairs).toBeGreaterThan(100);
  });
});

describe("a lock, whatever others do meanwhile", () => {
  const lockOf = (folder: string) => join(folder, "locks", "r1.jsonl");
  const lineOf = (pid: number) => checkedLine("lock", JSON.stringify({ pid, started: "", machine: "here" }));

  it("stays with the one who took it over when another one comes by the same right too late", async () => {
    const folder = freshFolder();
    await lockAs(folder, 30);
    world.gone.add(30);
    world.meanwhile = (call, path) => {
      if (call !== "linkSync" || !path.endsWith(".1")) return false;
      put(lockOf(folder), lineOf(31));
      return true;
    };
    expect(await lockAs(folder, 32)).toBeUndefined();
    expect(world.meanwhile).toBeUndefined();
    expect(readFileSync(lockOf(folder), "utf8")).toBe(lineOf(31));
    expect(filesIn(folder)).toEqual(["locks/r1.jsonl"]);
  });

  it("is had when it is given back between the question and the look", async () => {
    const folder = freshFolder();
    await lockAs(folder, 30);
    world.meanwhile = (call, path) => {
      if (call !== "readFileSync" || path !== lockOf(folder)) return false;
      rmSync(path);
      return true;
    };
    expect(await lockAs(folder, 32)).toBeTypeOf("function");
    expect(world.meanwhile).toBeUndefined();
  });

  it("is not had while others take it and give it back again and again", async () => {
    const folder = freshFolder();
    await lockAs(folder, 30);
    const vanish = (call: string, path: string) => {
      if (call === "readFileSync" && path === lockOf(folder)) rmSync(path);
      if (call === "linkSync" && path === lockOf(folder)) put(path, lineOf(31));
      return false;
    };
    world.meanwhile = vanish;
    expect(await lockAs(folder, 32)).toBeUndefined();
  });
});
