import { describe, expect, it } from "vitest";
import { judgeScript } from "../../src/permission/commands/judge.ts";
import { type OptionTable, readOptions } from "../../src/permission/commands/options.ts";
import { loadParser } from "../../src/permission/commands/parser.ts";
import {
  commandPattern,
  findInText,
  forbids,
  programName,
  startsWith,
} from "../../src/permission/commands/patterns.ts";
import { type CommandPolicy, resolvePolicy } from "../../src/permission/commands/policy.ts";
import { judgeOf } from "../../src/permission/commands/programs.ts";
import { isPlain, readWord } from "../../src/permission/commands/words.ts";
import { ANY, ONE } from "../../src/process/confine-wildcard.ts";
import { POLICY } from "./command-tables.ts";

const parser = await loadParser();
if (parser === undefined) throw new Error("These tests need unbash.");
const policy = resolvePolicy(POLICY);

describe("a syntax tree", () => {
  // The text is judged as well; here it is told to be plain, so that the tree alone has to be refused.
  const reasonOf = (command: string) => judgeScript("ls", parser.parse(command), policy);

  it.each([
    ["ls > $x", "it writes or reads a file by a redirection"],
    ["ls <&$x", "it writes or reads a file by a redirection"],
    ["$x", "it expands $x"],
    ["ls $x", "it expands $x"],
    ['ls "$x"', 'it expands "$x"'],
    ['ls "a$(b)"', 'it expands "a$(b)"'],
    ["ls `b`", "it expands `b`"],
    ["ls $((1))", "it expands $((1))"],
    ["ls <(b)", "it expands <(b)"],
    ["ls $'a'", "it expands $'a'"],
    ['ls $"a"', 'it expands $"a"'],
    ["ls {a,b}", "it expands {a,b}"],
    ["ls @(a|b)", "it expands @(a|b)"],
    ["(ls)", "it holds a Subshell, which is not judged"],
    ["{ ls; }", "it holds a BraceGroup, which is not judged"],
    ["ls | (cat)", "it holds a Subshell, which is not judged"],
    ["ls && (cat)", "it holds a Subshell, which is not judged"],
    ["f() { ls; }", "it holds a Function, which is not judged"],
    ["((1))", "it holds a ArithmeticCommand, which is not judged"],
    ["case a in b) ;; esac", "it holds a Case, which is not judged"],
  ])("is refused for what it holds: %s", (command, reason) => {
    expect(reasonOf(command)).toBe(reason);
  });

  it.each([
    "ls",
    "ls 2>&-",
    "ls <&3",
    "ls 3>&10",
    "ls &> /dev/null",
    "ls < /dev/null",
    "ls > '/dev/null'",
    "! ls",
    "ls & ls",
    "ls A=1",
    "cd src",
  ])("is taken for harmless: %s", (command) => {
    expect(reasonOf(command)).toBeUndefined();
  });

  it("fits one of several rules, or none", () => {
    const several = resolvePolicy({ allow: ["yarn run *", "yarn run build", "yarn test"] });
    const fits = (command: string) => judgeScript("ls", parser.parse(command), several) === undefined;
    for (const command of ["yarn run build", "yarn run build x", "yarn run x y", "yarn test"])
      expect(fits(command)).toBe(true);
    for (const command of ["yarn test x", "yarn", "yarn build"]) expect(fits(command)).toBe(false);
  });

  it("holds fifty commands at most", () => {
    expect(reasonOf("ls;".repeat(50))).toBeUndefined();
    expect(reasonOf("ls;".repeat(51))).toBe("it holds more than 50 commands");
  });
});

