import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanOutput } from "../../src/process/clean-output.ts";
import { describeProcess, type NotStartedCode, toToolError } from "../../src/process/index.ts";
import { completed, notStarted, terminated } from "./results.ts";

const shell = (script: string, ...options: string[]) => ({
  file: "/bin/bash",
  args: [...options, "-c", script],
  cwd: "/",
});

describe("the text of a command that ended by itself", () => {
  it("is its output", () => {
    expect(describeProcess(completed(0, "hi\n"))).toBe("hi\n");
  });

  it("says so when there is none", () => {
    expect(describeProcess(completed(0))).toBe("(no output)");
    expect(describeProcess(completed(0, "\n"))).toBe("(no output)");
  });

  it("passes stderr on, also at exit code 0", () => {
    expect(describeProcess(completed(0, "out\n", "warn\n"))).toBe("out\n[stderr] warn\n");
    expect(describeProcess(completed(0, "out", "warn"))).toBe("out\n[stderr] warn");
    expect(describeProcess(completed(0, "", "warn"))).toBe("[stderr] warn");
  });

  it("ends with the exit code when that is not 0", () => {
    expect(describeProcess(completed(7, "out", "bad"))).toBe("out\n[stderr] bad\n[exit code 7]");
    expect(describeProcess(completed(7))).toBe("[exit code 7]");
  });

  it("says what an exit code means that is an answer", () => {
    expect(describeProcess(completed(1, "", "", { command: shell("grep x y") }))).toBe(
      "[exit code 1: no lines matched]",
    );
  });

  it("says what became of background processes", () => {
    expect(describeProcess(completed(0, "up\n", "", { background: "killed" }))).toBe(
      "up\n[a background process was still running and was killed; redirect its output and use setsid to keep it: setsid command >log 2>&1 &]",
    );
    expect(describeProcess(completed(1, "", "", { background: "left" }))).toBe(
      "[a background process is still running]\n[exit code 1]",
    );
  });

  it("says that the limit of spawnSync cut the output off", () => {
    const capture = { bytes: 5 * 1024 * 1024, omittedBytes: 0, binary: false };
    const less = { ...capture, bytes: 3 };
    const one = completed(0, "abc", "", { errno: "ENOBUFS", capture: { stdout: capture, stderr: less } });
    expect(describeProcess(one)).toBe("abc\n[output was cut off at the limit of 5 MiB]");
    const other = completed(0, "abc", "", {
      errno: "ENOBUFS",
      capture: { stdout: less, stderr: { ...less, bytes: 9 } },
    });
    expect(describeProcess(other)).toBe("abc\n[output was cut off at the limit of 9 bytes]");
    expect(describeProcess(completed(0, "abc", "", { errno: "EPIPE" }))).toBe("abc");
  });

  it("gives the size of binary output in its place", () => {
    const binary = { bytes: 4_096, omittedBytes: 0, binary: true };
    const text = { bytes: 1, omittedBytes: 0, binary: false };
    expect(describeProcess(completed(0, "\u0000\u0000", "e", { capture: { stdout: binary, stderr: text } }))).toBe(
      "[binary output, 4,096 bytes]\n[stderr] e",
    );
  });
});

describe("the text of a command that was ended", () => {
  it.each([
    [
      terminated("timeout", { limit: 30_000 }),
      "[timed out after 30000 ms and was killed; output above is incomplete. Use a larger timeout or run a narrower command; interactive input is not available]",
    ],
    [terminated("aborted"), "[cancelled by the user]"],
    [
      terminated("outputLimit", { limit: 64 * 1024 * 1024 }),
      "[stopped after 64 MiB of output; filter it with head, tail or grep]",
    ],
    [
      terminated("outputLimit", { limit: 1_000 }),
      "[stopped after 1000 bytes of output; filter it with head, tail or grep]",
    ],
    [
      terminated("outputLimit", { limit: 1024 * 1024 + 1 }),
      "[stopped after 1048577 bytes of output; filter it with head, tail or grep]",
    ],
    [terminated("outputLimit"), "[stopped after 0 bytes of output; filter it with head, tail or grep]"],
    [terminated("signal", { signal: "SIGSEGV" }), "[killed by SIGSEGV, not by the harness]"],
    [terminated("signal", { signal: "SIGKILL" }), "[killed by SIGKILL, not by the harness; often out of memory]"],
    [terminated("signal", { signal: null }), "[killed by an unknown signal, not by the harness]"],
  ])("keeps what it wrote and ends with the reason (%#)", (result, line) => {
    expect(describeProcess(result)).toBe(`partial\n${line}`);
  });
});

