import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { withFolder } from "../../../../src/adapters/tools/files/access/read-folder.ts";
import { expandBraces } from "../../../../src/adapters/tools/files/search/braces.ts";
import { compileGlob } from "../../../../src/adapters/tools/files/search/glob.ts";
import { createWorkspace } from "../../../../src/adapters/tools/files/workspace.ts";
import { createTestWorkspace, type TestWorkspace } from "./workspace.ts";

const paths = (text: string) => text.split("\n").filter((line) => !line.startsWith("["));

function project(): TestWorkspace {
  const workspace = createTestWorkspace();
  for (const path of ["src/a.ts", "src/b.tsx", "src/deep/c.ts", "README.md", "dist/out.js", "dist/keep.js", "x.log"]) {
    workspace.put(path, path);
  }
  workspace.put(".gitignore", "/dist/*\n!keep.js\n*.log\n");
  workspace.put(".env", "KEY=1");
  workspace.put(".git/config", "[core]");
  return workspace;
}

describe("listFiles", () => {
  it("shows one level with sizes, links, and what is protected or ignored", async () => {
    const { text, link, root } = project();
    link("src", "way");
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect((await text("listFiles")).split("\n")).toEqual([
      ".env (5 bytes) (protected)",
      ".git/ (protected)",
      ".gitignore (23 bytes)",
      "README.md (9 bytes)",
      "dist/",
      "pipe (no regular file)",
      "src/",
      "way -> src",
      "x.log (5 bytes) (ignored)",
      "[9 entries]",
    ]);
  });

  it("goes as deep as was asked for, but not into what is protected or ignored", async () => {
    const { text, put } = project();
    put("src/.gitignore", "deep/\n");
    expect(paths(await text("listFiles", { path: "src", depth: 3 }))).toEqual([
      "src/.gitignore (6 bytes)",
      "src/a.ts (8 bytes)",
      "src/b.tsx (9 bytes)",
      "src/deep/ (ignored)",
    ]);
    const all = paths(await text("listFiles", { depth: 10 }));
    expect(all).toContain("dist/out.js (11 bytes) (ignored)");
    expect(all).toContain("dist/keep.js (12 bytes)");
    expect(all.some((line) => line.startsWith(".git/config"))).toBe(false);
  });

  it("looks into an ignored folder that was asked for by name", async () => {
    const { text, put } = createTestWorkspace();
    put(".gitignore", "node_modules/\n");
    put("node_modules/one/index.js", "x");
    expect(paths(await text("listFiles", { path: "node_modules/one" }))).toEqual([
      "node_modules/one/index.js (1 bytes)",
    ]);
  });

  it("comes page by page, and says when a page lies behind the end or the folder is empty", async () => {
    const { text, put, root } = createTestWorkspace();
    for (let index = 0; index < 25; index++) put(`f${String(index).padStart(2, "0")}`, "");
    mkdirSync(join(root, "zz-empty"));
    const first = await text("listFiles", { limit: 10 });
    expect(first).toMatch(/f09 \(0 bytes\)\n\[entries 1-10; there are more: read on with offset: 10\]$/);
    expect(await text("listFiles", { limit: 10, offset: 20 })).toMatch(/^f20 .*\[entries 21-26 of 26\]$/s);
    expect(await text("listFiles", { offset: 99 })).toBe("[there are only 26 entries; offset 99 is too large]");
    expect(await text("listFiles", { path: "zz-empty" })).toBe("[the folder is empty]");
  });

  it("refuses a file, and what is missing", async () => {
    const { refusal } = project();
    expect(await refusal("listFiles", { path: "README.md" })).toMatch(/is a file, not a folder. Read it with readFile/);
    expect(await refusal("listFiles", { path: "dits" })).toBe(
      'There is no file or folder "dits". Did you mean "dist"?',
    );
    expect(await refusal("listFiles", { path: "src/none/deeper" })).toMatch(
      /^There is no folder "src\/none". "src" holds "a.ts", "b.tsx", "deep"\.$/,
    );
    expect(await refusal("readFile", { path: "README.md/x" })).toMatch(/"README.md" is a file, not a folder/);
  });

  it("quotes a name that would break the line", async () => {
    const { text, put } = createTestWorkspace();
    put("a\nb", "");
    put('"c"', "");
    expect(paths(await text("listFiles"))).toEqual(['"a\\nb" (0 bytes)', '"\\"c\\"" (0 bytes)'].sort());
  });
});

