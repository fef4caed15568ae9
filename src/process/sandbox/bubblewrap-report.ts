/**
 * Reads what bwrap tells of a command, by `--json-status-fd` and by its last words.
 *
 * Floor 2 (process). It writes `child-pid` when the sandbox is made and `exit-code` when the command that
 * was really started has ended; without that one, the exit code is bwrap's own.
 */
import { constants } from "node:os";
import { explainBubblewrap } from "./find-bubblewrap.ts";
import type { WrapperControl, WrapperEnd, WrapperOutcome } from "./types.ts";

/** How bwrap is read. */
export const BUBBLEWRAP_CONTROL: WrapperControl = { groupOf, outcomeOf };

/** The first process inside leads a session of its own (`--new-session`), and all end with it. */
function groupOf(report: string): number | undefined {
  return numberIn(report, "child-pid");
}

function numberIn(report: string, name: string): number | undefined {
  const found = new RegExp(`"${name}": *(\\d+)`).exec(report)?.[1];
  return found === undefined ? undefined : Number(found);
}

function outcomeOf({ report, stderr, exitCode, signal, stopped }: WrapperEnd): WrapperOutcome {
  const reported = numberIn(report, "exit-code");
  if (reported !== undefined && stopped !== undefined) return { status: "ran", ...stoppedEnd(reported) };
  if (reported !== undefined) return { status: "ran", exitCode: reported, signal: null };
  if (stopped !== undefined || exitCode === null) return { status: "ran", exitCode, signal };
  return notStarted(stderr);
}

/** We sent the signal ourselves; so an exit code that says so is no code of the command. */
function stoppedEnd(exitCode: number): Pick<WrapperEnd, "exitCode" | "signal"> {
  const ours = (["SIGTERM", "SIGKILL"] as const).find((name) => exitCode === 128 + constants.signals[name]);
  return ours === undefined ? { exitCode, signal: null } : { exitCode: null, signal: ours };
}

/** bwrap speaks English whatever the locale. */
const LAST_WORDS: readonly (readonly [RegExp, Omit<WrapperOutcome & { status: "notStarted" }, "status" | "reason">])[] =
  [
    [/^bwrap: execvp .*: (?:No such file or directory|Not a directory)$/m, { code: "COMMAND_NOT_FOUND" }],
    [/^bwrap: execvp .*: Permission denied$/m, { code: "PERMISSION_DENIED" }],
    [/^bwrap: execvp .*: Exec format error$/m, { code: "NOT_EXECUTABLE" }],
    [/^bwrap: execvp .*: Argument list too long$/m, { code: "ARGUMENTS_TOO_LONG" }],
    [/^bwrap: execvp .*: File name too long$/m, { code: "INVALID_ARGUMENT" }],
    [/^bwrap: Can't chdir to .*: No such file or directory$/m, { code: "CWD_NOT_FOUND" }],
    [/^bwrap: Can't chdir to .*: Not a directory$/m, { code: "CWD_NOT_DIRECTORY" }],
    [/^bwrap: Can't chdir to .*: Permission denied$/m, { code: "PERMISSION_DENIED", subject: "cwd" }],
  ];

function notStarted(stderr: string): WrapperOutcome {
  const reason = explainBubblewrap(stderr);
  const known = LAST_WORDS.find(([pattern]) => pattern.test(stderr))?.[1];
  return { status: "notStarted", ...(known ?? { code: "SANDBOX_FAILED" }), reason };
}
