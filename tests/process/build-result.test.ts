import { describe, expect, it } from "vitest";
import {
  describeCommand,
  failedStart,
  notStartedResult,
  type Seen,
  type SeenEnd,
  startedResult,
} from "../../src/process/build-result.ts";
import { notStarted } from "../../src/process/classify.ts";

const command = { file: "prog", args: ["a"], cwd: "/work" };
const seen = (more: Partial<Seen> = {}): Seen => ({ command, startedAt: performance.now(), ...more });
const limits = { timeoutMs: 500, maxOutputBytes: 1_000 };

const end: SeenEnd = {
  pid: 7,
  stdout: { text: "out", info: { bytes: 3, omittedBytes: 0, binary: false } },
  stderr: { text: "err", info: { bytes: 9, omittedBytes: 6, binary: true } },
  background: "killed",
  stdinClosedEarly: true,
  escalated: true,
};

const evidence = {
  command,
  stdout: "out",
  stderr: "err",
  capture: { stdout: end.stdout.info, stderr: end.stderr.info },
  durationMs: expect.any(Number),
  errno: undefined,
  cause: undefined,
  sandbox: undefined,
  retryable: false,
};

describe("the result of a command that started", () => {
  it("holds all that was seen when it completed", () => {
    const completed = { ...evidence, status: "completed", pid: 7, background: "killed", stdinClosedEarly: true };
    const result = (exitCode: number) => startedResult({ status: "completed", exitCode }, seen(), end, limits);
    expect(result(0)).toEqual({ ...completed, ok: true, code: "EXIT_ZERO", exitCode: 0 });
    expect(result(3)).toEqual({ ...completed, ok: false, code: "EXIT_NONZERO", exitCode: 3 });
  });

  it.each([
    ["timeout", "PROCESS_TIMEOUT", 500],
    ["outputLimit", "PROCESS_OUTPUT_LIMIT", 1_000],
    ["aborted", "PROCESS_ABORTED", undefined],
    ["signal", "PROCESS_SIGNALED", undefined],
  ] as const)("names the limit that it ran into: %s", (reason, code, limit) => {
    const verdict = { status: "terminated", reason, code, signal: "SIGTERM", exitCode: null } as const;
    const result = startedResult(verdict, seen(), end, limits);
    expect(result).toEqual({ ...evidence, ...verdict, ok: false, pid: 7, escalated: true, limit });
  });

  it("has a duration in whole milliseconds", () => {
    const result = startedResult(
      { status: "completed", exitCode: 0 },
      seen({ startedAt: performance.now() - 1_234.6 }),
      end,
      limits,
    );
    expect(result.durationMs % 1).toBe(0);
    expect(result.durationMs).toBeGreaterThanOrEqual(1_234);
    expect(result.durationMs).toBeLessThan(5_000);
  });

  it("holds Node's error and its name, and where it ran", () => {
    const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    const result = startedResult(
      { status: "completed", exitCode: 0 },
      seen({ sandbox: "box" }),
      { ...end, error },
      limits,
    );
    expect(result).toMatchObject({ errno: "EPIPE", sandbox: "box" });
    expect(result.cause).toBe(error);
    const odd = startedResult({ status: "completed", exitCode: 0 }, seen(), { ...end, error: "odd" }, limits);
    expect([odd.errno, odd.cause]).toEqual([undefined, undefined]);
  });
});

describe("the result of a command that never started", () => {
  const nothing = { bytes: 0, omittedBytes: 0, binary: false };

  it("holds no process and no output", () => {
    const error = new Error("no");
    expect(notStartedResult(notStarted("COMMAND_NOT_FOUND"), seen({ sandbox: "box" }), error)).toEqual({
      command,
      status: "notStarted",
      ok: false,
      code: "COMMAND_NOT_FOUND",
      subject: "program",
      pid: undefined,
      stdout: "",
      stderr: "",
      capture: { stdout: nothing, stderr: nothing },
      durationMs: expect.any(Number),
      errno: undefined,
      cause: error,
      retryable: false,
      sandbox: "box",
    });
  });

  it("may be tried again only when the system lacked something", () => {
    expect(notStartedResult(notStarted("RESOURCE_LIMIT"), seen()).retryable).toBe(true);
    expect(notStartedResult(notStarted("SPAWN_FAILED"), seen()).retryable).toBe(false);
  });

  it("is judged with a look at the place and the environment that it was to have", () => {
    const enoent = Object.assign(new Error("spawn ENOENT"), { code: "ENOENT" });
    const judged = (file: string, cwd: string, env?: NodeJS.ProcessEnv) =>
      failedStart(enoent, seen({ command: { file, args: [], cwd } }), env);
    expect(judged("no-such-program-zz", "/")).toMatchObject({
      code: "COMMAND_NOT_FOUND",
      errno: "ENOENT",
      cause: enoent,
    });
    expect(judged("sh", "/no/such/place").code).toBe("CWD_NOT_FOUND");
    expect(judged("sh", "/").code).toBe("INTERPRETER_NOT_FOUND");
    expect(judged("sh", "/", { PATH: "/nowhere" }).code).toBe("COMMAND_NOT_FOUND");
  });
});

describe("what was asked for", () => {
  it("is told as it is", () => {
    expect(describeCommand("prog", ["a", ""], "/a/..")).toEqual({ file: "prog", args: ["a", ""], cwd: "/a/.." });
    expect(describeCommand("prog", [], "sub").cwd).toBe(`${process.cwd()}/sub`);
    expect(describeCommand("prog", [], undefined).cwd).toBe(process.cwd());
  });

  it("is told as far as it goes when it makes no sense", () => {
    expect(describeCommand(5, ["a", null], 5)).toEqual({ file: "5", args: ["a", "null"], cwd: process.cwd() });
    expect(describeCommand(undefined, "a", null)).toEqual({ file: "undefined", args: [], cwd: process.cwd() });
  });
});