describe("plain text", () => {
  it.each([
    "",
    "ls -la",
    "ls\tx\ny",
    "a 'b $x' c",
    'a "b \\$x" c',
    'a "costs 5 $" c',
    'a "5 $." b',
    "a \\$x",
    "a # $x `",
    "# $(x)",
    "a;# $x",
    "a &# $x",
    "a |# $x",
    "a\n# $x\nb",
    "{}",
    "{a-b}",
    "a{}b",
    "日本語 é",
    "'\\'",
    '"\\""',
    "a\\ b",
  ])("is one: %j", (text) => {
    expect(isPlain(text)).toBe(true);
  });

  it.each([
    "$x",
    "a$",
    "`a`",
    "(a)",
    "a)",
    "'a",
    '"a',
    "a\\",
    '"$x"',
    '"${x}"',
    '"$(x)"',
    '"$[x]"',
    '"`x`"',
    '"$@"',
    '"$*"',
    '"$#"',
    '"$?"',
    '"$$"',
    '"$!"',
    '"$-"',
    '"\\\\$x"',
    "'a'$x",
    "a#$x",
    "{a,b}",
    "{1..3}",
    "{",
    "{a b}",
    "a\u0000",
    "a\u001b[2K",
    "a\r",
    "a\u007f",
    "a\u0085",
    "'\u0007'",
    "a\ud800",
    "a\u00a0b",
    "a\u2003b",
    "a\u3000b",
    "a\u2028b",
    "a\u200bb",
    "a\u202eb",
    "# a\n$x",
    "# a\n`",
  ])("is none: %j", (text) => {
    expect(isPlain(text)).toBe(false);
  });
});

describe("a word", () => {
  const read = (text: string) => {
    const [statement] = parser.parse(`x ${text}`).commands;
    const command = statement?.command;
    const word = command?.type === "Command" ? command.suffix[0] : undefined;
    if (word?.type !== "Word") throw new Error(`no word: ${text}`);
    return readWord(word);
  };

  it("is read without its quotes", () => {
    for (const text of ["ab", "'ab'", '"ab"', "a'b'", "a\\b", '""ab']) expect(read(text)).toEqual({ value: "ab" });
    expect(read("a~b")).toEqual({ value: "a~b" });
    expect(read('"*"')).toEqual({ value: "*" });
  });

  it("tells wildcards from letters", () => {
    expect(read("a*")?.glob).toEqual(["a", ANY]);
    expect(read("?b")?.glob).toEqual([ONE, "b"]);
    expect(read("'*'*\"?\"")?.glob).toEqual(["*", ANY, "?"]);
    expect(read("a[bc]d")?.glob).toEqual(["a", ANY, "d"]);
    expect(read("ab")).not.toHaveProperty("glob");
  });

  it("is not read where more is put into it", () => {
    for (const text of ["$x", '"a$x"', "~", "~/a", "a:~", "a=~/b", "{a,b}", "$'a'"]) expect(read(text)).toBeUndefined();
  });
});

describe("options", () => {
  const table: OptionTable = {
    flags: "ab",
    values: "nm",
    attached: "u",
    long: "all brief",
    longValues: "lines name",
    longAttached: "color",
    numeric: true,
  };
  const read = (words: string, from: OptionTable = table) => {
    const found = readOptions(
      words
        .split(" ")
        .filter((word) => word !== "")
        .map((value) => ({ value })),
      from,
    );
    if (!found.ok) return found.reason;
    return { operands: found.operands.map(({ value }) => value), given: Object.fromEntries(found.given) };
  };

  it.each<[string, string[], Record<string, string | undefined>]>([
    ["", [], {}],
    ["x - y", ["x", "-", "y"], {}],
    ["-a x -b", ["x"], { a: undefined, b: undefined }],
    ["-ab", [], { a: undefined, b: undefined }],
    ["-n 5 x", ["x"], { n: "5" }],
    ["-n5", [], { n: "5" }],
    ["-n -5", [], { n: "-5" }],
    ["-an 5", [], { a: "5", n: "5" }],
    ["-n 1 -n 2", [], { n: "2" }],
    ["-u x", ["x"], { u: "" }],
    ["-u3", [], { u: "3" }],
    ["-au3", [], { a: "3", u: "3" }],
    ["-5 -12", [], {}],
    ["--all --brief", [], { all: undefined, brief: undefined }],
    ["--lines=5", [], { lines: "5" }],
    ["--lines 5", [], { lines: "5" }],
    ["--lines=a=b", [], { lines: "a=b" }],
    ["--lines=", [], { lines: "" }],
    ["--color x", ["x"], { color: undefined }],
    ["--color=auto", [], { color: "auto" }],
    ["-a -- -x --all y", ["-x", "--all", "y"], { a: undefined }],
  ])("are taken apart: %s", (words, operands, given) => {
    expect(read(words)).toEqual({ operands, given });
  });

  it.each([
    ["-x", "its option -x is not known to be harmless"],
    ["-ax", "its option -ax is not known to be harmless"],
    ["-5a", "its option -5a is not known to be harmless"],
    ["-a5", "its option -a5 is not known to be harmless"],
    ["--unknown", "its option --unknown is not known to be harmless"],
    ["--al", "its option --al is not known to be harmless"],
    ["--all=x", "its option --all=x is not known to be harmless"],
    ["--=x", "its option --=x is not known to be harmless"],
    ["-n", "its option -n has no value"],
    ["--lines", "its option --lines has no value"],
  ])("are refused: %s", (words, reason) => {
    expect(read(words)).toBe(reason);
  });

  it("are none where the list is empty", () => {
    for (const word of ["-a", "-5", "--all", "--all=x"]) {
      expect(read(word, {})).toBe(`its option ${word} is not known to be harmless`);
    }
    expect(read("x", {})).toEqual({ operands: ["x"], given: {} });
  });
});

