import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holdPlaceholders } from "../../../src/process/sandbox/placeholders.ts";
import { isSameProcess, thisProcess } from "../../../src/process/sandbox/process-identity.ts";
import { LOCK_BASE, withWorkspaceLock } from "../../../src/process/sandbox/workspace-lock.ts";

let base = "";
let workspace = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-placeholders-")));
  workspace = join(base, "work");
  mkdirSync(workspace);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const NAMES = [".git/", ".env"];
const hold = (names: readonly string[] = NAMES) => holdPlaceholders(workspace, names);
const files = () => readdirSync(workspace).sort();

/** Changes what is written down for the workspace. */
function rewrite(change: (state: { holders: object[]; names: string[] }) => object): void {
  withWorkspaceLock(workspace, (folder) => {
    const path = join(folder, "state.json");
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")) as never)));
  });
}

describe.runIf(process.platform === "linux")("placeholders", () => {
  it("stand where something is absent until they are released", () => {
    const held = hold();
    expect(held.placeholders).toEqual([
      { path: join(workspace, ".git"), type: "directory" },
      { path: join(workspace, ".env"), type: "file" },
    ]);
    expect(files()).toEqual([".env", ".git"]);
    expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("");
    expect(readdirSync(join(workspace, ".git"))).toEqual([]);
    held.release();
    expect(files()).toEqual([]);
  });

  it("come with something empty to be mounted over them, where no workspace is", () => {
    const held = hold();
    expect(readFileSync(held.empty.file, "utf8")).toBe("");
    expect(readdirSync(held.empty.directory)).toEqual([]);
    expect(held.empty.file.startsWith(LOCK_BASE)).toBe(true);
    held.release();
    expect(existsSync(held.empty.file)).toBe(false);
    expect(existsSync(held.empty.directory)).toBe(false);
  });

  it("leave alone what is there already", () => {
    writeFileSync(join(workspace, ".env"), "");
    mkdirSync(join(workspace, ".git"));
    const held = hold();
    expect(held.placeholders).toEqual([]);
    held.release();
    expect(files()).toEqual([".env", ".git"]);
  });

  it("leave what somebody has put there meanwhile", () => {
    const held = hold();
    writeFileSync(join(workspace, ".env"), "KEY=1");
    writeFileSync(join(workspace, ".git/HEAD"), "ref");
    held.release();
    expect(files()).toEqual([".env", ".git"]);
  });

  it("do not mind being removed", () => {
    const held = hold();
    rmSync(join(workspace, ".git"), { recursive: true });
    rmSync(join(workspace, ".env"));
    const other = hold([]);
    expect(other.placeholders).toEqual([]);
    other.release();
    held.release();
    rmSync(workspace, { recursive: true });
    held.release();
  });

  it("stay until the last one releases them, in any order, with whatever names", () => {
    const first = hold();
    const second = hold([".env", ".npmrc"]);
    expect(second.placeholders.map(({ path }) => path)).toEqual(
      [".git", ".env", ".npmrc"].map((name) => join(workspace, name)),
    );
    first.release();
    expect(files()).toEqual([".env", ".git", ".npmrc"]);
    first.release();
    expect(files()).toEqual([".env", ".git", ".npmrc"]);
    second.release();
    expect(files()).toEqual([]);
  });

  it("are not held by a process that is gone", () => {
    const held = hold();
    rewrite(({ holders, names }) => ({
      names,
      holders: [
        ...holders,
        { pid: 2 ** 22 + 1, startedAt: "1", id: "0-0" },
        { ...thisProcess(), startedAt: "1", id: "0-1" },
      ],
    }));
    held.release();
    expect(files()).toEqual([]);
  });

  it("are held by a process that runs", () => {
    const held = hold();
    const other = {
      pid: 1,
      startedAt: (readFileSync("/proc/1/stat", "latin1").split(") ")[1] ?? "").split(" ")[19],
      id: "0-0",
    };
    rewrite(({ holders, names }) => ({ names, holders: [...holders, other] }));
    held.release();
    expect(files()).toEqual([".env", ".git"]);
    rewrite(({ names }) => ({ names, holders: [] }));
    hold().release();
    expect(files()).toEqual([]);
  });

  it("are taken over from a process that was killed", () => {
    hold();
    rewrite(({ names }) => ({ names, holders: [{ pid: 2 ** 22 + 1, startedAt: "1", id: "0-0" }] }));
    hold().release();
    expect(files()).toEqual([]);
  });

  it("cannot stand in for a link", () => {
    symlinkSync("nowhere", join(workspace, ".git"));
    expect(() => hold()).toThrow(
      expect.objectContaining({
        code: "TOOL_SANDBOX_FAILED",
        message: expect.stringMatching(/\.git is a link, and a sandbox cannot keep a link from being replaced/),
      }),
    );
    expect(files()).toEqual([".git"]);
    rmSync(join(workspace, ".git"));
    symlinkSync(base, join(workspace, ".env"));
    expect(() => hold()).toThrow(/\.env is a link/);
  });

  it("need a workspace", () => {
    rmSync(workspace, { recursive: true });
    expect(() => hold()).toThrow(/\.git cannot be kept from being created \(ENOENT\)\./);
  });

  it("that could not all be made are given back, and nobody holds them", () => {
    expect(() => hold([".env", "gone/x"])).toThrow(/gone\/x cannot be kept from being created \(ENOENT\)/);
    expect(files()).toEqual([]);
    const held = hold();
    held.release();
    expect(files()).toEqual([]);
  });

  it("leave no list behind", () => {
    const lists = () => (existsSync(LOCK_BASE) ? readdirSync(LOCK_BASE) : []);
    const before = lists();
    hold().release();
    symlinkSync("nowhere", join(workspace, ".git"));
    expect(() => hold()).toThrow(/is a link/);
    expect(lists().filter((name) => !before.includes(name))).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("the lock of a workspace", () => {
  const locked = <T>(work: (folder: string) => T) => withWorkspaceLock("/w", work, join(base, "locks"));
  const lockOf = (folder: string) => join(folder, "lock");

  it("gives a folder of its own, closed to others, and removes it when it is empty", () => {
    const folder = locked((given) => {
      expect(existsSync(lockOf(given))).toBe(true);
      return given;
    });
    expect(existsSync(join(base, "locks"))).toBe(false);
    expect(locked((given) => given)).toBe(folder);
    expect(withWorkspaceLock("/other", (given) => given, join(base, "locks"))).not.toBe(folder);
    locked((given) => writeFileSync(join(given, "kept"), "x"));
    expect(locked((given) => readdirSync(given).sort())).toEqual(["kept", "lock"]);
  });

  it("is given back when the work fails", () => {
    expect(() =>
      locked(() => {
        throw new Error("work");
      }),
    ).toThrow("work");
    expect(locked(() => "free")).toBe("free");
  });

  it("is taken from a process that was killed with it, by one of those who wait", () => {
    const folder = locked((given) => given);
    mkdirSync(folder, { recursive: true });
    writeFileSync(lockOf(folder), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "1" }));
    expect(locked(() => "taken")).toBe("taken");
  });

  it("is waited for while a process that runs has it, but not for ever", { timeout: 30_000 }, () => {
    const folder = locked((given) => given);
    mkdirSync(folder, { recursive: true });
    writeFileSync(lockOf(folder), JSON.stringify(thisProcess()));
    expect(() => locked(() => "taken")).toThrow(
      expect.objectContaining({
        code: "TOOL_SANDBOX_FAILED",
        message: expect.stringMatching(
          /The lock of the workspace \/w has been held for too long\. If nobody uses it, remove .*lock and .*lock\.break\./,
        ),
      }),
    );
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("is not taken in a folder of somebody else", () => {
    mkdirSync(join(base, "locks"));
    execFileSync("chmod", ["777", join(base, "locks")]);
    expect(() => locked(() => 1)).toThrow(/locks belongs to somebody else\. Remove it\./);
    rmSync(join(base, "locks"), { recursive: true });
    symlinkSync(workspace, join(base, "locks"));
    expect(() => locked(() => 1)).toThrow(/belongs to somebody else/);
    expect(readdirSync(workspace)).toEqual([]);
  });

  it("lets one of many processes in at a time", { timeout: 60_000 }, async () => {
    const counter = join(base, "counter");
    writeFileSync(counter, "0");
    const bundle = join(base, "lock.mjs");
    const { buildSync } = await import("esbuild");
    const { fileURLToPath } = await import("node:url");
    buildSync({
      entryPoints: [fileURLToPath(new URL("../../../src/process/sandbox/workspace-lock.ts", import.meta.url))],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
    });
    const body = `
      import { withWorkspaceLock } from ${JSON.stringify(bundle)};
      import { readFileSync, writeFileSync } from "node:fs";
      for (let i = 0; i < 100; i++) withWorkspaceLock("/w", () => {
        writeFileSync(${JSON.stringify(counter)}, String(Number(readFileSync(${JSON.stringify(counter)}, "utf8")) + 1));
      }, ${JSON.stringify(join(base, "locks"))});`;
    const ends = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", body], { stdio: "inherit" });
      return new Promise((resolve) => child.on("exit", resolve));
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(counter, "utf8")).toBe("400");
    expect(existsSync(join(base, "locks"))).toBe(false);
  });
});

describe.runIf(process.platform === "linux")("a process", () => {
  it("is known by its number and its start", () => {
    expect(isSameProcess(thisProcess())).toBe(true);
    expect(thisProcess().startedAt).toMatch(/^\d+$/);
    expect(isSameProcess({ ...thisProcess(), startedAt: "1" })).toBe(false);
    expect(isSameProcess({ pid: 2 ** 22 + 1, startedAt: "1" })).toBe(false);
  });
});