describe("the text of a command that never started", () => {
  const command = { file: "prog", args: [], cwd: "/x" };
  const cause = new Error("spawn prog EWHATEVER");

  it.each<[NotStartedCode, object, string]>([
    ["COMMAND_NOT_FOUND", {}, "prog was not found on PATH"],
    ["COMMAND_NOT_FOUND", { command: { ...command, file: "./prog" } }, "./prog does not exist"],
    ["COMMAND_NOT_FOUND", { command: { ...command, file: "C:\\prog" } }, "C:\\prog does not exist"],
    ["INTERPRETER_NOT_FOUND", {}, "prog exists, but the interpreter that its first line names does not"],
    ["CWD_NOT_FOUND", {}, "working directory /x does not exist"],
    ["CWD_NOT_DIRECTORY", {}, "working directory /x is not a directory"],
    ["PERMISSION_DENIED", {}, "permission denied: prog may not be executed"],
    ["PERMISSION_DENIED", { subject: "cwd" }, "permission denied for working directory /x"],
    ["NOT_EXECUTABLE", {}, "prog is not a program that this system can run"],
    ["INVALID_ARGUMENT", { cause }, "an argument is not valid: spawn prog EWHATEVER"],
    ["INVALID_ARGUMENT", {}, "an argument is not valid: unknown reason"],
    [
      "RESOURCE_LIMIT",
      { errno: "EAGAIN" },
      "the system is out of processes, files or memory (EAGAIN); the same command may work a moment later",
    ],
    ["SPAWN_FAILED", { cause }, "spawn prog EWHATEVER"],
    ["SPAWN_FAILED", {}, "unknown reason"],
  ])("names the reason: %s %#", (code, more, reason) => {
    expect(describeProcess(notStarted(code, { command, ...more }))).toBe(`[not started: ${reason}]`);
  });

  it("says which argument is too long", () => {
    const tooLong = (args: string[]) =>
      describeProcess(notStarted("ARGUMENTS_TOO_LONG", { command: { ...command, args } }));
    expect(tooLong(["a", "é".repeat(70_006), "b"])).toBe(
      "[not started: command of 140012 bytes exceeds the limit of 131071 per argument; write it to a file]",
    );
    const together =
      "[not started: the arguments and the environment together exceed the limit of the system; write the input to a file]";
    expect(tooLong(["x".repeat(131_071)])).toBe(together);
    expect(tooLong(["x".repeat(131_072)])).not.toBe(together);
    expect(tooLong([])).toBe(together);
  });

  it("is a cancellation when it was aborted before", () => {
    expect(describeProcess(notStarted("ABORTED_BEFORE_START"))).toBe("[cancelled by the user]");
  });

  it("shortens what is too long to show", () => {
    const file = "x".repeat(10_000);
    expect(describeProcess(notStarted("NOT_EXECUTABLE", { command: { ...command, file } })).length).toBeLessThan(400);
    expect(describeProcess(notStarted("CWD_NOT_FOUND", { command: { ...command, cwd: file } })).length).toBeLessThan(
      400,
    );
    const long = { cause: new Error(file) };
    expect(describeProcess(notStarted("SPAWN_FAILED", long)).length).toBeLessThan(400);
    expect(describeProcess(notStarted("INVALID_ARGUMENT", long)).length).toBeLessThan(400);
  });
});

