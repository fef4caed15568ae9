/**
 * Turns what Node says about a command into exactly one verdict.
 *
 * Floor 2 (process). Pure: the order of the questions is the whole point of this file.
 */
import type { Probe } from "./probe.ts";
import type { NotStarted, NotStartedCode, TerminatedCode, TerminationReason } from "./result.ts";
import { isSandboxFailure } from "./sandbox/failure.ts";

/** Why we ended a command ourselves. */
export type StopReason = Exclude<TerminationReason, "signal">;

/** What Node said of a command that started. */
export interface RawEnd {
  readonly error?: unknown;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The first cause that we acted on. `spawnSync` reports its own by `error` instead. */
  readonly stopped?: StopReason | undefined;
}

export type StartedVerdict =
  | { readonly status: "completed"; readonly exitCode: number }
  | {
      readonly status: "terminated";
      readonly reason: TerminationReason;
      readonly code: TerminatedCode;
      readonly signal: NodeJS.Signals | null;
      readonly exitCode: number | null;
    };

export interface NotStartedVerdict {
  readonly status: "notStarted";
  readonly code: NotStartedCode;
  readonly subject: NotStarted["subject"];
}

const TERMINATED_CODES = {
  timeout: "PROCESS_TIMEOUT",
  aborted: "PROCESS_ABORTED",
  outputLimit: "PROCESS_OUTPUT_LIMIT",
  signal: "PROCESS_SIGNALED",
} as const satisfies Record<TerminationReason, TerminatedCode>;

/** Decides how a command ended that had a process. */
export function classifyEnd({ error, exitCode, signal, stopped }: RawEnd): StartedVerdict {
  // With an exit code, ETIMEDOUT and ENOBUFS mean only that a background process held the pipe or filled it.
  const reason = stopped ?? (exitCode === null ? (reasonOf(error) ?? "signal") : undefined);
  if (reason === undefined) return { status: "completed", exitCode: exitCode ?? 0 };
  return { status: "terminated", reason, code: TERMINATED_CODES[reason], signal, exitCode };
}

function reasonOf(error: unknown): StopReason | undefined {
  const errno = errnoOf(error);
  if (errno === "ETIMEDOUT") return "timeout";
  return errno === "ENOBUFS" ? "outputLimit" : undefined;
}

/** These say nothing about the command: the same call may work a moment later. */
const RESOURCE_ERRNOS = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ETXTBSY"]);

/** These may be about the program or about the working directory; Node never says which. */
const PATH_ERRNOS = new Set(["ENOENT", "ENOTDIR", "EACCES"]);

/** Decides why no process was made. `error` is what Node threw or reported; `probe` is asked only now. */
export function classifyStart(error: unknown, probe: Probe, platform = process.platform): NotStartedVerdict {
  if (isSandboxFailure(error)) return notStarted("SANDBOX_FAILED");
  const errno = errnoOf(error);
  if (errno === undefined) return notStarted(error instanceof TypeError ? "INVALID_ARGUMENT" : "SPAWN_FAILED");
  if (errno.startsWith("ERR_") || errno === "ENAMETOOLONG") return classifyName(errno, platform);
  if (RESOURCE_ERRNOS.has(errno)) return notStarted("RESOURCE_LIMIT");
  return (PATH_ERRNOS.has(errno) ? classifyCwd(probe) : undefined) ?? classifyProgram(errno, probe);
}

function classifyName(errno: string, platform: NodeJS.Platform): NotStartedVerdict {
  // On Windows the whole command line is one name that can be too long.
  const tooLong = errno === "ENAMETOOLONG" && platform === "win32";
  return notStarted(tooLong ? "ARGUMENTS_TOO_LONG" : "INVALID_ARGUMENT");
}

function classifyCwd(probe: Probe): NotStartedVerdict | undefined {
  const state = probe.cwd();
  if (state === "missing") return notStarted("CWD_NOT_FOUND");
  if (state === "notDirectory") return notStarted("CWD_NOT_DIRECTORY");
  return state === "forbidden" ? { ...notStarted("PERMISSION_DENIED"), subject: "cwd" } : undefined;
}

function classifyProgram(errno: string, probe: Probe): NotStartedVerdict {
  switch (errno) {
    case "ENOENT":
      return notStarted(probe.programExists() ? "INTERPRETER_NOT_FOUND" : "COMMAND_NOT_FOUND");
    case "ENOTDIR":
      return notStarted("COMMAND_NOT_FOUND");
    case "EACCES":
    case "EPERM":
      return notStarted("PERMISSION_DENIED");
    case "ENOEXEC":
    case "EFTYPE":
      return notStarted("NOT_EXECUTABLE");
    case "E2BIG":
      return notStarted("ARGUMENTS_TOO_LONG");
    default:
      return notStarted("SPAWN_FAILED");
  }
}

const SUBJECTS = {
  COMMAND_NOT_FOUND: "program",
  INTERPRETER_NOT_FOUND: "program",
  CWD_NOT_FOUND: "cwd",
  CWD_NOT_DIRECTORY: "cwd",
  PERMISSION_DENIED: "program",
  NOT_EXECUTABLE: "program",
  ARGUMENTS_TOO_LONG: "arguments",
  INVALID_ARGUMENT: "arguments",
  RESOURCE_LIMIT: "system",
  ABORTED_BEFORE_START: "system",
  SANDBOX_FAILED: "sandbox",
  SPAWN_FAILED: "system",
} as const satisfies Record<NotStartedCode, NotStarted["subject"]>;

/** The verdict for a command that was never started. */
export function notStarted(code: NotStartedCode): NotStartedVerdict {
  return { status: "notStarted", code, subject: SUBJECTS[code] };
}

/** Node's `error.code`, when the error has one. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}
