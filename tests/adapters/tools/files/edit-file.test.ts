import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestWorkspace } from "./workspace.ts";

const one = (oldText: string, newText: string, more: object = {}) => ({
  path: "a.txt",
  edits: [{ oldText, newText, ...more }],
});

describe("editFile", () => {
  it("replaces a text and shows a unified diff", async () => {
    const { put, text, get } = createTestWorkspace();
    put("a.txt", "one\ntwo\nthree\n");
    expect(await text("editFile", one("two", "2"))).toBe(
      [
        'Edited "a.txt": 1 replacement.',
        "--- a.txt",
        "+++ a.txt",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "+2",
        " three",
      ].join("\n"),
    );
    expect(get("a.txt")).toBe("one\n2\nthree\n");
  });

  it("shows a diff that patch programs take", async () => {
    const { put, text, get } = createTestWorkspace();
    const before = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join("");
    put("a.txt", before);
    const edits = [
      { oldText: "line 0\n", newText: "" },
      { oldText: "line 30\n", newText: "thirty\nthirty and a half\n" },
      { oldText: "line 59\n", newText: "the end" },
    ];
    const diff = (await text("editFile", { path: "a.txt", edits })).split("\n").slice(1).join("\n");
    expect(applyPatch(before, diff)).toBe(get("a.txt"));
  });

  it("shows a diff that leads from any text to the edited one", async () => {
    const { put, text, get } = createTestWorkspace({ outputChars: 1_000_000 });
    const line = fc.constantFrom("a", "b", "", "c c", "long enough to matter");
    const change = fc.record({ at: fc.nat(600), count: fc.integer({ min: 1, max: 250 }), put: fc.array(line) });
    const input = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 600 }),
      changes: fc.array(change, { minLength: 1, maxLength: 5 }),
      isEnded: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ lines, changes, isEnded }) => {
        const marked = lines.map((value, index) => `${index}:${value}`);
        const before = marked.join("\n") + (isEnded ? "\n" : "");
        put("a.txt", before);
        let next = 0;
        const edits = [...changes]
          .sort((a, b) => a.at - b.at)
          .flatMap(({ at, count, put: added }) => {
            const start = Math.max(next, at % marked.length);
            const part = marked.slice(start, start + count);
            next = start + count;
            return part.length === 0 ? [] : [{ oldText: part.join("\n"), newText: `new${added.join("\n")}` }];
          })
          .filter(({ oldText }) => before.indexOf(oldText) === before.lastIndexOf(oldText));
        if (edits.length === 0) return;
        const diff = (await text("editFile", { path: "a.txt", edits })).split("\n").slice(1).join("\n");
        expect(applyPatch(before, diff)).toBe(get("a.txt"));
      }),
      { numRuns: 60 },
    );
  });

  it("makes several edits, in any order, all looked for in the file as it is", async () => {
    const { put, text, get } = createTestWorkspace();
    put("a.txt", "alpha beta gamma\n");
    const edits = [
      { oldText: "gamma", newText: "alpha" },
      { oldText: "alpha", newText: "gamma" },
    ];
    await text("editFile", { path: "a.txt", edits });
    expect(get("a.txt")).toBe("gamma beta alpha\n");
  });

  it("makes none when one of them does not fit, and says which", async () => {
    const { put, refusal, get } = createTestWorkspace();
    put("a.txt", "alpha\nbeta\n");
    const edits = [
      { oldText: "alpha", newText: "1" },
      { oldText: "no such text at all", newText: "2" },
    ];
    expect(await refusal("editFile", { path: "a.txt", edits })).toBe(
      'The oldText of edit 2 is not in "a.txt". Nothing in the file resembles it. Read the file again. Nothing was changed.',
    );
    expect(get("a.txt")).toBe("alpha\nbeta\n");
  });

  it("takes newText as it is, with all that replace functions give a meaning to", async () => {
    const { put, text, get } = createTestWorkspace();
    put("a.txt", "price: X\n");
    await text("editFile", one("X", "$& $1 $$ $` \\n"));
    expect(get("a.txt")).toBe("price: $& $1 $$ $` \\n\n");
  });

  it("replaces every occurrence where that was asked for", async () => {
    const { put, text, get } = createTestWorkspace();
    put("a.txt", "aaa b aaa\n");
    expect(await text("editFile", one("aa", "c", { replaceAll: true }))).toMatch(/^Edited "a.txt": 2 replacements/);
    expect(get("a.txt")).toBe("ca b ca\n");
  });

  it("deletes by an empty newText", async () => {
    const { put, text, get } = createTestWorkspace();
    put("a.txt", "one\ntwo\n");
    await text("editFile", one("one\n", ""));
    expect(get("a.txt")).toBe("two\n");
  });

  it("refuses a text that occurs more than once, with the lines, also where it overlaps itself", async () => {
    const { put, refusal, get } = createTestWorkspace();
    put("a.txt", "x = 1\ny = 2\nx = 1\n");
    expect(await refusal("editFile", one("x = 1", "x = 2"))).toBe(
      'The oldText occurs 2 times in "a.txt", at lines 1, 3. Add lines around it until it occurs once, or set replaceAll. Nothing was changed.',
    );
    put("a.txt", "aaa\n");
    expect(await refusal("editFile", one("aa", "b"))).toMatch(/occurs 2 times/);
    put("a.txt", "a".repeat(5_000));
    expect(await refusal("editFile", one("a", "b"))).toMatch(
      /occurs 1,000 or more times in "a.txt", at lines 1, .*, …/,
    );
    expect(get("a.txt")).toBe("a".repeat(5_000));
  });

  it("refuses edits that overlap, that are empty, or that change nothing", async () => {
    const { put, refusal } = createTestWorkspace();
    put("a.txt", "one two three\n");
    const edits = [
      { oldText: "one two", newText: "1" },
      { oldText: "two three", newText: "2" },
    ];
    expect(await refusal("editFile", { path: "a.txt", edits })).toMatch(
      /The oldText of edit 1 and the oldText of edit 2 overlap at line 1 of "a.txt"/,
    );
    expect(await refusal("editFile", one("", "x"))).toMatch(/The oldText is empty/);
    expect(await refusal("editFile", one("one", "one"))).toMatch(/are the same; nothing would change/);
    expect(await refusal("editFile", { path: "a.txt", edits: [] })).toMatch(/There are no edits/);
    expect(await refusal("editFile", one("one", "\udc00"))).toMatch(/half of a character/);
  });

  describe("where a text is not found", () => {
    it("shows the nearest one, which differs in blanks", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "function f() {\n\treturn 1;\n}\n");
      expect(await refusal("editFile", one("function f() {\n    return 1;\n}", "x"))).toBe(
        'The oldText is not in "a.txt". The nearest text, lines 1-3, differs in blanks only: line 2 is "\\treturn 1;", oldText has "    return 1;". Take it as it is in the file. Nothing was changed.',
      );
    });

    it.each([
      ["blanks, quotation marks or dashes only", "say(\u201chello\u201d) \u2014 now", 'say("hello") - now'],
      ["blanks only", "a\u00a0narrow blank", "a narrow blank"],
      ["letter case or blanks only", "const Value = readAll();", "const value = readall();"],
      ["its words", "const total = first + second;", "const total = first + third;"],
    ])("names the difference: %s", async (difference, line, wanted) => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", `before\n${line}\nafter\n`);
      const message = await refusal("editFile", one(wanted, "x"));
      expect(message).toContain(`The nearest text, line 2, differs in ${difference}: line 2 is `);
    });

    it("makes unusual blanks visible", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "a\u00a0narrow\tblank\n");
      expect(await refusal("editFile", one("a narrow blank", "x"))).toContain('line 1 is "a\\u00a0narrow\\tblank"');
    });

    it("recognises the line numbers of readFile", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "one\ntwo\n");
      expect(await refusal("editFile", one("1\tone\n2\ttwo", "x"))).toMatch(
        /It holds the line numbers that readFile shows/,
      );
    });

    it("recognises a line end that the file does not have", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "one\ntwo");
      expect(await refusal("editFile", one("two\n", "x"))).toMatch(
        /the file has none after its last line. Leave it out/,
      );
    });

    it("recognises an edit that was made before", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "first\nconst answer = 42;\n");
      expect(await refusal("editFile", one("const answer = 41;", "const answer = 42;"))).toMatch(
        /The newText is there already, at line 2/,
      );
    });

    it("shows lines that are nearly the same, found by the longest of them", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "start\n\nconst first = readAll(input);\nreturn first;\nend\n");
      const message = await refusal("editFile", one("\nconst first = readAll(inputs);\nreturn  one;\n", "x"));
      expect(message).toContain("The nearest text, lines 2-4, differs in its words: line 3 is ");
    });

    it("shows a text that goes on differently behind its end", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "one long enough line\nlast");
      const message = await refusal("editFile", one("one long enough line\nlast\n\nmore", "x"));
      expect(message).toContain("The nearest text, lines 1-4, differs in its words: line 4 is ");
    });

    it("says of a text of one character, or beyond the start of the file, only that it is not there", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "the very first line\n}\n}\n");
      expect(await refusal("editFile", one("x", "y"))).toMatch(/Nothing in the file resembles it/);
      expect(await refusal("editFile", one("zzz\nthe very first line", "y"))).toMatch(
        /Nothing in the file resembles it/,
      );
    });

    it("answers soon, and in few words, whatever the file", async () => {
      const { put, refusal } = createTestWorkspace();
      put("a.txt", "the same long line again and again, not quite\n".repeat(100_000));
      const wanted = "the same long line again and again, not right\n".repeat(300);
      const message = await refusal("editFile", one(wanted, "x"));
      expect(message.length).toBeLessThan(3_000);
      put("a.txt", `${"a b".repeat(400_000)}\n`);
      expect((await refusal("editFile", one("a  b".repeat(20_000), "x"))).length).toBeLessThan(3_000);
    });
  });

  describe("keeps", () => {
    it("CRLF, though a model writes LF", async () => {
      const { put, text, get } = createTestWorkspace();
      put("a.txt", "one\r\ntwo\r\nthree\r\n");
      await text("editFile", one("one\ntwo\n", "1\n2\n2.5\n"));
      expect(get("a.txt")).toBe("1\r\n2\r\n2.5\r\nthree\r\n");
    });

    it("LF, though a model writes CRLF", async () => {
      const { put, text, get } = createTestWorkspace();
      put("a.txt", "one\ntwo\n");
      await text("editFile", one("one\r\n", "1\r\n1.5\r\n"));
      expect(get("a.txt")).toBe("1\n1.5\ntwo\n");
    });

    it("each line end of a file that mixes them", async () => {
      const { put, text, get } = createTestWorkspace();
      put("a.txt", "one\r\ntwo\nthree\r\nfour\n");
      await text("editFile", one("one\ntwo\nthree\nfour", "one\nTWO\nthree\nfour"));
      expect(get("a.txt")).toBe("one\r\nTWO\nthree\r\nfour\n");
      await text("editFile", one("three\n", "three\nthree and a half\n"));
      expect(get("a.txt")).toBe("one\r\nTWO\nthree\r\nthree and a half\r\nfour\n");
    });

    it("a carriage return alone, and gives new lines LF where a file has no line ends", async () => {
      const { put, text, get } = createTestWorkspace();
      put("a.txt", "a\rb\nc\n");
      await text("editFile", one("c", "d"));
      expect(get("a.txt")).toBe("a\rb\nd\n");
      put("a.txt", "x");
      await text("editFile", one("x", "1\r\n2"));
      expect(get("a.txt")).toBe("1\n2");
    });

    it("the byte order mark and the encoding", async () => {
      const { root, put, text, get } = createTestWorkspace();
      put("a.txt", "\ufeffone\n");
      await text("editFile", one("one", "zwei"));
      expect(get("a.txt")).toBe("\ufeffzwei\n");
      const wide = Buffer.from("\ufeffeins 😀\r\n", "utf16le");
      put("a.txt", wide);
      await text("editFile", one("eins", "你好"));
      expect(readFileSync(join(root, "a.txt"))).toEqual(Buffer.from("\ufeff你好 😀\r\n", "utf16le"));
      put("a.txt", Buffer.from(wide).swap16());
      await text("editFile", one("eins", "zwei"));
      expect(readFileSync(join(root, "a.txt"))).toEqual(Buffer.from("\ufeffzwei 😀\r\n", "utf16le").swap16());
    });

    it("the mode", async () => {
      const { root, put, text } = createTestWorkspace();
      put("a.txt", "one\n", 0o755);
      await text("editFile", one("one", "two"));
      expect(statSync(join(root, "a.txt")).mode & 0o777).toBe(0o755);
    });
  });

  it("refuses what it could damage: binary files, and bytes that are no characters", async () => {
    const { put, refusal, root } = createTestWorkspace();
    put("a.txt", Buffer.from("one\0two"));
    expect(await refusal("editFile", one("one", "x"))).toBe('"a.txt" is a binary file, not text; it cannot be edited.');
    put("a.txt", Buffer.from("caf\xe9 one\n", "latin1"));
    expect(await refusal("editFile", one("one", "x"))).toMatch(/"a.txt" is not valid UTF-8/);
    expect(readFileSync(join(root, "a.txt"))).toEqual(Buffer.from("caf\xe9 one\n", "latin1"));
    put("a.txt", Buffer.concat([Buffer.from("\ufeffone", "utf16le"), Buffer.from([0x00])]));
    expect(await refusal("editFile", one("one", "x"))).toMatch(/is not valid UTF-16LE/);
    put("genuine.txt", "a\ufffdone\n");
  });

  it("refuses files that are too large, before or after", async () => {
    const { put, refusal } = createTestWorkspace({ maxFileBytes: 20 });
    put("a.txt", "x".repeat(21));
    expect(await refusal("editFile", one("x", "y"))).toMatch(/has 21 bytes; editFile edits files up to 20 bytes/);
    put("a.txt", "one\n");
    expect(await refusal("editFile", one("one", "y".repeat(30)))).toMatch(/would have 31 bytes; the most is 20/);
  });

  it("refuses a file that is missing or a directory", async () => {
    const { put, refusal } = createTestWorkspace();
    put("src/index.ts", "x");
    expect(await refusal("editFile", { ...one("x", "y"), path: "src/indx.ts" })).toMatch(
      /Did you mean "src\/index.ts"\?/,
    );
    expect(await refusal("editFile", { ...one("x", "y"), path: "src" })).toMatch(/is a folder/);
  });

  it("shows a place with very many different lines as taken out and put in", async () => {
    const { put, text, get } = createTestWorkspace({ outputChars: 200_000 });
    const before = Array.from({ length: 300 }, (_, index) => `old ${index}\n`).join("");
    const after = Array.from({ length: 310 }, (_, index) => `new ${index}`).join("\n");
    put("a.txt", before);
    const diff = (await text("editFile", one(before, after))).split("\n").slice(1).join("\n");
    expect(applyPatch(before, diff)).toBe(get("a.txt"));
    put("a.txt", before);
    const emptied = (await text("editFile", one(before, ""))).split("\n").slice(1).join("\n");
    expect(applyPatch(before, emptied)).toBe("");
  });

  it("takes many replacements on one long line, but not any number", async () => {
    const { put, text, refusal, get } = createTestWorkspace();
    put("a.txt", "ab".repeat(90_000));
    expect(await text("editFile", one("a", "cc", { replaceAll: true }))).toMatch(
      /^Edited "a.txt": 90,000 replacements/,
    );
    expect(get("a.txt")).toBe("ccb".repeat(90_000));
    put("a.txt", "a".repeat(100_001));
    expect(await refusal("editFile", one("a", "b", { replaceAll: true }))).toMatch(/occurs more than 100,000 times/);
  });

  it("shows of a diff what fits", async () => {
    const { put, text } = createTestWorkspace({ outputChars: 2_000 });
    put("a.txt", Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join(""));
    const cut = await text("editFile", one("line", "LINE", { replaceAll: true }));
    expect(cut.length).toBeLessThanOrEqual(2_000);
    expect(cut).toMatch(/^Edited "a.txt": 20,000 replacements\./);
    expect(cut).toMatch(/\[more of the diff is not shown; read the file\]$/);
  });

  it("loses none of many edits that are made at once, nor those of another set of tools", async () => {
    const workspace = createTestWorkspace();
    const names = Array.from({ length: 40 }, (_, index) => `<slot ${index}>`);
    workspace.put("a.txt", names.map((name) => `${name}\n`).join(""));
    const { workspaceTools } = await import("../../../../src/adapters/tools/files/index.ts");
    const other = workspaceTools(workspace.root).find((tool) => tool.name === "editFile");
    await Promise.all(
      names.map((name, index) => {
        const args = one(name, `done ${index}`);
        return index % 2 === 0 ? workspace.text("editFile", args) : other?.execute(args as never, {} as never);
      }),
    );
    expect(workspace.get("a.txt")).toBe(names.map((_, index) => `done ${index}\n`).join(""));
  });

  it("notices that somebody else changed the file meanwhile, and writes nothing", async () => {
    const { root, put, call, get } = createTestWorkspace();
    const path = join(root, "a.txt");
    let refused = 0;
    for (let round = 0; round < 20; round++) {
      put("a.txt", `one ${"x".repeat(200_000)}\n`);
      const editing = call("editFile", one("one", "two"));
      await new Promise((resolve) => setTimeout(resolve, round % 5));
      writeFileSync(path, "theirs\n");
      utimesSync(path, 1, round + 1);
      const result = await editing;
      // Either the edit came first and theirs over it, or it was refused: theirs is never lost.
      if (!result.ok) refused++;
      expect(get("a.txt")).toBe("theirs\n");
    }
    expect(refused).toBeGreaterThanOrEqual(0);
  });

  it("undoes an edit by its inverse, byte by byte, whatever the line ends", async () => {
    const { root, put, text } = createTestWorkspace();
    const word = fc.stringMatching(/^[a-z€😀 \t]{0,12}$/u);
    const file = fc.record({
      lines: fc.array(word, { minLength: 1, maxLength: 12 }),
      end: fc.constantFrom("\n", "\r\n"),
      mark: fc.constantFrom("", "\ufeff"),
      isEnded: fc.boolean(),
      at: fc.nat(),
      count: fc.integer({ min: 1, max: 4 }),
      replacement: fc.array(word, { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ lines, end, mark, isEnded, at, count, replacement }) => {
        const marked = lines.map((line, index) => `<${index}>${line}`);
        // A line end outside of the edit: what a file has none of any more cannot be kept.
        const content = mark + [...marked, "last"].join(end) + (isEnded ? end : "");
        put("a.txt", content);
        const start = at % marked.length;
        const oldText = marked.slice(start, start + count).join("\n");
        const newText = `<new ${replacement.join("\n")}>`;
        await text("editFile", one(oldText, newText));
        await text("editFile", one(newText, oldText));
        expect(readFileSync(join(root, "a.txt"))).toEqual(Buffer.from(content));
      }),
      { numRuns: 100 },
    );
  });
});
