import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyEnd, classifyStart, errnoOf, notStarted } from "../../src/process/classify.ts";
import type { CwdState, Probe } from "../../src/process/probe.ts";

const withErrno = (code: string) => Object.assign(new Error(`spawn x ${code}`), { code });

function probe(cwd: CwdState = "usable", programExists = false): Probe {
  return { cwd: () => cwd, programExists: () => programExists };
}

const never: Probe = {
  cwd: () => {
    throw new Error("asked about the directory");
  },
  programExists: () => {
    throw new Error("asked about the program");
  },
};

describe("a start that failed", () => {
  it.each([
    ["ENOENT", "COMMAND_NOT_FOUND", "program"],
    ["ENOTDIR", "COMMAND_NOT_FOUND", "program"],
    ["EACCES", "PERMISSION_DENIED", "program"],
    ["EPERM", "PERMISSION_DENIED", "program"],
    ["ENOEXEC", "NOT_EXECUTABLE", "program"],
    ["EFTYPE", "NOT_EXECUTABLE", "program"],
    ["E2BIG", "ARGUMENTS_TOO_LONG", "arguments"],
    ["ENAMETOOLONG", "INVALID_ARGUMENT", "arguments"],
    ["ERR_INVALID_ARG_VALUE", "INVALID_ARGUMENT", "arguments"],
    ["ERR_OUT_OF_RANGE", "INVALID_ARGUMENT", "arguments"],
    ["EAGAIN", "RESOURCE_LIMIT", "system"],
    ["EMFILE", "RESOURCE_LIMIT", "system"],
    ["ENFILE", "RESOURCE_LIMIT", "system"],
    ["ENOMEM", "RESOURCE_LIMIT", "system"],
    ["ETXTBSY", "RESOURCE_LIMIT", "system"],
    ["EINVAL", "SPAWN_FAILED", "system"],
    ["UNKNOWN", "SPAWN_FAILED", "system"],
  ])("with %s is %s", (errno, code, subject) => {
    expect(classifyStart(withErrno(errno), probe())).toEqual({ status: "notStarted", code, subject });
  });

  it("with ENAMETOOLONG is about the whole command line on Windows", () => {
    expect(classifyStart(withErrno("ENAMETOOLONG"), probe(), "win32").code).toBe("ARGUMENTS_TOO_LONG");
    expect(classifyStart(withErrno("ERR_INVALID_ARG_VALUE"), probe(), "win32").code).toBe("INVALID_ARGUMENT");
  });

  it.each(["ENOENT", "ENOTDIR", "EACCES"])("with %s blames the working directory first", (errno) => {
    expect(classifyStart(withErrno(errno), probe("missing", true)).code).toBe("CWD_NOT_FOUND");
    expect(classifyStart(withErrno(errno), probe("notDirectory", true)).code).toBe("CWD_NOT_DIRECTORY");
    expect(classifyStart(withErrno(errno), probe("forbidden", true))).toEqual({
      status: "notStarted",
      code: "PERMISSION_DENIED",
      subject: "cwd",
    });
    expect(classifyStart(withErrno(errno), probe("missing")).subject).toBe("cwd");
    expect(classifyStart(withErrno(errno), probe("notDirectory")).subject).toBe("cwd");
  });

  it("with ENOENT although the program is there misses its interpreter", () => {
    expect(classifyStart(withErrno("ENOENT"), probe("usable", true))).toEqual({
      status: "notStarted",
      code: "INTERPRETER_NOT_FOUND",
      subject: "program",
    });
  });

  it.each(["E2BIG", "EAGAIN", "ERR_INVALID_ARG_TYPE", "EPERM"])("with %s asks nobody", (errno) => {
    expect(() => classifyStart(withErrno(errno), never)).not.toThrow();
  });

  it("without a code is a wrong argument when a TypeError says so", () => {
    expect(classifyStart(new TypeError("x"), never).code).toBe("INVALID_ARGUMENT");
    expect(classifyStart(new Error("x"), never).code).toBe("SPAWN_FAILED");
    expect(classifyStart("x", never).code).toBe("SPAWN_FAILED");
    expect(classifyStart(undefined, never).code).toBe("SPAWN_FAILED");
  });
});

