import { describe, expect, it } from "vitest";
import { exitMeaning } from "../../src/process/index.ts";
import { lastCommand } from "../../src/process/shell-words.ts";

const bash = (script: string, ...options: string[]) => ({
  file: "/bin/bash",
  args: [...options, "-c", script],
  cwd: "/",
});
const answer = (script: string, exitCode = 1) => {
  const meaning = exitMeaning(bash(script), exitCode);
  return meaning?.answer ? meaning.text : undefined;
};

describe("exit code 1 is an answer", () => {
  it.each([
    ["grep x f", "no lines matched"],
    ["egrep x f", "no lines matched"],
    ["fgrep x f", "no lines matched"],
    ["rg x", "no lines matched"],
    ["git grep x", "no lines matched"],
    ["git -C dir -c a=b --no-pager grep x", "no lines matched"],
    ["diff a b", "the inputs differ"],
    ["cmp a b", "the inputs differ"],
    ["git diff --quiet", "the inputs differ"],
    ["git diff --exit-code HEAD", "the inputs differ"],
    ["git --git-dir d --work-tree w --namespace n diff --quiet", "the inputs differ"],
    ["test 1 = 2", "the condition is false"],
    ["[ 1 = 2 ]", "the condition is false"],
    ["[[ a == b ]]", "the condition is false"],
    ["which nothing", "not found"],
    ["command -v nothing", "not found"],
    ["command -V nothing", "not found"],
    ["pgrep nothing", "no process matched"],
    ["expr 1 - 1", "the result is zero or empty"],
    ["/usr/bin/grep x f", "no lines matched"],
    ["'grep' \"x y\" f\\ g", "no lines matched"],
    ["LC_ALL=C grep x f", "no lines matched"],
    ["grep 'a;b' f 2>/dev/null", "no lines matched"],
    ["cat f | grep x", "no lines matched"],
    ["cat f |& sort | grep x", "no lines matched"],
    ["  grep x f\n", "no lines matched"],
  ])("of %s", (script, text) => {
    expect(exitMeaning(bash(script), 1)).toEqual({ text, answer: true });
  });

  it.each([
    ["a list", "cd x; grep y f"],
    ["a conjunction", "true && grep x f"],
    ["an alternative", "grep x f || grep y f"],
    ["several lines", "cd x\ngrep y f"],
    ["a substitution", "grep $(cat p) f"],
    ["a quoted substitution", 'grep "$(cat p)" f'],
    ["an old substitution", "grep `cat p` f"],
    ["a quoted old substitution", 'grep "`cat p`" f'],
    ["a process substitution", "diff <(a) <(b)"],
    ["a background command", "grep x f &"],
    ["a group", "(grep x f)"],
    ["a negation", "! grep x f"],
    ["a negated pipeline", "! cat f | grep x"],
    ["an earlier command of a pipeline", "grep x f | sort"],
    ["a wrapper", "xargs grep x"],
    ["a command that runs", "command grep x"],
    ["git diff without --quiet", "git diff"],
    ["another git command", "git log --quiet"],
    ["git alone", "git"],
    ["an open quote", "grep 'x"],
    ["an open double quote", 'grep "x'],
    ["nothing", ""],
    ["only an assignment", "a=b"],
    ["an empty part of a pipeline", "| grep x"],
    ["a word that only looks like an assignment", "./a=b grep x f"],
    ["a command with an option that only looks like a look-up", "command --v grep"],
    ["a command with another option", "command -vp grep"],
    ["a quiet diff of something else", "git --quiet diff"],
  ])("but not of %s", (_, script) => {
    expect(exitMeaning(bash(script), 1)).toBeUndefined();
  });

  it("also without a shell, from the program itself", () => {
    expect(exitMeaning({ file: "grep", args: ["x;y", "f"], cwd: "/" }, 1)?.text).toBe("no lines matched");
    expect(exitMeaning({ file: "C:\\Git\\bin\\diff", args: [], cwd: "/" }, 1)?.text).toBe("the inputs differ");
    expect(exitMeaning({ file: "make", args: [], cwd: "/" }, 1)).toBeUndefined();
  });

  it("through the usual ways to start a shell", () => {
    const args = ["--norc", "--noprofile", "-c", "--", "grep x f"];
    expect(exitMeaning({ file: "/bin/bash", args, cwd: "/" }, 1)?.answer).toBe(true);
    expect(exitMeaning({ file: "sh", args: ["-ec", "grep x f"], cwd: "/" }, 1)?.answer).toBe(true);
    expect(exitMeaning({ file: "C:\\Git\\bin\\bash.exe", args: ["-lc", "grep x f"], cwd: "/" }, 1)?.answer).toBe(true);
    expect(exitMeaning({ file: "bash", args: ["script.sh"], cwd: "/" }, 1)).toBeUndefined();
    expect(exitMeaning({ file: "bash", args: ["-c"], cwd: "/" }, 1)).toBeUndefined();
    expect(exitMeaning({ file: "bash", args: ["grep x f"], cwd: "/" }, 1)).toBeUndefined();
    expect(exitMeaning({ file: "bash", args: ["-cx", "grep x f"], cwd: "/" }, 1)).toBeUndefined();
    expect(exitMeaning({ file: "not-bash", args: ["-c", "grep x f"], cwd: "/" }, 1)).toBeUndefined();
    expect(exitMeaning({ file: "bash.old", args: ["-c", "grep x f"], cwd: "/" }, 1)).toBeUndefined();
  });

  it("but not of a pipeline in which any command may have decided", () => {
    expect(exitMeaning(bash("cat f | grep x", "-o", "pipefail"), 1)).toBeUndefined();
    expect(exitMeaning(bash("grep x f", "-o", "pipefail"), 1)?.answer).toBe(true);
  });

  it("and 2 never is", () => {
    expect(answer("grep x f", 2)).toBeUndefined();
    expect(exitMeaning(bash("grep x f"), 2)).toBeUndefined();
  });
});

