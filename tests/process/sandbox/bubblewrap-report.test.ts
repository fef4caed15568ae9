import { describe, expect, it } from "vitest";
import { BUBBLEWRAP_CONTROL } from "../../../src/process/sandbox/bubblewrap-report.ts";

const { groupOf, outcomeOf } = BUBBLEWRAP_CONTROL;
const STARTED = '{ "child-pid": 4711, "net-namespace": 4026532183 }\n';
const exited = (code: number) => `${STARTED}{ "exit-code": ${code} }\n`;
const end = { report: STARTED, stderr: "", exitCode: 1, signal: null, stopped: undefined };

describe("the report of bwrap", () => {
  it("names the group of the command", () => {
    expect(groupOf(STARTED)).toBe(4711);
    expect(groupOf('{"child-pid":5}')).toBe(5);
    expect(groupOf("")).toBeUndefined();
    expect(groupOf('{ "child-p')).toBeUndefined();
  });

  it.each([0, 1, 127, 137, 143, 255])("gives the command's own exit code: %i", (code) => {
    expect(outcomeOf({ ...end, report: exited(code), exitCode: code })).toEqual({
      status: "ran",
      exitCode: code,
      signal: null,
    });
  });

  it("believes the command's exit code rather than what looks like bwrap's words", () => {
    const stderr = "bwrap: execvp x: No such file or directory\n";
    expect(outcomeOf({ ...end, report: exited(1), stderr })).toEqual({ status: "ran", exitCode: 1, signal: null });
  });

  it.each([
    [143, null, "SIGTERM"],
    [137, null, "SIGKILL"],
    [0, 0, null],
    [130, 130, null],
    [7, 7, null],
  ])("of a command that we stopped tells our signal from its own code: %i", (code, exitCode, signal) => {
    expect(outcomeOf({ ...end, report: exited(code), exitCode: code, stopped: "timeout" })).toEqual({
      status: "ran",
      exitCode,
      signal,
    });
  });

  it("without an exit code says nothing of a wrapper that was stopped or killed", () => {
    expect(outcomeOf({ ...end, exitCode: null, signal: "SIGTERM", stopped: "aborted" })).toEqual({
      status: "ran",
      exitCode: null,
      signal: "SIGTERM",
    });
    expect(outcomeOf({ ...end, exitCode: 1, stopped: "timeout" })).toEqual({
      status: "ran",
      exitCode: 1,
      signal: null,
    });
    expect(outcomeOf({ ...end, exitCode: null, signal: "SIGKILL" })).toEqual({
      status: "ran",
      exitCode: null,
      signal: "SIGKILL",
    });
  });

  it.each([
    ["bwrap: execvp npm: No such file or directory", "COMMAND_NOT_FOUND", undefined],
    ["bwrap: execvp a/b: Not a directory", "COMMAND_NOT_FOUND", undefined],
    ["bwrap: execvp /w/x: Permission denied", "PERMISSION_DENIED", undefined],
    ["bwrap: execvp /w/x: Exec format error", "NOT_EXECUTABLE", undefined],
    ["bwrap: execvp echo: Argument list too long", "ARGUMENTS_TOO_LONG", undefined],
    ["bwrap: execvp echo: File name too long", "INVALID_ARGUMENT", undefined],
    [
      "bwrap: Only the last --chdir option will take effect\nbwrap: Can't chdir to /x: No such file or directory",
      "CWD_NOT_FOUND",
      undefined,
    ],
    ["bwrap: Can't chdir to /x: Not a directory", "CWD_NOT_DIRECTORY", undefined],
    ["bwrap: Can't chdir to /x: Permission denied", "PERMISSION_DENIED", "cwd"],
    ["bwrap: Can't find source path /x: No such file or directory", "SANDBOX_FAILED", undefined],
    ["warning: bwrap: execvp npm: No such file or directory", "SANDBOX_FAILED", undefined],
    ["bwrap: execvp npm: No such file or directory, they say", "SANDBOX_FAILED", undefined],
    ["bwrap: Can't chdir to /x: Not a directory here", "SANDBOX_FAILED", undefined],
  ])("without an exit code tells why there was no command: %s", (stderr, code, subject) => {
    expect(outcomeOf({ ...end, stderr: `${stderr}\n` })).toEqual({
      status: "notStarted",
      code,
      reason: stderr,
      ...(subject && { subject }),
    });
  });

  it("is explained where the reason is known", () => {
    const reason = (stderr: string) => (outcomeOf({ ...end, stderr }) as { reason: string }).reason;
    expect(reason("  ")).toBe("bwrap ended without a word.");
    expect(reason("bwrap: Unknown option --disable-userns\n")).toBe(
      "bwrap: Unknown option --disable-userns. bubblewrap 0.8 or newer is needed.",
    );
    for (const said of [
      "Creating new namespace failed: Operation not permitted",
      "No permissions to create new namespace",
      "setting up uid map: Permission denied",
    ]) {
      expect(reason(`bwrap: ${said}`)).toMatch(
        /^bwrap: .*\. This system lets nobody make user namespaces\..*seccomp=unconfined.*apparmor_restrict_unprivileged_userns=0\.$/,
      );
    }
    for (const said of [
      "Can't mount proc on /newroot/proc: Operation not permitted",
      "Unable to write /proc/sys/user/max_user_namespaces",
    ]) {
      expect(reason(`bwrap: ${said}`)).toMatch(/systempaths=unconfined\.$/);
    }
  });
});
