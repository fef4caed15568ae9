import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "./workspace.ts";

describe("writeFile", () => {
  it("creates a file and the folders above it, and says so", async () => {
    const { text, get } = createTestWorkspace();
    expect(await text("writeFile", { path: "a.txt", content: "one\ntwo\n" })).toBe(
      'Created "a.txt": 2 lines, 8 bytes.',
    );
    expect(await text("writeFile", { path: "src/deep/b.ts", content: "x" })).toBe(
      'Created "src/deep/b.ts": 1 line, 1 bytes. New folders: "src", "src/deep".',
    );
    expect(get("a.txt")).toBe("one\ntwo\n");
    expect(get("src/deep/b.ts")).toBe("x");
  });

  it("says what it overwrote, and what was there already", async () => {
    const { put, text, get } = createTestWorkspace();
    put("a.txt", "one\ntwo\nthree\n");
    expect(await text("writeFile", { path: "a.txt", content: "four\n" })).toBe(
      'Overwrote "a.txt": 1 line, 5 bytes; before 3 lines, 14 bytes.',
    );
    expect(await text("writeFile", { path: "a.txt", content: "four\n" })).toBe(
      '"a.txt" holds exactly this already (1 line, 5 bytes); nothing was written.',
    );
    expect(get("a.txt")).toBe("four\n");
  });

  it("empties a file, and overwrites a binary or large one", async () => {
    const { put, text, get } = createTestWorkspace({ maxFileBytes: 10 });
    put("a.txt", "one\n");
    put("big.bin", Buffer.alloc(50));
    expect(await text("writeFile", { path: "a.txt", content: "" })).toMatch(/: 0 lines, 0 bytes; before 1 line/);
    expect(await text("writeFile", { path: "big.bin", content: "x" })).toBe(
      'Overwrote "big.bin": 1 line, 1 bytes; before 50 bytes.',
    );
    expect(get("a.txt")).toBe("");
  });

  it.each([0o600, 0o640, 0o755, 0o777])("keeps the mode of a file (%o)", async (mode) => {
    const { root, put, text } = createTestWorkspace();
    put("run.sh", "old", mode);
    await text("writeFile", { path: "run.sh", content: "new" });
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(mode);
  });

  it("leaves a link a link, and writes where it leads", async () => {
    const { root, put, link, text, get } = createTestWorkspace();
    put("real/a.txt", "old");
    link("real/a.txt", "way.txt");
    expect(await text("writeFile", { path: "way.txt", content: "new" })).toMatch(/^Overwrote "real\/a.txt"/);
    expect(lstatSync(join(root, "way.txt")).isSymbolicLink()).toBe(true);
    expect(get("real/a.txt")).toBe("new");
  });

  it("does not write through a hard link, which may lead outside", async () => {
    const { root, outside, text } = createTestWorkspace();
    linkSync(join(outside, "secret.txt"), join(root, "hard.txt"));
    await text("writeFile", { path: "hard.txt", content: "mine" });
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toMatch(/secret/);
  });

  it("leaves nothing beside the file, whether it worked or not", async () => {
    const { root, put, text, refusal } = createTestWorkspace();
    put("locked.txt", "old", 0o444);
    await text("writeFile", { path: "a.txt", content: "x" });
    await refusal("writeFile", { path: "locked.txt", content: "x" });
    expect(readdirSync(root).sort()).toEqual(["a.txt", "locked.txt"]);
  });

  it("refuses a file that is write-protected", async () => {
    const { put, refusal, get } = createTestWorkspace();
    put("locked.txt", "old", 0o444);
    expect(await refusal("writeFile", { path: "locked.txt", content: "x" })).toBe(
      '"locked.txt" is write-protected (mode 444).',
    );
    expect(get("locked.txt")).toBe("old");
  });

  it("refuses a directory, and a file as a folder", async () => {
    const { root, put, refusal } = createTestWorkspace();
    mkdirSync(join(root, "src"));
    put("file", "x");
    expect(await refusal("writeFile", { path: "src", content: "x" })).toMatch(/"src" is a folder/);
    expect(await refusal("writeFile", { path: "new/", content: "x" })).toMatch(/"new\/" names a folder/);
    expect(await refusal("writeFile", { path: "new/.", content: "x" })).toMatch(/names a folder/);
    expect(await refusal("writeFile", { path: ".", content: "x" })).toMatch(/names a folder/);
    expect(await refusal("writeFile", { path: "file/inner.txt", content: "x" })).toMatch(/a part of it is a file/);
    expect(readdirSync(root).sort()).toEqual(["file", "src"]);
  });

  it("refuses more bytes than allowed, and half of a character", async () => {
    const { root, refusal } = createTestWorkspace({ maxFileBytes: 10 });
    expect(await refusal("writeFile", { path: "a.txt", content: "é".repeat(6) })).toMatch(/12 bytes; the most is 10/);
    expect(await refusal("writeFile", { path: "a.txt", content: "a\ud800" })).toMatch(/half of a character/);
    expect(await refusal("writeFile", { path: "a.txt" })).toMatch(/The content must be a text/);
    expect(readdirSync(root)).toEqual([]);
  });

  it("refuses a name that is too long for the system, in words", async () => {
    const { refusal } = createTestWorkspace();
    expect(await refusal("writeFile", { path: `${"x".repeat(300)}`, content: "x" }).catch(String)).toMatch(
      /too long|ENAMETOOLONG/,
    );
  });

  it.skipIf(process.getuid?.() !== 0)("keeps the owner of a file when it may", async () => {
    const { root, put, text } = createTestWorkspace();
    put("a.txt", "old");
    execFileSync("chown", ["12345:12345", join(root, "a.txt")]);
    await text("writeFile", { path: "a.txt", content: "new" });
    expect(statSync(join(root, "a.txt")).uid).toBe(12_345);
  });

  it("gives a new file the usual mode", async () => {
    const { root, text } = createTestWorkspace();
    await text("writeFile", { path: "a.txt", content: "x" });
    expect(statSync(join(root, "a.txt")).mode & 0o777).toBe(0o666 & ~process.umask());
    chmodSync(join(root, "a.txt"), 0o600);
  });

  it("writes what is read back equal, whatever the text", async () => {
    const { text, get } = createTestWorkspace();
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\r\n", "\n", "\r", "\ufeff", "\0", "😀", "e\u0301"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        const content = pieces.join("");
        await text("writeFile", { path: "a.txt", content });
        expect(get("a.txt")).toBe(content);
      }),
      { numRuns: 60 },
    );
  });
});