describe("a folder that cannot be looked into", () => {
  it("is told, and what is beside it is found all the same", async () => {
    const { text, put, root } = createTestWorkspace();
    put("a/x.ts", "let x\n");
    // Its name is not UTF-8: it comes back as another one, which is not there.
    mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]));
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfe])]), "let x\n");
    expect(await text("globFiles", { pattern: "*.ts" })).toBe("a/x.ts\n[1 file]\n[1 folder could not be read]");
    expect(await text("grepFiles", { pattern: "let x" })).toBe(
      "a/x.ts\n1:let x\n[1 matching line]\n[1 folder could not be read]",
    );
    const listed = (await text("listFiles", { depth: 2 })).split("\n");
    expect(listed.sort()).toEqual(
      ["a/", "a/x.ts (6 bytes)", "\ufffd (gone)", "\ufffd/", "[4 entries]", "[1 folder could not be read]"].sort(),
    );
  });
});

describe("where descriptors have no paths", () => {
  it("a folder is read by its path, and compared afterwards", async () => {
    const { text, put, root, outside } = createTestWorkspace();
    put("sub/a.txt", "x");
    vi.stubGlobal("process", Object.create(process, { platform: { value: "darwin" } }));
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    expect(await text("listFiles", { path: "sub" })).toBe("sub/a.txt (1 bytes)\n[1 entry]");
    const workspace = createWorkspace(root, {});
    const exchanged = withFolder(workspace, "sub", async () => {
      renameSync(join(root, "sub"), join(root, "moved"));
      symlinkSync(outside, join(root, "sub"));
    });
    await expect(exchanged).rejects.toMatchObject({
      kind: "permission",
      message: expect.stringMatching(/exchanged while it was read/),
    });
  });
});

