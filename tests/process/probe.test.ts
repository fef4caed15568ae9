import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { systemProbe } from "../../src/process/probe.ts";

const folder = mkdtempSync(join(tmpdir(), "harness-kit-probe-"));
mkdirSync(join(folder, "bin"));
mkdirSync(join(folder, "locked"));
chmodSync(join(folder, "locked"), 0o600);
writeFileSync(join(folder, "bin", "tool"), "");
writeFileSync(join(folder, "plain"), "");
symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
symlinkSync(join(folder, "bin"), join(folder, "link"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const cwdOf = (name: string) => systemProbe("tool", join(folder, name), {}).cwd();

describe("a look at the working directory", () => {
  it("knows one that can be used, also by a link", () => {
    expect([cwdOf("."), cwdOf("bin"), cwdOf("link")]).toEqual(["usable", "usable", "usable"]);
  });

  it("knows one that is missing", () => {
    expect([cwdOf("nowhere"), cwdOf("dangling"), cwdOf("plain/x")]).toEqual(["missing", "missing", "missing"]);
  });

  it("knows one that is a file", () => {
    expect(cwdOf("plain")).toBe("notDirectory");
  });

  it.runIf(isMainThread)("knows one that may not be entered", () => {
    if (isRoot) process.seteuid?.(65_534);
    const state = cwdOf("locked");
    if (isRoot) process.seteuid?.(0);
    expect(state).toBe("forbidden");
  });
});

describe("a look for the program", () => {
  const exists = (file: string, path?: string, cwd = folder) =>
    systemProbe(file, cwd, path === undefined ? {} : { PATH: path }).programExists();

  it("takes an absolute path as it is", () => {
    expect([exists(join(folder, "bin", "tool")), exists(join(folder, "tool"))]).toEqual([true, false]);
  });

  it("takes a path with a slash from the working directory, whatever PATH says", () => {
    expect([exists("bin/tool", "/"), exists("./bin/tool", "/"), exists("./tool", join(folder, "bin"))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("looks for a name in every folder of PATH", () => {
    expect([exists("tool", `/nowhere:${folder}/bin`), exists("tool", `/nowhere:${folder}`)]).toEqual([true, false]);
  });

  it("takes relative and empty entries of PATH from the working directory", () => {
    expect([exists("tool", "bin"), exists("tool", "/nowhere:", join(folder, "bin"))]).toEqual([true, true]);
    expect([exists("tool", "/nowhere:"), exists("tool", "", folder)]).toEqual([false, false]);
  });

  it("looks in the usual places without a PATH, and nowhere else", () => {
    expect([exists("env"), exists("tool"), exists("sh", "/nowhere")]).toEqual([true, false, false]);
  });
});
