import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameList } from "../../../src/process/confine-names.ts";
import { findProtected } from "../../../src/process/sandbox/protected-paths.ts";

let base = "";
let workspace = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-protected-")));
  workspace = join(base, "work");
  mkdirSync(workspace);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function make(...paths: string[]): void {
  for (const path of paths) {
    const folder = path.endsWith("/") ? path : join(path, "..");
    mkdirSync(join(workspace, folder), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(join(workspace, path), "");
  }
}

/** `path access type` of all that is found. */
function found(depth = 4): string[] {
  const scan = {
    workspace,
    isHidden: nameList([".env*", "*.pem"]),
    isReadOnly: nameList([".git", "both*", ".env.read"]),
    depth,
  };
  return findProtected(scan)
    .map(({ path, access, type }) => `${relative(workspace, path)} ${access} ${type}`)
    .sort();
}

describe("what is protected in a workspace", () => {
  it("is found by its name at any place, in any letter case", () => {
    make(".env", ".ENV.Local", "a/b/key.PEM", ".git/config", "a/.Git/", "a/plain", "env", "git/");
    expect(found()).toEqual(
      [
        ".ENV.Local hidden file",
        ".env hidden file",
        ".git readOnly directory",
        "a/.Git readOnly directory",
        "a/b/key.PEM hidden file",
      ].sort(),
    );
  });

  it("is hidden when both lists name it", () => {
    make(".env.read");
    expect(found()).toEqual([".env.read hidden file"]);
  });

  it("covers what lies inside of it", () => {
    make(".git/.env", ".env.d/x.pem");
    expect(found()).toEqual([".env.d hidden directory", ".git readOnly directory"]);
  });

  it("is looked for as deep as was asked, and not in packages", () => {
    make(".env", "1/.env", "1/2/.env", "1/2/3/.env", "node_modules/p/.env", "1/node_modules/.env");
    expect(found(1)).toEqual([".env hidden file"]);
    expect(found(2)).toEqual([".env hidden file", "1/.env hidden file"]);
    expect(found(3)).toHaveLength(3);
    expect(found(4)).toHaveLength(4);
  });

  it("is what a link of that name leads to, if that lies inside", () => {
    make("settings", "deep/folder/", "plain");
    writeFileSync(join(base, "outside"), "");
    const link = (target: string, name: string) => symlinkSync(target, join(workspace, name));
    link("settings", ".env");
    link("deep/folder", ".git");
    link("../outside", ".env.outside");
    link("nowhere", ".env.nowhere");
    link(".", ".env.self");
    link(".env.loop", ".env.loop");
    link("deep", "other");
    expect(found()).toEqual(["deep/folder readOnly directory", "settings hidden file"]);
  });

  it("is hidden when one of several links says so", () => {
    make("both", "a/", "z/");
    for (const [target, name] of [
      ["../both", "a/.env"],
      ["../both", "z/.git"],
    ] as const)
      symlinkSync(target, join(workspace, name));
    expect(found()).toEqual(["both hidden file"]);
  });

  it("need not be a file", () => {
    execFileSync("mkfifo", [join(workspace, ".env")]);
    expect(found()).toEqual([".env hidden file"]);
  });

  it("must not be too much", () => {
    for (let index = 0; index <= 1_000; index++) writeFileSync(join(workspace, `${index}.pem`), "");
    expect(() => found()).toThrow(
      expect.objectContaining({
        code: "TOOL_SANDBOX_FAILED",
        message: expect.stringMatching(
          /^More than 1000 files in .* have protected names, the last one .*\.pem\. Give narrower protectedNames/,
        ),
      }),
    );
    rmSync(join(workspace, "0.pem"));
    expect(found()).toHaveLength(1_000);
  });

  it.runIf(process.getuid?.() !== 0)("must be known: a folder that cannot be read lets nothing run", () => {
    make("closed/.env");
    chmodSync(join(workspace, "closed"), 0);
    expect(() => found()).toThrow(/^Nobody can tell what is protected in .*closed, which cannot be read: EACCES/);
    chmodSync(join(workspace, "closed"), 0o755);
  });

  it("must be known: a name that is too long for the system lets nothing run", () => {
    const scan = {
      workspace: join(workspace, "x".repeat(300)),
      isHidden: () => false,
      isReadOnly: () => false,
      depth: 1,
    };
    expect(() => findProtected(scan)).toThrow(/which cannot be read: ENAMETOOLONG/);
    expect(findProtected({ ...scan, workspace: join(base, "gone") })).toEqual([]);
    make("file");
    expect(findProtected({ ...scan, workspace: join(workspace, "file") })).toEqual([]);
  });
});
