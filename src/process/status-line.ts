/**
 * Says in one line how a command ended and what to do about it. A model reads this.
 *
 * Floor 2 (process).
 */
import { assertNever } from "../util/assert-never.ts";
import { clipEnd } from "../util/text.ts";
import { exitMeaning } from "./exit-meaning.ts";
import type { Completed, NotStarted, ProcessResult, Terminated } from "./result.ts";

/** Longest single argument on Linux (`MAX_ARG_STRLEN` less its NUL, see execve(2)). */
const MAX_ARGUMENT_BYTES = 131_071;

const MAX_VALUE_CHARS = 300;

/** `undefined` after exit code 0: then the output says it all. */
export function statusLine(result: ProcessResult): string | undefined {
  switch (result.status) {
    case "completed":
      return result.ok ? undefined : exitLine(result);
    case "terminated":
      return terminatedLine(result);
    case "notStarted":
      return result.code === "ABORTED_BEFORE_START" ? CANCELLED : `[not started: ${notStartedReason(result)}]`;
    default:
      return assertNever(result);
  }
}

const CANCELLED = "[cancelled by the user]";

function exitLine({ command, exitCode }: Completed): string {
  const meaning = exitMeaning(command, exitCode);
  return meaning === undefined ? `[exit code ${exitCode}]` : `[exit code ${exitCode}: ${meaning.text}]`;
}

function terminatedLine({ reason, limit = 0, signal }: Terminated): string {
  switch (reason) {
    case "timeout":
      return `[timed out after ${limit} ms and was killed; output above is incomplete. Use a larger timeout or run a narrower command; interactive input is not available]`;
    case "aborted":
      return CANCELLED;
    case "outputLimit":
      return `[stopped after ${formatBytes(limit)} of output; filter it with head, tail or grep]`;
    case "signal":
      return `[killed by ${signal ?? "an unknown signal"}, not by the harness${signal === "SIGKILL" ? "; often out of memory" : ""}]`;
    default:
      return assertNever(reason);
  }
}

function notStartedReason({ code, subject, command, errno, cause, sandbox }: NotStarted): string {
  const file = clipEnd(command.file, MAX_VALUE_CHARS);
  const inside = sandbox === undefined ? "" : " inside the sandbox";
  const cwd = `working directory ${clipEnd(command.cwd, MAX_VALUE_CHARS)}`;
  switch (code) {
    case "COMMAND_NOT_FOUND":
      return `${/[/\\]/.test(file) ? `${file} does not exist` : `${file} was not found on PATH`}${inside}`;
    case "INTERPRETER_NOT_FOUND":
      return `${file} exists, but the interpreter that its first line names does not`;
    case "CWD_NOT_FOUND":
      return `${cwd} does not exist${inside}`;
    case "CWD_NOT_DIRECTORY":
      return `${cwd} is not a directory`;
    case "PERMISSION_DENIED":
      return subject === "cwd" ? `permission denied for ${cwd}` : `permission denied: ${file} may not be executed`;
    case "NOT_EXECUTABLE":
      return `${file} is not a program that this system can run`;
    case "ARGUMENTS_TOO_LONG":
      return tooLong(command.args);
    case "INVALID_ARGUMENT":
      return `an argument is not valid: ${clipEnd(cause?.message ?? "unknown reason", MAX_VALUE_CHARS)}`;
    case "RESOURCE_LIMIT":
      return `the system is out of processes, files or memory (${errno}); the same command may work a moment later`;
    case "ABORTED_BEFORE_START":
      return "cancelled by the user";
    case "SANDBOX_FAILED":
    case "SPAWN_FAILED":
      return clipEnd(cause?.message ?? "unknown reason", MAX_VALUE_CHARS);
    default:
      return assertNever(code);
  }
}

function tooLong(args: readonly string[]): string {
  const longest = Math.max(0, ...args.map((arg) => Buffer.byteLength(arg)));
  return longest > MAX_ARGUMENT_BYTES
    ? `command of ${longest} bytes exceeds the limit of ${MAX_ARGUMENT_BYTES} per argument; write it to a file`
    : "the arguments and the environment together exceed the limit of the system; write the input to a file";
}

const MIB = 1024 * 1024;

export function formatBytes(bytes: number): string {
  return bytes >= MIB && bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`;
}