describe("a pattern of commands", () => {
  const pattern = commandPattern;

  it("is taken apart at its blanks", () => {
    expect(pattern(" npm  run * ")).toEqual({ text: " npm  run * ", tokens: ["npm", "run"], open: true });
    expect(pattern("npm * x")).toEqual({ text: "npm * x", tokens: ["npm", "*", "x"], open: false });
    for (const none of ["", " ", "*", 5, null, undefined]) {
      expect(() => pattern(none)).toThrow(/^A command pattern names a program, got .*\. Write "git log"\.$/);
    }
  });

  it("finds its program under any of its names", () => {
    for (const name of [
      "rm",
      "/bin/rm",
      "./rm",
      "C:\\bin\\rm",
      "RM",
      "rm.exe",
      "rm.CMD",
      "rm.bat",
      "rm.com",
      "a/b\\rm",
    ]) {
      expect(programName(name)).toBe("rm");
    }
    expect([programName("rm.exe.x"), programName("rmXexe"), programName("rm/")]).toEqual(["rm.exe.x", "rmxexe", ""]);
  });

  it("forbids its tokens in their order, with anything between them", () => {
    const isForbidden = (text: string, words: string) => forbids(pattern(text), words.split(" "));
    expect(isForbidden("git push", "git push")).toBe(true);
    expect(isForbidden("git push", "/usr/bin/GIT -C x push y")).toBe(true);
    expect(isForbidden("GIT push", "git push")).toBe(true);
    expect(isForbidden("git push --force", "git push a --force")).toBe(true);
    expect(isForbidden("git push --force", "git --force push")).toBe(false);
    expect(isForbidden("git push", "git pull")).toBe(false);
    expect(isForbidden("git push", "git")).toBe(false);
    expect(isForbidden("git push", "x git push")).toBe(false);
    expect(isForbidden("rm", "rm -rf x")).toBe(true);
    expect(isForbidden("rm *", "rm")).toBe(true);
    expect(isForbidden("mkfs*", "mkfs.ext4 x")).toBe(true);
    expect(isForbidden("mkfs*", "mkf x")).toBe(false);
    expect(isForbidden("git pu*", "git -x push")).toBe(true);
    expect(forbids(pattern("rm"), [])).toBe(false);
  });

  it("allows what begins with exactly its tokens", () => {
    const begins = (text: string, words: string) => startsWith(pattern(text), words.split(" "));
    expect(begins("git log", "git log -p")).toBe(true);
    expect(begins("git log", "git -p log")).toBe(false);
    expect(begins("git log", "git")).toBe(false);
    expect(begins("git log", "Git log")).toBe(false);
  });

  it("is found in text by its words, with and without quoting", () => {
    const isFound = (text: string, command: string) => findInText([pattern(text)], command) !== undefined;
    for (const text of [
      "rm x",
      "'rm",
      "r''m x",
      'r"m" x',
      "r\\m x",
      "r\\\nm",
      "r\\\r\nm",
      "$'rm'",
      '$"rm"',
      "/bin/rm",
      "x;rm",
      "a|rm",
    ]) {
      expect(isFound("rm", text), text).toBe(true);
    }
    for (const text of ["x&rm", "x<rm>y", "(rm)", "{rm}", "`rm`", "$rm", '"rm"', "a=rm", "a,rm", "RM.EXE", "C:\\rm"]) {
      expect(isFound("rm", text), text).toBe(true);
    }
    for (const text of ["rmdir", "farm", "r m", "rm-x", "r$m", ""]) expect(isFound("rm", text), text).toBe(false);
    expect(isFound("git push", "'push; git")).toBe(true);
    expect(isFound("git push", "git pull")).toBe(false);
    expect(isFound("git push", "push")).toBe(false);
    expect(isFound("GIT Push", "git push")).toBe(true);
    expect(isFound("mkfs*", "x mkfs.ext4")).toBe(true);
    expect(isFound("mkfs*", "x mkf")).toBe(false);
    expect(isFound("git pu*", "git push")).toBe(true);
    expect(findInText([pattern("a"), pattern("b"), pattern("c")], "c b")?.text).toBe("b");
    expect(findInText([], "a")).toBeUndefined();
  });
});