describe("long output", () => {
  const lines = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");

  it("keeps a fifth of the room for the start and the rest for the end", () => {
    const text = describeProcess(completed(0, lines(20_000, "line")));
    const [head = "", tail = ""] = text.split(/\n\[\.\.\. [\d,]+ bytes omitted \.\.\.\]\n/);
    expect(head.startsWith("line 0\nline 1\n")).toBe(true);
    expect(tail).toContain("line 19999\n");
    expect(head.length / (head.length + tail.length)).toBeCloseTo(0.2, 1);
    expect(text.length).toBeLessThanOrEqual(30_000);
    expect(text.length).toBeGreaterThan(29_000);
  });

  it("says how much there was and how much is left out", () => {
    const stdout = lines(20_000, "line");
    const text = describeProcess(completed(0, stdout));
    const omitted = Number(/\[\.\.\. ([\d,]+) bytes omitted/.exec(text)?.[1]?.replaceAll(",", ""));
    const note = "[stdout had 208,890 bytes; to see what is left out, use head, tail or grep]";
    expect(text.endsWith(note)).toBe(true);
    const shown = text.length - note.length - "\n[... 179,000 bytes omitted ...]\n".length;
    expect(omitted).toBe(stdout.length - shown);
  });

  it("of a failing command still ends with its exit code", () => {
    const text = describeProcess(completed(9, "x".repeat(100_000), "y".repeat(100_000)));
    expect(text.endsWith("\n[exit code 9]")).toBe(true);
    expect(text.length).toBeLessThanOrEqual(30_000);
  });

  it("on stdout leaves stderr a third of the room", () => {
    const text = describeProcess(completed(9, "x".repeat(100_000), "y".repeat(100_000)));
    const share = text.replaceAll(/[^y]/g, "").length / text.replaceAll(/[^xy]/g, "").length;
    expect(share).toBeCloseTo(1 / 3, 1);
    expect(text).toContain("[stdout had 100,000 bytes;");
    expect(text).toContain("[stderr had 100,000 bytes;");
  });

  it("on one stream may use what the other leaves", () => {
    const err = describeProcess(completed(9, "short", "y".repeat(100_000)));
    expect(err.replaceAll(/[^y]/g, "").length).toBeGreaterThan(29_000);
    const out = describeProcess(completed(9, "x".repeat(100_000), "short"));
    expect(out.replaceAll(/[^x]/g, "").length).toBeGreaterThan(29_000);
    expect(out).toContain("[stderr] short\n");
    expect(out).not.toContain("[stderr had");
  });

  it("that was cut when it was captured has one gap with one count", () => {
    const stdout = `${"a".repeat(65_536)}\n[... 1,000,000 bytes omitted ...]\n${"b".repeat(196_608)}`;
    const info = { bytes: 1_262_144, omittedBytes: 1_000_000, binary: false };
    const none = { bytes: 0, omittedBytes: 0, binary: false };
    const text = describeProcess(completed(0, stdout, "", { capture: { stdout: info, stderr: none } }));
    const shown = text.replace(/\n\[stdout had.*/, "").replaceAll(/[^ab]|bytes|omitted/g, "").length;
    expect(text.match(/bytes omitted/g)).toHaveLength(1);
    const omitted = Number(/([\d,]+) bytes omitted/.exec(text)?.[1]?.replaceAll(",", ""));
    expect(omitted).toBe(1_262_144 - shown);
    expect(text.endsWith("[stdout had 1,262,144 bytes; to see what is left out, use head, tail or grep]")).toBe(true);
  });

  it("that was cut when it was captured stays as it is when it fits", () => {
    const stdout = "aa\n[... 1,000,000 bytes omitted ...]\nbb";
    const info = { bytes: 1_000_004, omittedBytes: 1_000_000, binary: false };
    const text = describeProcess(completed(0, stdout, "", { capture: { stdout: info, stderr: info } }));
    expect(text.startsWith(`${stdout}\n[stdout had 1,000,004 bytes;`)).toBe(true);
  });

  it("takes the room that a caller gives", () => {
    const text = describeProcess(completed(9, "x".repeat(100_000)), { maxChars: 1_000 });
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.length).toBeGreaterThan(700);
    expect(describeProcess(completed(0, "x".repeat(900)), { maxChars: 100_000 })).toBe("x".repeat(900));
  });

  it("never cuts the status line, however little room there is", () => {
    expect(describeProcess(completed(9, "x".repeat(500)), { maxChars: 0 })).toMatch(/\[exit code 9\]$/);
  });

  it("never splits a character, and always fits", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "你", "😀", "\n", "long line "), maxLength: 800 });
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 500, max: 2_000 }), (stdout, stderr, maxChars) => {
        const text = describeProcess(completed(3, stdout, stderr), { maxChars });
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(text.length).toBeLessThanOrEqual(maxChars);
        expect(text.endsWith("[exit code 3]")).toBe(true);
      }),
    );
  });
});

