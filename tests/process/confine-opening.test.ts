import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConfinement } from "../../src/process/confine.ts";
import type { Confinement } from "../../src/process/confine-types.ts";
import { makeConfinedFolder } from "./confined-folder.ts";

let base = "";
let root = "";
let confinement: Confinement;

beforeEach(() => {
  ({ base, root, confinement } = makeConfinedFolder());
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const link = (target: string, name: string) => symlinkSync(target, join(root, name));

describe("opening", () => {
  it("reads and writes inside", async () => {
    const written = await confinement.open({ op: "write", path: "sub/new.txt", flags: "w" });
    await written.handle.writeFile("hello");
    await written.handle.close();
    expect(written.path).toBe(join(root, "sub/new.txt"));
    const read = await confinement.open({ op: "read", path: "sub/new.txt" });
    expect(await read.handle.readFile("utf8")).toBe("hello");
    await read.handle.close();
  });

  it("starts a file anew, adds to it, changes it, or creates it only", async () => {
    const write = async (flags: "w" | "a" | "r+" | "wx", text: string) => {
      const { handle } = await confinement.open({ op: "write", path: "f.txt", flags });
      await handle.writeFile(text);
      await handle.close();
      return readFileSync(join(root, "f.txt"), "utf8");
    };
    expect(await write("wx", "first")).toBe("first");
    await expect(write("wx", "second")).rejects.toMatchObject({ code: "EEXIST" });
    expect(await write("a", "+")).toBe("first+");
    expect(await write("r+", "F")).toBe("First+");
    expect(await write("w", "x")).toBe("x");
  });

  it("opens directories, the root included, to be listed", async () => {
    for (const path of [".", "sub", root]) {
      const { handle } = await confinement.open({ op: "list", path });
      expect((await handle.stat()).isDirectory()).toBe(true);
      await handle.close();
    }
  });

  it("refuses what the check refuses, and creates nothing there", async () => {
    link(join(base, "out"), "dlink");
    link(join(base, "out/absent"), "dangling");
    for (const path of ["dlink/new.txt", "dangling", "../x", ".env", ".git/config"]) {
      await expect(confinement.open({ op: "write", path, flags: "w" })).rejects.toMatchObject({
        kind: "permission",
        code: "PERMISSION_DENIED",
      });
    }
    await expect(confinement.open({ op: "write", path: ".", flags: "w" })).rejects.toThrow();
    expect(existsSync(join(base, "out/new.txt"))).toBe(false);
    expect(existsSync(join(base, "out/absent"))).toBe(false);
  });

  it("judges a writing by its flags, whatever it is called", async () => {
    await expect(confinement.open({ op: "read", path: ".bashrc", flags: "w" })).rejects.toMatchObject({
      kind: "permission",
    });
    expect(existsSync(join(root, ".bashrc"))).toBe(false);
  });

  it("lets the system say what is missing", async () => {
    await expect(confinement.open({ op: "read", path: "absent.txt" })).rejects.toMatchObject({ code: "ENOENT" });
    await expect(confinement.open({ op: "read", path: "absent/deep.txt" })).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("does not wait for a pipe that came after the check", async () => {
    const racing = createConfinement({ roots: [root] });
    execFileSync("mkfifo", [join(root, "pipe")]);
    await expect(racing.open({ op: "read", path: "pipe" })).rejects.toMatchObject({ kind: "permission" });
  });

  it("gives a place in which files are renamed and removed", async () => {
    const place = await confinement.openPlace({ op: "write", path: "sub/target.txt" });
    expect(place).toMatchObject({ path: join(root, "sub/target.txt"), name: "target.txt" });
    writeFileSync(place.at("tmp"), "new");
    renameSync(place.at("tmp"), place.at(place.name));
    await place.handle.close();
    expect(readFileSync(join(root, "sub/target.txt"), "utf8")).toBe("new");
    await expect(confinement.openPlace({ op: "delete", path: "." })).rejects.toMatchObject({ kind: "permission" });
    await expect(confinement.openPlace({ op: "delete", path: "../x" })).rejects.toMatchObject({ kind: "permission" });
  });
});