describe("a policy of commands", () => {
  it.each<[unknown, string]>([
    [null, "A command policy is an object, got null."],
    ["x", 'A command policy is an object, got "x".'],
    [{ default: "allow" }, 'The default of a command policy is "ask" or "deny", got "allow".'],
    [{ allow: ["./x"] }, 'The command pattern "./x" does not begin with the plain name of a program.'],
    [{ allow: ["-x y"] }, 'The command pattern "-x y" does not begin with the plain name of a program.'],
    [{ allow: ["Make x"] }, 'The command pattern "Make x" does not begin with the plain name of a program.'],
    [{ allow: ["make.exe x"] }, 'The command pattern "make.exe x" does not begin with the plain name of a program.'],
    [{ allow: ["bash x"] }, 'The command pattern "bash x" cannot be allowed: bash runs whatever its arguments say.'],
    [{ allow: ["node x"] }, 'The command pattern "node x" cannot be allowed: node runs whatever its arguments say.'],
    [
      { allow: ["yarn *"] },
      'The command pattern "yarn *" is too wide: write at least two words before the *, like "npm run *".',
    ],
    [{ allow: [""] }, 'A command pattern names a program, got "". Write "git log".'],
  ])("that cannot be meant is refused: %j", (wrong, message) => {
    expect(() => resolvePolicy(wrong as CommandPolicy)).toThrow(
      expect.objectContaining({ name: "TypeError", message }),
    );
  });

  it("may allow programs that nobody knows, with the words that are written", () => {
    const { allow, fallback, cwd, confinement } = resolvePolicy({
      allow: ["yarn", "yarn run *", "git *", "a1.b_c+d-e x"],
    });
    expect(allow.map(({ text }) => text)).toEqual(["yarn", "yarn run *", "git *", "a1.b_c+d-e x"]);
    expect([fallback, cwd, confinement]).toEqual(["ask", undefined, undefined]);
  });
});

describe("the programs that are known", () => {
  const { confinement, cwd } = policy;
  const reasonOf = (command: string) => {
    const [name = "", ...args] = command.split(" ");
    return judgeOf(name)?.(
      args.map((value) => ({ value })),
      { confinement, cwd, entries: 0 },
    );
  };

  it("are judged by name, and no other is", () => {
    expect(judgeOf("make")).toBeUndefined();
    expect(judgeOf("constructor")).toBeUndefined();
    expect(reasonOf("ls -la src")).toBeUndefined();
  });

  it("of git judge only what reads", () => {
    expect(reasonOf("git push")).toBe("of git only status, log and diff are known to be harmless");
    expect(reasonOf("git")).toBe("of git only status, log and diff are known to be harmless");
    expect(reasonOf("git --no-pager")).toBe("of git only status, log and diff are known to be harmless");
    expect(reasonOf("git --no-pager status -sb")).toBeUndefined();
    expect(reasonOf("git log --format=%h-G")).toBeUndefined();
    expect(reasonOf("git diff HEAD:")).toBeUndefined();
  });

  it.each([
    "find my-dir -name x",
    "find -P src -name x",
    "find -print",
    "find src ( -name a -o -name b ) -print",
    "uniq in",
    "uniq",
    "cat -",
    "cat /dev/null",
    "date +%F",
    "date",
    "date -u +%F",
    "printf %5.2f%% 3",
    "printf %s%%n a",
    "printf",
    "sed -n $p f",
    "sed -n 1,$p f",
    "sed -n 5p",
    "grep x",
    "grep -r x /srv/proj/none",
    "rg x",
    "cd",
    "cd src",
    "tr a b",
    "pwd -P",
  ])("are harmless: %s", (command) => {
    expect(reasonOf(command)).toBeUndefined();
  });
});