describe("globFiles", () => {
  it.each([
    ["*.ts", ["src/a.ts", "src/deep/c.ts"]],
    ["/src/*.ts", ["src/a.ts"]],
    ["src/*.ts", ["src/a.ts"]],
    ["./src/*.ts", ["src/a.ts"]],
    ["src/**/*.ts", ["src/a.ts", "src/deep/c.ts"]],
    ["**/*.{ts,tsx}", ["src/a.ts", "src/b.tsx", "src/deep/c.ts"]],
    ["src/[ab].*", ["src/a.ts", "src/b.tsx"]],
    ["?.ts", ["src/a.ts", "src/deep/c.ts"]],
    ["deep", ["src/deep/c.ts"]],
    ["src/deep/", ["src/deep/c.ts"]],
    ["*.md", ["README.md"]],
    ["readme.md", []],
    ["keep.js", ["dist/keep.js"]],
    [".gitignore", [".gitignore"]],
    [".env", []],
    ["*.log", []],
  ])("finds by %s", async (pattern, found) => {
    const { text } = project();
    expect(paths(await text("globFiles", { pattern }))).toEqual(found);
  });

  it("starts in the folder that was given, and takes a pattern that begins with its whole path", async () => {
    const { text, root } = project();
    expect(paths(await text("globFiles", { pattern: "*.ts", path: "src/deep" }))).toEqual(["src/deep/c.ts"]);
    expect(paths(await text("globFiles", { pattern: "/a.ts", path: "src" }))).toEqual(["src/a.ts"]);
    expect(paths(await text("globFiles", { pattern: `${root}/src/*.ts` }))).toEqual(["src/a.ts"]);
  });

  it("finds ignored files when they were asked for, and says when there is nothing", async () => {
    const { text } = project();
    expect(paths(await text("globFiles", { pattern: "*.log", includeIgnored: true }))).toEqual(["x.log"]);
    expect(await text("globFiles", { pattern: "*.rs", path: "src" })).toBe('[no file fits "*.rs" in "src"]');
  });

  it("does not follow links", async () => {
    const { text, link, outside } = project();
    link(outside, "out");
    link("src", "again");
    expect(paths(await text("globFiles", { pattern: "*" })).filter((path) => /out\/|again/.test(path))).toEqual([]);
  });

  it("refuses a pattern that fits nothing or costs too much", async () => {
    const { refusal } = project();
    expect(await refusal("globFiles", { pattern: "" })).toMatch(/A glob is a text of 1 to 1000 characters/);
    expect(await refusal("globFiles", { pattern: "a\nb" })).toMatch(/on one line/);
    expect(await refusal("globFiles", { pattern: "../*.ts" })).toMatch(/goes up with ".."/);
    expect(await refusal("globFiles", { pattern: "{a,b}".repeat(10) })).toMatch(/stands for more than 100 patterns/);
    expect(await refusal("globFiles", { pattern: "a/**/b/**/c/**/d/**/e" })).toMatch(/more than 3 "\*\*"/);
    expect(await refusal("globFiles", { pattern: "*.ts", path: "README.md" })).toMatch(/is a file, not a folder/);
  });

  it("takes no time for stars that would go back and forth", async () => {
    const { text, put } = createTestWorkspace();
    put("a".repeat(200), "");
    const startedAt = performance.now();
    await text("globFiles", { pattern: `${"*a".repeat(30)}*b` });
    await text("globFiles", { pattern: `${"a/**/".repeat(3)}${"?*".repeat(20)}b` });
    put(".gitignore", `${"*a".repeat(30)}*b\n${"a/**/".repeat(40)}b\n[\n\\\n`);
    await text("globFiles", { pattern: "*" });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("stops after the time that the host allows, and says so", async () => {
    const { text, put } = createTestWorkspace({ searchMs: 1 });
    for (let index = 0; index < 300; index++) put(`d${index}/f`, "");
    expect(await text("globFiles", { pattern: "none" })).toMatch(/\[stopped after 1 ms: there may be more/);
  });
});

describe("what .gitignore leaves out", () => {
  const git = (root: string, args: readonly string[], input = "") =>
    execFileSync("git", args, { cwd: root, input, encoding: "utf8" });

  it("is what a rule says of a file whose folder another rule brought back", async () => {
    const { put, text } = createTestWorkspace();
    put(".gitignore", "**/a/*\n");
    put("a/.gitignore", "!a\n!b[1]\n!\\[x\\]\n");
    for (const file of ["a/a/c.log", "a/a/x/d", "a/b1/e", "a/[x]/g", "f"]) put(file, "");
    expect(paths(await text("globFiles", { pattern: "*" })).sort()).toEqual([".gitignore", "a/[x]/g", "a/b1/e", "f"]);
  });

  it("is what git leaves out, with rules on every level", async () => {
    const name = fc.constantFrom("a", "b", "ab", "c.log", "d");
    const rule = fc
      .tuple(
        fc.constantFrom("", "", "!"),
        fc.constantFrom("", "", "/", "**/"),
        fc.array(fc.constantFrom("a", "b", "ab", "*", "*.log", "?", "[ab]", "**", "d"), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "", "/"),
      )
      .map(([not, lead, parts, tail]) => not + lead + parts.join("/") + tail);
    const rules = fc.array(rule, { maxLength: 4 }).map((lines) => `${lines.join("\n")}\n`);
    const input = fc.record({
      files: fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      top: rules,
      inner: fc.dictionary(fc.constantFrom("a", "b", "a/b", "d"), rules, { maxKeys: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ files, top, inner }) => {
        const { root, put, text } = createTestWorkspace();
        git(root, ["init", "--quiet"]);
        put(".gitignore", top);
        for (const [folder, lines] of Object.entries(inner)) put(`${folder}/.gitignore`, lines);
        for (const parts of files) {
          try {
            put(parts.join("/"), "");
          } catch {
            // The same name is a file and a folder: the first one stays.
          }
        }
        const expected = git(root, ["ls-files", "--others", "--exclude-standard"]).split("\n").filter(Boolean);
        const found = paths(await text("globFiles", { pattern: "*" }));
        expect(found.sort()).toEqual(expected.sort());
      }),
      { numRuns: Number(process.env["HARNESS_KIT_GITIGNORES"] ?? 40) },
    );
  });
});

describe("braces", () => {
  it.each([
    ["a{b,c}d", ["abd", "acd"]],
    ["{a,b}{c,d}", ["ac", "ad", "bc", "bd"]],
    ["{a,{b,c}d}", ["a", "bd", "cd"]],
    ["{a,}", ["a", ""]],
    ["{a}", ["{a}"]],
    ["{a,b", ["{a,b"]],
    ["a,b}", ["a,b}"]],
    ["\\{a,b}", ["\\{a,b}"]],
    ["{{a,b}}", ["{a}", "{b}"]],
  ])("of %s stand for %j", (pattern, all) => {
    expect(expandBraces(pattern, 100)).toEqual(all);
  });

  it("that stand for too many are told", () => {
    expect(expandBraces("{a,b}".repeat(7), 100)).toBeUndefined();
    expect(expandBraces("{a,b}".repeat(300), 100)).toBeUndefined();
    expect(expandBraces("{".repeat(1_000), 100)).toEqual(["{".repeat(1_000)]);
  });
});

describe("a glob", () => {
  it("takes ! and # at its start, and blanks at its end, as they are", () => {
    expect(compileGlob("!a", "/r")("!a")).toBe(true);
    expect(compileGlob("#a", "/r")("#a")).toBe(true);
    expect(compileGlob("a  ", "/r")("a  ")).toBe(true);
    expect(compileGlob("a  ", "/r")("a")).toBe(false);
    expect(compileGlob("{!a,b}", "/r")("!a")).toBe(true);
  });
});