describe("output for a model", () => {
  it.each([
    ["colours", "\u001B[31mred\u001B[0m", "red"],
    ["window titles", "\u001B]0;user@host: ~/dir\u0007$ ls", "$ ls"],
    ["links", "\u001B]8;;https://x.test/a b\u001B\\name\u001B]8;;\u001B\\", "name"],
    ["titles in the short form", "\u009D0;title\u009Cx", "x"],
    ["titles that never end", "a\u001B]0;title\nb", "a\nb"],
    ["cursor movements", "a\u001B[2K\u001B[1Gb", "ab"],
    ["the bell and other controls", "a\u0007b\u0001c\u007Fd\u0085e\u000Bf", "abcdef"],
    ["Windows line ends", "a\r\nb\r\n", "a\nb\n"],
    ["progress that overwrites itself", "10%\r20%\r", "10%\n20%\n"],
    ["overstruck bold text", "N\bNA\bA", "NA"],
    ["a backspace after nothing", "\ba\n\bb", "a\nb"],
    ["NUL", "a\u0000b", "a\u2400b"],
    ["lone surrogates", "a\uD800b", "a\uFFFDb"],
  ])("is free of %s", (_, text, clean) => {
    expect(cleanOutput(text)).toBe(clean);
  });

  it("keeps tabs, line ends and every script", () => {
    const text = "a\tb\nçé 你好 😀\u00A0z";
    expect(cleanOutput(text)).toBe(text);
  });

  it("has no control characters left, whatever came", () => {
    const anything = fc.string({ unit: "binary", maxLength: 100 });
    const escapes = fc.string({
      unit: fc.constantFrom("\u001B", "[", "]", "0", ";", "m", "\u0007", "\\", "\b", "\r", "x"),
    });
    fc.assert(
      fc.property(fc.oneof(anything, escapes), (text) => {
        expect(cleanOutput(text)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|\p{Surrogate}/u);
      }),
    );
  });

  it("is cleaned in linear time", () => {
    const started = performance.now();
    for (const piece of ["\u001B", "\u001B]", ";", "\u001B[;", "a\b", "\u001B]a"]) cleanOutput(piece.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("is cleaned on both streams and on both sides of a gap", () => {
    const stdout = "\u001B[1ma\u001B[0m\n[... 9 bytes omitted ...]\n\u001B[1mb\u001B[0m";
    const info = { bytes: 30, omittedBytes: 9, binary: false };
    const none = { bytes: 9, omittedBytes: 0, binary: false };
    const text = describeProcess(completed(0, stdout, "\u001B[1me", { capture: { stdout: info, stderr: none } }));
    expect(text.startsWith("a\n[... 9 bytes omitted ...]\nb\n[stderr] e\n")).toBe(true);
  });
});

describe("the error of a failed command", () => {
  it.each([
    [completed(3), "TOOL_PROCESS_EXIT", { processCode: "EXIT_NONZERO", exitCode: 3 }],
    [
      terminated("timeout", { limit: 5 }),
      "TOOL_PROCESS_TIMEOUT",
      { processCode: "PROCESS_TIMEOUT", exitCode: null, signal: "SIGTERM", limit: 5 },
    ],
    [
      terminated("outputLimit", { limit: 9 }),
      "TOOL_PROCESS_OUTPUT_LIMIT",
      { processCode: "PROCESS_OUTPUT_LIMIT", exitCode: null, signal: "SIGTERM", limit: 9 },
    ],
    [
      terminated("signal", { signal: "SIGSEGV" }),
      "TOOL_PROCESS_SIGNALED",
      { processCode: "PROCESS_SIGNALED", exitCode: null, signal: "SIGSEGV", limit: undefined },
    ],
    [
      notStarted("COMMAND_NOT_FOUND", { errno: "ENOENT" }),
      "TOOL_PROCESS_NOT_STARTED",
      { processCode: "COMMAND_NOT_FOUND", subject: "program", errno: "ENOENT" },
    ],
  ])("is a tool error with the code of the process in its detail (%#)", (result, code, detail) => {
    const error = toToolError(result as Parameters<typeof toToolError>[0]);
    expect(error).toMatchObject({ kind: "tool", code, retryable: false, message: describeProcess(result), detail });
  });

  it("is the abort of the run when the command was cancelled", () => {
    expect(toToolError(terminated("aborted"))).toMatchObject({
      kind: "runtime",
      code: "RUN_ABORTED",
      retryable: false,
    });
    expect(toToolError(notStarted("ABORTED_BEFORE_START"))).toMatchObject({ kind: "runtime", code: "RUN_ABORTED" });
  });

  it("keeps the cause, and is retryable when the system was out of something", () => {
    const cause = new Error("spawn prog EAGAIN");
    const error = toToolError(notStarted("RESOURCE_LIMIT", { cause, retryable: true }));
    expect(error.cause).toBe(cause);
    expect(error.retryable).toBe(true);
  });
});
