import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { compileMatcher, compileRegex, withinTime } from "../../../../src/adapters/tools/files/grep-files/matcher.ts";
import { findRipgrep } from "../../../../src/adapters/tools/files/grep-files/ripgrep.ts";
import { ripgrepPattern } from "../../../../src/adapters/tools/files/grep-files/ripgrep-pattern.ts";
import { createTestWorkspace, type TestWorkspace } from "./workspace.ts";

const ripgrep = await findRipgrep("/nowhere", process.env["PATH"] ?? "");

function project(options: object = {}): TestWorkspace {
  const workspace = createTestWorkspace(options);
  workspace.put("src/a.ts", "first\nlet x = 1;\nmiddle\nlet y = 2;\nlast\n");
  workspace.put("src/b.js", "let x = 3;\r\nX = 4\r\n");
  workspace.put("docs/read.md", "\ufeffnothing here\n");
  workspace.put("logs/x.log", "let x\n");
  workspace.put(".gitignore", "*.log\n");
  workspace.put(".env", "let x = secret\n");
  workspace.put("data.bin", Buffer.from("let x\0"));
  return workspace;
}

describe("grepFiles", () => {
  it("shows matching lines, file by file", async () => {
    const { text } = project();
    expect(await text("grepFiles", { pattern: "let [xy]" })).toBe(
      "src/a.ts\n2:let x = 1;\n4:let y = 2;\n\nsrc/b.js\n1:let x = 3;\n[3 matching lines]",
    );
  });

  it("shows lines around a match once each, with a mark where lines are left out", async () => {
    const { text, put } = createTestWorkspace();
    put("a.txt", "1\nX2\n3\nX4\n5\n6\n7\n8\nX9\n");
    expect(await text("grepFiles", { pattern: "X", context: 1 })).toBe(
      "a.txt\n1-1\n2:X2\n3-3\n4:X4\n5-5\n--\n8-8\n9:X9\n[3 matching lines]",
    );
    expect(await text("grepFiles", { pattern: "X9", context: 3 })).toBe(
      "a.txt\n6-6\n7-7\n8-8\n9:X9\n[1 matching line]",
    );
  });

  it("can take a pattern as it is, ignore case, and name only files", async () => {
    const { text } = project();
    expect(await text("grepFiles", { pattern: "x = 1;", literal: true })).toMatch(/^src\/a.ts\n2:let x = 1;\n/);
    expect(await text("grepFiles", { pattern: "[xy]", literal: true })).toBe('[no line matches "[xy]" in "."]');
    expect(await text("grepFiles", { pattern: "^x = 4$", ignoreCase: true })).toMatch(/^src\/b.js\n2:X = 4\n/);
    expect(await text("grepFiles", { pattern: "LET X = 1;", literal: true, ignoreCase: true })).toMatch(/2:let x = 1;/);
    expect(await text("grepFiles", { pattern: "let", output: "files" })).toBe(
      "src/a.ts: 2\nsrc/b.js: 1\n[2 matching files]",
    );
  });

  it("searches one file, one folder, or what fits a glob", async () => {
    const { text } = project();
    expect(await text("grepFiles", { pattern: "let x", path: "src/b.js" })).toMatch(/^src\/b.js\n1:let x = 3;\n/);
    expect(await text("grepFiles", { pattern: "let x", path: "docs" })).toBe('[no line matches "let x" in "docs"]');
    expect(await text("grepFiles", { pattern: "let x", glob: "*.{js,jsx}" })).toMatch(/^src\/b.js\n1:let x = 3;\n\[1 /);
    expect(await text("grepFiles", { pattern: "^nothing" })).toMatch(/^docs\/read.md\n1:nothing here\n/);
  });

  it("passes over what is ignored, protected, binary or a link, and finds ignored files when asked", async () => {
    const { text, link, outside } = project();
    link(outside, "out");
    expect(await text("grepFiles", { pattern: "secret|let x$" })).toMatch(/^\[no line matches/);
    expect(await text("grepFiles", { pattern: "secret|let x$", includeIgnored: true })).toMatch(
      /^logs\/x.log\n1:let x\n\[1/,
    );
  });

  it("comes page by page, and all pages together are all matches", async () => {
    const { text, put } = createTestWorkspace();
    for (let file = 0; file < 12; file++) put(`f${10 + file}.txt`, "hit\nmiss\n".repeat(file));
    const seen: string[] = [];
    let offset: number | undefined = 0;
    let pages = 0;
    while (offset !== undefined) {
      const page: string = await text("grepFiles", { pattern: "hit", offset, limit: 7 });
      seen.push(...page.split("\n").filter((line) => /^\d+:/.test(line)));
      offset = Number(/read on with offset: (\d+)/.exec(page)?.[1] ?? Number.NaN) || undefined;
      pages++;
    }
    expect(seen).toHaveLength(66);
    expect(pages).toBe(10);
    expect(await text("grepFiles", { pattern: "hit", offset: 60 })).toMatch(/\[matching lines 61-66 of 66\]$/);
    expect(await text("grepFiles", { pattern: "hit", offset: 70 })).toBe(
      "[there are only 66 matching lines; offset 70 is too large]",
    );
  });

  it("shows of a long line the part around the match, and never more than the bound", async () => {
    const { text, put } = createTestWorkspace({ outputChars: 2_000 });
    put("min.js", `${"a".repeat(50_000)}needle${"b".repeat(50_000)}\n`.repeat(20));
    const page = await text("grepFiles", { pattern: "needle" });
    expect(page.length).toBeLessThanOrEqual(2_000);
    expect(page).toMatch(/^min.js\n1:…a{150}needleb+…\n2:/);
    expect(page).toMatch(/\[matching lines 1-\d; there are more: read on with offset: \d\]$/);
  });

  it("reads UTF-16 with a mark, and bytes that are no characters", async () => {
    const { text, put } = createTestWorkspace();
    put("wide.txt", Buffer.from("\ufeffeins\nzwei\n", "utf16le"));
    put("latin.txt", Buffer.from("caf\xe9 zwei\n", "latin1"));
    expect(await text("grepFiles", { pattern: "zwei" })).toBe(
      "latin.txt\n1:caf\ufffd zwei\n\nwide.txt\n2:zwei\n[2 matching lines]",
    );
  });

  it("refuses what is no pattern, in words", async () => {
    const { refusal } = project();
    expect(await refusal("grepFiles", { pattern: "(" })).toMatch(
      /"\(" is no regular expression: .*Unterminated group.*set literal/,
    );
    expect(await refusal("grepFiles", { pattern: "" })).toMatch(/A pattern is a text of 1 to 1000 characters/);
    expect(await refusal("grepFiles", { pattern: "a\nb" })).toMatch(/holds a line end/);
    expect(await refusal("grepFiles", { pattern: "x", path: "nowhere" })).toMatch(
      /There is no file or folder "nowhere"/,
    );
    expect(await refusal("grepFiles", { pattern: "x", glob: "../*" })).toMatch(/goes up with/);
  });

  it.each(["^(a+)+$", "(a|aa)+$", "(.*a){20}b", "(\\w+\\s*)+!$"])("is not held up by %s", async (pattern) => {
    const { refusal, put } = createTestWorkspace();
    put("a.txt", `${"a".repeat(60)}?\n`);
    const startedAt = performance.now();
    expect(await refusal("grepFiles", { pattern })).toMatch(/takes too long. Make it simpler/);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it.each(["(((a{1,100}){1,100}){1,100})b", "(?:a{1000}){1000}", "a{1,99999}b{1,99999}"])(
    "answers one way or the other to %s",
    async (pattern) => {
      const { call, put } = createTestWorkspace();
      put("a.txt", `${"a".repeat(5_000)}\n`);
      expect(await call("grepFiles", { pattern })).toMatchObject({ ok: expect.any(Boolean) });
    },
  );

  it("goes through more files than fit into one batch", async () => {
    const { text, put } = createTestWorkspace();
    for (let index = 0; index < 1_100; index++)
      put(`d/f${String(index).padStart(4, "0")}`, index % 100 === 7 ? "hit\n" : "");
    expect(await text("grepFiles", { pattern: "hit", output: "files" })).toMatch(/d\/f1007: 1\n\[11 matching files\]$/);
  });

  it("passes over matching files, and counts all lines of the others", async () => {
    const { text, put } = createTestWorkspace();
    put("a.txt", "hit\n");
    put("b.txt", "hit\n".repeat(10_050));
    expect(await text("grepFiles", { pattern: "hit", output: "files", offset: 1 })).toBe(
      "b.txt: 10,050\n[matching files 2-2 of 2]",
    );
  });

  it("stops after the time that the host allows, and says so", async () => {
    const { text, put } = createTestWorkspace({ searchMs: 1 });
    for (let index = 0; index < 300; index++) put(`d${index}/f`, "x");
    expect(await text("grepFiles", { pattern: "none" })).toMatch(/\[stopped after 1 ms: there may be more/);
  });
});

describe("the time of a pattern", () => {
  const timedOut = () => Object.assign(new Error("timed out"), { code: "ERR_SCRIPT_EXECUTION_TIMEOUT" });
  const used = (milliseconds: number) => {
    vi.spyOn(process, "cpuUsage").mockReturnValue({ user: milliseconds * 1_000, system: 0 });
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
  };

  it("is given again, twice as much, where the processor was busy with something else", () => {
    used(10);
    const given: number[] = [];
    const result = withinTime((timeoutMs) => {
      given.push(timeoutMs);
      if (given.length < 3) throw timedOut();
      return "found";
    });
    expect(result).toBe("found");
    expect(given).toEqual([250, 500, 1_000]);
  });

  it("is over when it was used, when it was given five times, or when something else went wrong", () => {
    const attempts = (error: Error) => {
      let count = 0;
      const run = () => {
        count++;
        throw error;
      };
      expect(() => withinTime(run)).toThrow(error.message);
      return count;
    };
    used(240);
    expect(attempts(timedOut())).toBe(1);
    used(0);
    expect(attempts(timedOut())).toBe(5);
    expect(attempts(new RangeError("too deep"))).toBe(1);
  });
});

describe("a pattern", () => {
  const matches = (pattern: string, line: string) =>
    compileMatcher({ pattern, isLiteral: false, ignoreCase: false })([line]).length > 0;

  it("takes . for a whole character", () => {
    expect(matches("^.$", "😀")).toBe(true);
  });

  it("is read forgivingly where it is strict that fails", () => {
    expect(matches("foo\\-bar {", "foo-bar {")).toBe(true);
    expect(matches('\\"x\\"', '"x"')).toBe(true);
  });
});

describe.skipIf(ripgrep === undefined)("with ripgrep", () => {
  it("finds the same as without", async () => {
    const all = ["let [xy]", "^let", "\\bx\\b", "=\\s\\d;?$", ".", "[^a-z ]", "x|nothing", "\\w+ here", "\\S\\d", "X"];
    const { put, root } = project();
    for (let index = 0; index < 40; index++) put(`many/f${index}.txt`, `line ${index}\r\nlet z${index} = 5;\n`);
    const { workspaceTools } = await import("../../../../src/adapters/tools/files/index.ts");
    const search = async (ripgrep: boolean, args: object) => {
      const tool = workspaceTools(root, { ripgrep }).find((each) => each.name === "grepFiles");
      return await tool?.execute(args as never, {} as never);
    };
    for (const pattern of all) {
      for (const more of [{}, { ignoreCase: true }, { literal: true }, { context: 2, offset: 5, limit: 9 }]) {
        const args = { pattern, ...more };
        expect(await search(true, args), JSON.stringify(args)).toEqual(await search(false, args));
      }
    }
  });

  it("is not given a pattern whose end stands before its beginning", () => {
    expect(ripgrepPattern({ pattern: "$^", isLiteral: false, ignoreCase: false })).toBeUndefined();
  });

  it("is given no pattern that could miss a line which JavaScript matches", () => {
    const root = createTestWorkspace().root;
    const atom = fc.constantFrom(
      ...[
        "a",
        "b",
        "é",
        "😀",
        ".",
        "\\d",
        "\\D",
        "\\w",
        "\\W",
        "\\s",
        "\\S",
        "\\b",
        "\\B",
        "\\.",
        "\\-",
        "\\t",
        "$",
        "^",
      ],
      ...[
        "[ab]",
        "[^a]",
        "[a-c\\d]",
        "[\\w-]",
        "[\\S]",
        "[.&&b]",
        "[[a]",
        "[a~~b]",
        "[-a]",
        "(?:ab)",
        "(a|b)",
        "(?<n>a)",
        "{",
        "}",
        "-",
        "/",
        "#",
        " ",
      ],
    );
    const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "+?");
    const pattern = fc
      .array(fc.tuple(atom, quantifier), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.flat().join(""));
    const piece = fc.constantFrom(..."abcAB09 _-.\t&~[]{}/#é😀k\u212as\u017f\u00a0\u0085\ufeff");
    const bytes = fc.constantFrom(
      Buffer.from([0xe9]),
      Buffer.from([0xe2, 0x82]),
      Buffer.from([0xff]),
      Buffer.from("\r"),
    );
    const line = fc
      .array(
        fc.oneof({ weight: 8, arbitrary: piece.map((text) => Buffer.from(text)) }, { weight: 1, arbitrary: bytes }),
        { maxLength: 6 },
      )
      .map((parts) => Buffer.concat(parts));
    const input = fc.record({
      pattern,
      lines: fc.array(line, { minLength: 15, maxLength: 15 }),
      end: fc.constantFrom("\n", "\r\n"),
      ignoreCase: fc.boolean(),
    });
    let translated = 0;
    fc.assert(
      fc.property(input, ({ pattern, lines, end, ignoreCase }) => {
        const query = { pattern, isLiteral: false, ignoreCase };
        let regex: RegExp;
        try {
          regex = compileRegex(query);
        } catch {
          return;
        }
        const own = ripgrepPattern(query);
        if (own === undefined) return;
        translated++;
        const files = lines.map((text, index) => {
          writeFileSync(join(root, `f${index}`), Buffer.concat([text, Buffer.from(end)]));
          return `f${index}`;
        });
        const args = [
          "--no-config",
          "--text",
          "--files-with-matches",
          ...(ignoreCase ? ["-i"] : []),
          `--regexp=${own}`,
        ];
        let found: string;
        try {
          found = execFileSync(ripgrep ?? "", [...args, "--", ...files], { cwd: root, encoding: "utf8" });
        } catch (error) {
          if ((error as { status?: number }).status !== 1) return;
          found = "";
        }
        const named = new Set(found.split("\n"));
        const missed = files.filter((file, index) => {
          const text = (lines[index] ?? Buffer.alloc(0)).toString("utf8").replace(/^\ufeff/, "");
          const ended = end === "\n" && text.endsWith("\r") ? text.slice(0, -1) : text;
          return regex.exec(ended) !== null && !named.has(file);
        });
        expect(missed, `${pattern} as ${own}`).toEqual([]);
      }),
      { numRuns: Number(process.env["HARNESS_KIT_RIPGREP_RUNS"] ?? 150) },
    );
    expect(translated).toBeGreaterThan(0);
  });

  it("takes no rg that lies in the workspace, nor one on a relative path", async () => {
    const { root } = createTestWorkspace();
    mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
    const planted = join(root, "node_modules/.bin/rg");
    writeFileSync(planted, "#!/bin/sh\necho planted >&2\n");
    chmodSync(planted, 0o755);
    const path = [join(root, "node_modules/.bin"), "bin", ".", process.env["PATH"]].join(delimiter);
    expect(await findRipgrep(root, path)).toBe(ripgrep);
    expect(await findRipgrep(root, join(root, "node_modules/.bin"))).toBeUndefined();
  });

  it("reads no configuration of it, and copes with one that fails", async () => {
    const { text, put, root, outside } = project();
    for (let index = 0; index < 40; index++) put(`many/f${index}.txt`, "let z\n");
    writeFileSync(join(outside, "config"), "--invert-match\n--pre=/bin/false\n");
    vi.stubEnv("RIPGREP_CONFIG_PATH", join(outside, "config"));
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(await text("grepFiles", { pattern: "let z", output: "files" })).toMatch(/\[40 matching files\]$/);
    const broken = join(outside, "rg");
    writeFileSync(broken, "#!/bin/sh\nexit 2\n");
    chmodSync(broken, 0o755);
    vi.stubEnv("PATH", `${outside}${delimiter}${process.env["PATH"]}`);
    expect(await findRipgrep(root, process.env["PATH"] ?? "")).toBe(broken);
    expect(await text("grepFiles", { pattern: "let z", output: "files" })).toMatch(/\[40 matching files\]$/);
  });
});

describe("a pattern for ripgrep", () => {
  const translated = (pattern: string, more: object = {}) =>
    ripgrepPattern({ pattern, isLiteral: false, ignoreCase: false, ...more });

  it.each([
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(a)\\1",
    "\\u0041",
    "\\p{L}",
    "\\n",
    "[^]",
    "[]",
    "[\\x41]",
    "[é]",
    "\ufffd",
    "\\cA",
  ])("is not made of %s", (pattern) => {
    expect(translated(pattern)).toBeUndefined();
  });

  it("is not made of letters beyond ASCII whose case is ignored", () => {
    expect(translated("é", { ignoreCase: true })).toBeUndefined();
    expect(translated("é")).toBe("é");
  });

  it("takes a literal as it is", () => {
    expect(translated("a.b(c)", { isLiteral: true })).toBe("a\\.b\\(c\\)");
  });
});