describe("exit codes of shells", () => {
  it.each([
    [126, "the command was found but cannot be executed"],
    [127, "command not found"],
    [130, "a process inside was killed by SIGINT"],
    [137, "a process inside was killed by SIGKILL, often out of memory"],
    [139, "a process inside was killed by SIGSEGV"],
    [143, "a process inside was killed by SIGTERM"],
  ])("%i is explained", (exitCode, text) => {
    expect(exitMeaning(bash("anything; at all"), exitCode)).toEqual({ text, answer: false });
  });

  it.each([0, 2, 125, 128, 200, 255])("%i is not", (exitCode) => {
    expect(exitMeaning(bash("anything"), exitCode)).toBeUndefined();
  });

  it("124 is the inner timeout of timeout, and of nothing else", () => {
    expect(exitMeaning(bash("timeout 1 sleep 2"), 124)).toEqual({ text: "the inner timeout ran out", answer: false });
    expect(exitMeaning(bash("make"), 124)).toBeUndefined();
    expect(exitMeaning(bash("make; make"), 124)).toBeUndefined();
    expect(exitMeaning(bash("timeout 1 sleep 2"), 125)).toBeUndefined();
  });
});

describe("the words of the last command", () => {
  it.each([
    ["grep x f", ["grep", "x", "f"]],
    ["grep\tx", ["grep", "x"]],
    [`a 'b c' "d e" f\\ g`, ["a", "b c", "d e", "f g"]],
    [`a'b'"c"d`, ["abcd"]],
    [`a '' ""`, ["a", "", ""]],
    [`a "x\\"y\\\\z\\$w\\\`v\\n"`, ["a", 'x"y\\z$w`v\\n']],
    ["a \\\nb", ["a", "b"]],
    ["a b\\\nc", ["a", "bc"]],
    ["a 2>/dev/null b", ["a", "b"]],
    ["a >f b", ["a", "b"]],
    ["a > f 2>&1", ["a"]],
    ["a b2>f", ["a", "b2"]],
    ["a 2b>f", ["a", "2b"]],
    ["a 12>f b", ["a", "b"]],
    ['a "$x (y)" "$"', ["a", "$x (y)", "$"]],
    ["a &>f", ["a"]],
    ["a &>> f b", ["a", "b"]],
    ["a >> f <g <> h >| i b", ["a", "b"]],
    ["a <<< 'x y' b", ["a", "b"]],
    ["a 2>&- b", ["a", "b"]],
    ["a # b c", ["a"]],
    ["a b#c", ["a", "b#c"]],
    [`a $x \${y}`, ["a", "$x", `\${y}`]],
    ["x | a b", ["a", "b"]],
    ["a \\", ["a", ""]],
  ])("of %j", (script, words) => {
    expect(lastCommand(script)?.words).toEqual(words);
  });

  it("come with whether there is a pipeline", () => {
    expect(lastCommand("a b")?.piped).toBe(false);
    expect(lastCommand("a|b")?.piped).toBe(true);
  });

  it.each([
    "",
    "   ",
    "# only",
    "a; b",
    "a && b",
    "a & b",
    "a\nb",
    "a # x\nb",
    "(a)",
    "a )",
    "a <<EOF",
    "a <(b)",
    "a >(b)",
    ">f",
  ])("are not guessed for %j", (script) => {
    expect(lastCommand(script)).toBeUndefined();
  });
});
