import { describe, expect, it } from "vitest";
import { checkCommand, judgeText } from "../../src/permission/commands/check-command.ts";
import { loadParser, MAX_OPENERS, MAX_PARSED_CHARS, parseCommand } from "../../src/permission/commands/parser.ts";
import { resolvePolicy } from "../../src/permission/commands/policy.ts";
import { POLICY } from "./command-tables.ts";

const parser = await loadParser();
if (parser === undefined) throw new Error("These tests need unbash.");
const policy = resolvePolicy(POLICY);

const cases = (table: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(table).flatMap(([reason, commands]) => commands.map((command) => ({ reason, command })));

const REDIRECTED = "it writes or reads a file by a redirection";
const OF_SED = "sed: of sed only -n with lines to print is known to be harmless";

/** What stands behind "The command is not known to be harmless: ". */
const HARMFUL: Readonly<Record<string, readonly string[]>> = {
  "it holds expansions, groups or control characters": ["echo $HOME", "(ls)", "ls\r"],
  "it holds no command": ["", " ", "# only a comment", "time"],
  "it holds more than 50 commands": ["ls;".repeat(51)],
  "it holds a If, which is not judged": [
    "if true; then ls; fi",
    "ls && if true; then ls; fi",
    "ls | if true; then ls; fi",
  ],
  "it holds an assignment or a redirection without a command": ["A=1", "> /dev/null"],
  "it sets a variable": ["A=1 ls", "export PATH=.", "ls {a}>/dev/null", "{a}>/dev/null ls"],
  "it expands ~/x": ["cat ~/x"],
  "it expands ~": ["cd ~"],
  "it expands x=~/y": ["echo x=~/y"],
  "it holds a here-document": ["cat <<E\nx\nE", "cat <<< x"],
  "it writes a file by a redirection": ["ls <> out", "ls <> /dev/null"],
  [REDIRECTED]: ["ls > out", "cat < in", "ls >& out", "ls 2>&1x", "ls > /dev/nul*", "ls >&[1]", "ls <& x1"],
  "its program is not a plain name": ["[ -f x ]", "l? -la", "/bin/ls", "LS", "-ls", "1ls", "ls,"],
  "no rule allows unknown": ["unknown", "unknown --no-pager ls"],
  "no rule allows git": ["git", "git --no-pager", "git -p log", "git --no-pager show"],
  "no rule allows npm": ["npm", "npm --no-pager test", "npm install"],
  "no rule allows npm with these arguments": ["npm test x", "npm test --no-pager"],
  "npm: it expands file names": ["npm run *", "npm run a b?"],
  "cd changes what the other paths mean": ["cd sub; ls", "ls && cd sub", "cd sub | ls"],
  "cd: only one directory is known to be harmless": ["cd -", "cd -P", "cd a b"],
  'cd: ".." is outside of the workspace /srv/proj': ["cd .."],
  'cat: "/etc/passwd" is outside of the workspace /srv/proj': [
    "cat /etc/passwd",
    "cat -- /etc/passwd",
    "ls; cat a /etc/passwd",
  ],
  'cat: ".env" is a protected name': ["cat .env", "cat - .env"],
  'echo: "/etc/*" is outside of the workspace /srv/proj': ["echo /etc/*"],
  'tr: "/etc/*" is outside of the workspace /srv/proj': ["tr /etc/* x"],
  'head: "/etc/*" is outside of the workspace /srv/proj': ["head -n /etc/* a"],
  'wc: "/etc/*" is outside of the workspace /srv/proj': ["wc --total /etc/*"],
  "pwd: it takes no operands here": ["pwd a"],
  "pwd: its option -x is not known to be harmless": ["pwd -x"],
  "date: it can set the clock": ["date 010100002020", "date +%F 1"],
  "date: its option -f is not known to be harmless": ["date -f f"],
  "uniq: it writes its second file": ["uniq in out", "uniq -c in out", "uniq *"],
  "head: its option -n has no value": ["head -n"],
  "head: its option -qn has no value": ["head -qn"],
  "head: its option --lines has no value": ["head --lines"],
  "tail: its option --follow=name is not known to be harmless": ["tail --follow=name log"],
  "sort: its option -no is not known to be harmless": ["sort -no out in"],
  "sort: its option --reverse=x is not known to be harmless": ["sort --reverse=x"],
  "sort: its option --outp=out is not known to be harmless": ["sort --outp=out in"],
  "head: its option -5x is not known to be harmless": ["head -5x a"],
  "head: its option -x5 is not known to be harmless": ["head -x5 a"],
  "printf: its format is not known to be harmless": [
    "printf -v a x",
    "printf '%n' x",
    "printf '%5n' x",
    "printf '%%%n' x",
  ],
  'printf: "/etc/*" is outside of the workspace /srv/proj': ["printf %s /etc/*"],
  [OF_SED]: [
    "sed",
    "sed -n",
    "sed -i 1p",
    "sed 1p f",
    "sed -n '1p;w out' f",
    "sed -n x1p f",
    "sed -n 1p -i f",
    "sed -n 1,p f",
  ],
  'sed: "/etc/passwd" is outside of the workspace /srv/proj': ["sed -n 1p /etc/passwd", "sed -n 1p a /etc/passwd"],
  'diff: "/etc" is outside of the workspace /srv/proj': ["diff -r /etc .", "diff --recursive . /etc", "diff a /etc"],
  "diff: its option -l is not known to be harmless": ["diff -l a b"],
  "diff: it searches whatever a pattern matches": ["diff -r * b"],
  'diff: "/etc/*" is outside of the workspace /srv/proj': ["diff -U /etc/* a b"],
  'grep: "/etc/hosts" is outside of the workspace /srv/proj': [
    "grep x /etc/hosts",
    "grep -e x /etc/hosts",
    "grep --regexp=x /etc/hosts",
  ],
  'grep: "/etc/*" is outside of the workspace /srv/proj': ["grep /etc/* a", "grep -e x --label /etc/* a"],
  "grep: its option -f is not known to be harmless": ["grep -f x y"],
  "grep: it searches whatever a pattern matches": ["grep -r x s*"],
  'rg: "/etc" is outside of the workspace /srv/proj': ["rg x /etc", "rg --files /etc", "rg --type-list /etc"],
  'find: "/etc" is outside of the workspace /srv/proj': ["find /etc -name x", "find . /etc", "find -P /etc"],
  'find: "/etc/passwd" is outside of the workspace /srv/proj': ["find . -newer /etc/passwd"],
  'find: "/etc/*" is outside of the workspace /srv/proj': ["find . -name /etc/*"],
  "find: its expression -delete is not known to be harmless": ["find . -delete"],
  "find: its expression -P is not known to be harmless": ["find . -print -P"],
  "find: its expression x is not known to be harmless": ["find . -print x"],
  "find: its expression -name has no value": ["find . -name", "find . -print -name"],
  "find: its expression -newer has no value": ["find . -newer"],
  "git: its option --ext-diff is not known to be harmless": ["git diff --ext-diff"],
  "git: its format runs a program that checks signatures": [
    "git log --format=%G?",
    "git log --pretty=%GK",
    "git log --format=x%-GS",
    "git log '--pretty=% GS'",
    "git log --format=%+GS --pretty=x",
  ],
  "git: a path with magic is not judged": ["git diff ':(top)x'", "git diff :x"],
  'git: ".env" is a protected name': ["git diff HEAD:.env", "git diff -- .env", "git diff a .env"],
  'git: "../x" is outside of the workspace /srv/proj': ["git diff HEAD:../x", "git log -- ../x"],
  'git: "/etc/*" is outside of the workspace /srv/proj': ["git log -n /etc/*"],
};

describe("the reason why a command is asked about", () => {
  it.each(cases(HARMFUL))("$command: $reason", async ({ command, reason }) => {
    expect(await checkCommand(command, POLICY)).toEqual({
      decision: "ask",
      reason: `The command is not known to be harmless: ${reason}.`,
    });
  });

  it.each(
    cases({
      "it is longer than 8192 bytes": [`echo ${"x".repeat(8_188)}`, `echo ${"é".repeat(4_094)}`],
      "it is nested too often": [
        `echo ${"`".repeat(65)}`,
        `${"((".repeat(33)}`,
        `cat ${"<<a ".repeat(65)}`,
        `echo ${"{".repeat(65)}`,
      ],
      "it is no complete shell command": ["'ls", "ls &&", ";"],
    }),
  )("that cannot be read: $reason", async ({ command, reason }) => {
    expect(await checkCommand(command, POLICY)).toEqual({
      decision: "ask",
      reason: `The command cannot be judged: ${reason}.`,
    });
  });

  it("is what the policy says instead where its default is to deny", async () => {
    expect(await checkCommand("make", { default: "deny" })).toEqual({
      decision: "deny",
      reason: "The command is not known to be harmless: no rule allows make.",
    });
    expect(await checkCommand("'ls", { default: "deny" })).toEqual({
      decision: "deny",
      reason: "The command cannot be judged: it is no complete shell command.",
    });
  });
});

describe("the reason of another decision", () => {
  it("is told for what is allowed and for what is denied", async () => {
    expect(await checkCommand("ls", POLICY)).toEqual({
      decision: "allow",
      reason: "Every part of the command is known to be harmless.",
    });
    const denied = {
      decision: "deny",
      reason: "The command contains git push, which is denied here. Do it another way, or leave it.",
    };
    expect(await checkCommand("ls; git push", POLICY)).toEqual(denied);
    expect(await checkCommand("'git push", POLICY)).toEqual(denied);
  });

  it("is told for what is no command to read", () => {
    const said = (command: unknown) => judgeText(command as string, policy, parser);
    expect(said(5)).toEqual({ decision: "deny", reason: "The command is no text." });
    expect(said("ls\0")).toEqual({
      decision: "deny",
      reason: "The command holds a NUL character, which ends it early for some programs.",
    });
    expect(said(`echo ${"x".repeat(65_532)}`)).toEqual({
      decision: "deny",
      reason: "The command is longer than 65536 characters: write it to a file.",
    });
    expect(said(`echo ${"x".repeat(65_531)}`).decision).toBe("ask");
  });

  it("is told where there is no parser, or where it fails", () => {
    expect(judgeText("ls", policy, undefined)).toEqual({
      decision: "ask",
      reason: "The command cannot be judged: no shell parser is installed; write: npm install unbash.",
    });
    const broken = () => {
      throw new RangeError("Maximum call stack size exceeded");
    };
    expect(judgeText("ls", policy, { ...parser, parse: broken })).toEqual({
      decision: "ask",
      reason: "The command cannot be judged: it cannot be parsed.",
    });
    expect(judgeText("ls", policy, { ...parser, forEachChild: broken })).toEqual({
      decision: "ask",
      reason: "The command cannot be judged: it is nested too deeply.",
    });
    expect(judgeText("ls; rm x", policy, { ...parser, forEachChild: broken }).decision).toBe("deny");
  });
});

describe("the parser", () => {
  it("is loaded once", () => {
    expect(loadParser()).toBe(loadParser());
  });

  it("is asked up to its bounds, and no further", () => {
    const isRead = (command: string) => parseCommand(parser, command).ok;
    expect(isRead("x".repeat(MAX_PARSED_CHARS))).toBe(true);
    expect(isRead("x".repeat(MAX_PARSED_CHARS + 1))).toBe(false);
    const opened = `${"(".repeat(MAX_OPENERS)}x${")".repeat(MAX_OPENERS)}`;
    expect(isRead(opened)).toBe(true);
    expect(isRead(`(${opened})`)).toBe(false);
  });
});
