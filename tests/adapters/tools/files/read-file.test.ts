import { truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "./workspace.ts";

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\tline ${from + index}`);
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("readFile", () => {
  it("shows every line with its number", async () => {
    const { put, text } = createTestWorkspace();
    put("a.txt", "one\n\tindented\n\nfour\n");
    expect(await text("readFile", { path: "a.txt" })).toBe("1\tone\n2\t\tindented\n3\t\n4\tfour");
  });

  it("says that a file is empty, or that its last line has no end", async () => {
    const { put, text } = createTestWorkspace();
    put("empty.txt", "");
    put("open.txt", "one\ntwo");
    put("blank.txt", "\n");
    expect(await text("readFile", { path: "empty.txt" })).toBe("[the file is empty]");
    expect(await text("readFile", { path: "open.txt" })).toBe("1\tone\n2\ttwo\n[no line end after the last line]");
    expect(await text("readFile", { path: "blank.txt" })).toBe("1\t");
  });

  it("reads the lines that were asked for, and says where they lie", async () => {
    const { put, text } = createTestWorkspace();
    put("a.txt", lines(50));
    const page = await text("readFile", { path: "a.txt", startLine: 10, endLine: 12 });
    expect(page.split("\n")).toEqual([...numbered(10, 12), "[lines 10-12 of 50]"]);
    expect(await text("readFile", { path: "a.txt", startLine: 49, endLine: 99 })).toContain("[lines 49-50 of 50]");
    expect(await text("readFile", { path: "a.txt", startLine: 0, endLine: 1 })).toContain("1\tline 1");
  });

  it("counts from the end where the start is negative", async () => {
    const { put, text } = createTestWorkspace();
    put("a.txt", lines(50));
    const page = await text("readFile", { path: "a.txt", startLine: -2 });
    expect(page.split("\n")).toEqual([...numbered(49, 50), "[lines 49-50 of 50]"]);
    expect(await text("readFile", { path: "a.txt", startLine: -500 })).toMatch(/^1\tline 1\n/);
  });

  it("comes page by page, and all pages together are the file", async () => {
    const { put, text } = createTestWorkspace({ outputChars: 2_000 });
    put("a.txt", lines(1_000));
    const seen: string[] = [];
    let startLine: number | undefined = 1;
    while (startLine !== undefined) {
      const page: string = await text("readFile", { path: "a.txt", startLine });
      expect(page.length).toBeLessThanOrEqual(2_000);
      seen.push(...page.split("\n").filter((line) => /^\d/.test(line)));
      startLine = Number(/read on with startLine: (\d+)/.exec(page)?.[1] ?? Number.NaN) || undefined;
    }
    expect(seen).toEqual(numbered(1, 1_000));
  });

  it("shows no more than 2,000 lines at a time", async () => {
    const { put, text } = createTestWorkspace({ outputChars: 200_000 });
    put("a.txt", lines(2_001));
    const page = await text("readFile", { path: "a.txt" });
    expect(page).toContain("\n2000\tline 2000\n[lines 1-2,000 of 2,001; read on with startLine: 2001]");
  });

  it("cuts a long line and says how to read on in it, until all of it was seen", async () => {
    const { put, text } = createTestWorkspace({ outputChars: 4_000 });
    const long = Array.from({ length: 1_500 }, (_, index) => `<${index}😀>`).join("");
    put("min.js", `short\n${long}\nend\n`);
    const first = await text("readFile", { path: "min.js" });
    expect(first).toMatch(/^1\tshort\n2\t<0😀>/);
    expect(first).toMatch(/\n3\tend$/);
    let read = "";
    let args: object | undefined = { path: "min.js", startLine: 2, endLine: 2 };
    while (args !== undefined) {
      const page: string = await text("readFile", args);
      expect(page.length).toBeLessThanOrEqual(4_000);
      const [, shown = "", column] =
        /^2\t(.*?)(?: \[… .* startLine: 2, endLine: 2, startColumn: (\d+)\])?$/m.exec(page) ?? [];
      read += shown;
      args =
        column === undefined ? undefined : { path: "min.js", startLine: 2, endLine: 2, startColumn: Number(column) };
    }
    expect(read).toBe(long);
  });

  it("refuses a start behind the end, and an end before the start", async () => {
    const { put, refusal } = createTestWorkspace();
    put("a.txt", lines(3));
    put("one.txt", "x");
    expect(await refusal("readFile", { path: "a.txt", startLine: 4 })).toBe(
      '"a.txt" has 3 lines; startLine 4 lies behind the last one.',
    );
    expect(await refusal("readFile", { path: "one.txt", startLine: 9 })).toMatch(/has 1 line;/);
    expect(await refusal("readFile", { path: "a.txt", startLine: 3, endLine: 2 })).toMatch(
      /endLine 2 lies before startLine 3/,
    );
  });

  it("tells of CRLF, and of line ends that are mixed", async () => {
    const { put, text } = createTestWorkspace();
    put("dos.txt", "one\r\ntwo\r\n");
    put("mixed.txt", "one\r\ntwo\n");
    expect(await text("readFile", { path: "dos.txt" })).toBe("1\tone\n2\ttwo\n[line ends: CRLF]");
    expect(await text("readFile", { path: "mixed.txt" })).toBe("1\tone\n2\ttwo\n[line ends: CRLF and LF mixed]");
  });

  it("reads UTF-8 with a mark and UTF-16, and says so", async () => {
    const { put, text } = createTestWorkspace();
    const wide = Buffer.from("\ufeffhé 你好😀\n", "utf16le");
    put("bom.txt", "\ufeffhé\n");
    put("le.txt", wide);
    put("be.txt", Buffer.from(wide).swap16());
    expect(await text("readFile", { path: "bom.txt" })).toBe("1\thé\n[UTF-8 with BOM]");
    expect(await text("readFile", { path: "le.txt" })).toBe("1\thé 你好😀\n[UTF-16 LE with BOM]");
    expect(await text("readFile", { path: "be.txt" })).toBe("1\thé 你好😀\n[UTF-16 BE with BOM]");
  });

  it("tells of bytes that are no characters, and of none where U+FFFD stands in the file itself", async () => {
    const { put, text } = createTestWorkspace();
    put("latin.txt", Buffer.from("ok\ncaf\xe9\n", "latin1"));
    put("genuine.txt", "a\ufffdb\n");
    expect(await text("readFile", { path: "latin.txt" })).toBe(
      "1\tok\n2\tcaf\ufffd\n[not all of it is UTF-8: bytes that are no characters are shown as \ufffd, near line 2]",
    );
    expect(await text("readFile", { path: "genuine.txt" })).toBe("1\ta\ufffdb");
  });

  it("tears no character at the borders of what is read at once", async () => {
    const { put, text } = createTestWorkspace({ outputChars: 2_000 });
    const line = `${"a".repeat(128 * 1024 - 1)}你${"b".repeat(10)}\n`;
    put("border.txt", line);
    const page = await text("readFile", { path: "border.txt", startLine: 1, endLine: 1, startColumn: 128 * 1024 - 2 });
    expect(page).toMatch(/^1\taa你b{10}\n\[lines|^1\taa你b{10}$/);
  });

  it.each([
    ["a PNG image", Buffer.from("89504e470d0a1a0a0000", "hex")],
    ["a PDF document", Buffer.from("%PDF-1.7\n\0\0")],
    ["UTF-32 text", Buffer.from("fffe000061000000", "hex")],
    ["a binary file", Buffer.from("abc\0def")],
    ["a binary file", Buffer.from("\x01\x02\x03\x04abc")],
  ])("names %s instead of showing it", async (kind, bytes) => {
    const { put, refusal } = createTestWorkspace();
    put("data", bytes);
    expect(await refusal("readFile", { path: "data" })).toBe(
      `"data" is ${kind} of ${bytes.length} bytes, not text; it is not shown.`,
    );
  });

  it("shows the start of a huge file at once, and looks only so far into it", async () => {
    const { root, put, text, refusal } = createTestWorkspace();
    put("huge.log", lines(20_000));
    truncateSync(join(root, "huge.log"), 5_000_000_000);
    const page = await text("readFile", { path: "huge.log", endLine: 3 });
    expect(page.split("\n")).toEqual([...numbered(1, 3), "[lines 1-3 of a file of 5,000,000,000 bytes]"]);
    expect(await refusal("readFile", { path: "huge.log", startLine: -5 })).toMatch(/more than 268,435,456 bytes/);
    expect(await refusal("readFile", { path: "huge.log", startLine: 30_000 })).toMatch(
      /lies behind the first 268,435,456/,
    );
  });

  it("gives back every line of any text", async () => {
    const { put, text } = createTestWorkspace({ outputChars: 100_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 30 }), async (parts) => {
        const wanted = parts.map((part) => part.replace(/[\0-\x1f]/g, ""));
        put("a.txt", wanted.map((line) => `${line}\n`).join(""));
        const page = await text("readFile", { path: "a.txt" });
        const shown = page.split("\n").map((line) => line.replace(/^\d+\t/, ""));
        expect(wanted.length === 0 ? page : shown).toEqual(wanted.length === 0 ? "[the file is empty]" : wanted);
      }),
      { numRuns: 50 },
    );
  });
});