describe("a command that started", () => {
  it("is completed with the code it gave", () => {
    expect(classifyEnd({ exitCode: 3, signal: null })).toEqual({ status: "completed", exitCode: 3 });
  });

  it.each(["ETIMEDOUT", "ENOBUFS", "EPIPE"])("is completed when it gave a code together with %s", (errno) => {
    expect(classifyEnd({ exitCode: 0, signal: null, error: withErrno(errno) })).toEqual({
      status: "completed",
      exitCode: 0,
    });
  });

  it.each([
    ["ETIMEDOUT", "timeout", "PROCESS_TIMEOUT"],
    ["ENOBUFS", "outputLimit", "PROCESS_OUTPUT_LIMIT"],
    ["EPIPE", "signal", "PROCESS_SIGNALED"],
  ])("without a code and with %s was ended by %s", (errno, reason, code) => {
    expect(classifyEnd({ exitCode: null, signal: "SIGKILL", error: withErrno(errno) })).toEqual({
      status: "terminated",
      reason,
      code,
      signal: "SIGKILL",
      exitCode: null,
    });
  });

  it.each([
    ["timeout", "PROCESS_TIMEOUT"],
    ["aborted", "PROCESS_ABORTED"],
    ["outputLimit", "PROCESS_OUTPUT_LIMIT"],
  ] as const)("that we ended for %s stays ended when it catches the signal and exits with 0", (stopped, code) => {
    expect(classifyEnd({ exitCode: 0, signal: null, stopped })).toEqual({
      status: "terminated",
      reason: stopped,
      code,
      signal: null,
      exitCode: 0,
    });
  });

  it("was killed by somebody else when only a signal tells", () => {
    expect(classifyEnd({ exitCode: null, signal: "SIGSEGV" })).toMatchObject({ reason: "signal", signal: "SIGSEGV" });
  });
});

describe("every outcome", () => {
  const errno = fc.constantFrom("ETIMEDOUT", "ENOBUFS", "EPIPE", "ENOENT", "EACCES", "E2BIG", "ERR_X", "EWHATEVER");
  const error = fc.option(fc.oneof(errno.map(withErrno), fc.anything()), { nil: undefined });
  const end = fc.record({
    error,
    exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
    signal: fc.option(fc.constantFrom("SIGTERM", "SIGKILL", "SIGSEGV") as fc.Arbitrary<NodeJS.Signals>),
    stopped: fc.option(fc.constantFrom("timeout", "aborted", "outputLimit"), { nil: undefined }),
  });

  it("after a start is completed or terminated, and terminated exactly when we stopped it or no code came", () => {
    fc.assert(
      fc.property(end, (raw) => {
        const verdict = classifyEnd(raw);
        const completed = raw.stopped === undefined && raw.exitCode !== null;
        expect(verdict.status).toBe(completed ? "completed" : "terminated");
      }),
    );
  });

  it("of a failed start has exactly one code, whatever was thrown", () => {
    const state = fc.constantFrom<CwdState>("usable", "missing", "notDirectory", "forbidden");
    fc.assert(
      fc.property(error, state, fc.boolean(), (thrown, cwd, exists) => {
        const verdict = classifyStart(thrown, probe(cwd, exists));
        expect(verdict.status).toBe("notStarted");
        expect(verdict.code).toMatch(/^[A-Z_]+$/);
        expect(["program", "cwd", "arguments", "system"]).toContain(verdict.subject);
      }),
    );
  });
});

describe("the errno", () => {
  it("is a string code of an error, and nothing else", () => {
    expect(errnoOf(withErrno("EPIPE"))).toBe("EPIPE");
    expect(errnoOf(Object.assign(new Error("x"), { code: 20 }))).toBeUndefined();
    expect(errnoOf({ code: "EPIPE" })).toBeUndefined();
    expect(errnoOf(undefined)).toBeUndefined();
  });
});

it("an abort before the start is nobody's fault", () => {
  expect(notStarted("ABORTED_BEFORE_START")).toEqual({
    status: "notStarted",
    code: "ABORTED_BEFORE_START",
    subject: "system",
  });
});
