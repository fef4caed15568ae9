/**
 * Every way one command can end, as one union.
 *
 * Floor 2 (process). Split on two questions: did it start, and how did it end. Node's `error` alone
 * answers neither: a timeout keeps its output, and `ETIMEDOUT` can come together with exit status 0.
 */

/** What was run. */
export interface ProcessCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The working directory as an absolute path, as far as it could be told. */
  readonly cwd: string;
}

/** What the string of one stream leaves out. */
export interface CaptureInfo {
  /** How many bytes the command wrote, as far as they were read. */
  readonly bytes: number;
  /** How many of them the string does not hold. A marker stands in their place. */
  readonly omittedBytes: number;
  /** More than a tenth of the first 4 KiB is no text. The string holds it all the same, decoded. */
  readonly binary: boolean;
  /** The file that holds all the bytes, when `spillDir` was given and there were more than `spillBytes`. */
  readonly spillFile?: string | undefined;
  /** Why there is no such file after all. */
  readonly spillError?: string | undefined;
}

/** How a command that ran to its end came out. */
export type CompletedCode = "EXIT_ZERO" | "EXIT_NONZERO";
/** What ended a command before its end. */
export type TerminatedCode = "PROCESS_TIMEOUT" | "PROCESS_ABORTED" | "PROCESS_OUTPUT_LIMIT" | "PROCESS_SIGNALED";
/** Why there never was a process. */
export type NotStartedCode =
  | "COMMAND_NOT_FOUND"
  | "INTERPRETER_NOT_FOUND"
  | "CWD_NOT_FOUND"
  | "CWD_NOT_DIRECTORY"
  | "PERMISSION_DENIED"
  | "NOT_EXECUTABLE"
  | "ARGUMENTS_TOO_LONG"
  | "INVALID_ARGUMENT"
  | "RESOURCE_LIMIT"
  | "ABORTED_BEFORE_START"
  | "SANDBOX_FAILED"
  | "SPAWN_FAILED";

/** The stable name of an outcome. It is no error code of the package: those are `TOOL_PROCESS_*`. */
export type ProcessCode = CompletedCode | TerminatedCode | NotStartedCode;

/** Why a command did not finish by itself. `signal`: somebody else killed it. */
export type TerminationReason = "timeout" | "aborted" | "outputLimit" | "signal";

/** What became of processes that the command left running. `left`: they still run. */
export type BackgroundOutcome = "none" | "killed" | "left";

/** What every result holds, whatever the status. */
export interface ProcessBase {
  readonly command: ProcessCommand;
  /** Decoded as UTF-8; the middle of a long output is left out, see `capture`. */
  readonly stdout: string;
  readonly stderr: string;
  readonly capture: { readonly stdout: CaptureInfo; readonly stderr: CaptureInfo };
  /** Completed with exit code 0. */
  readonly ok: boolean;
  readonly code: ProcessCode;
  readonly durationMs: number;
  /** The same command may succeed unchanged: only when the system was out of a resource. */
  readonly retryable: boolean;
  /** Node's `error.code`, also on a command that started (`ETIMEDOUT`, `EPIPE`). */
  readonly errno?: string | undefined;
  /** Node's error, untouched. */
  readonly cause?: Error | undefined;
  /** The name of the sandbox that the command ran in, or was to run in. */
  readonly sandbox?: string | undefined;
}

/** What is the same whatever the exit code. */
export interface CompletedBase extends ProcessBase {
  readonly status: "completed";
  readonly exitCode: number;
  readonly pid: number;
  readonly background: BackgroundOutcome;
  /** The command did not read all of its input. No failure. */
  readonly stdinClosedEarly: boolean;
}

/** It ran to its end and gave an exit code. */
export type Completed = CompletedBase &
  ({ readonly ok: true; readonly code: "EXIT_ZERO" } | { readonly ok: false; readonly code: "EXIT_NONZERO" });

/** It started and was ended. What it wrote until then is in `stdout` and `stderr`. */
export interface Terminated extends ProcessBase {
  readonly status: "terminated";
  readonly ok: false;
  readonly pid: number;
  readonly reason: TerminationReason;
  readonly code: TerminatedCode;
  readonly signal: NodeJS.Signals | null;
  /** A number when the command caught our signal and exited by itself. */
  readonly exitCode: number | null;
  /** It ignored SIGTERM for the whole grace period and got SIGKILL. */
  readonly escalated: boolean;
  /** The limit it ran into: milliseconds for `timeout`, bytes for `outputLimit`. */
  readonly limit?: number | undefined;
}

/** No process was made. */
export interface NotStarted extends ProcessBase {
  readonly status: "notStarted";
  readonly ok: false;
  readonly pid: undefined;
  readonly code: NotStartedCode;
  /** What to look at. */
  readonly subject: "program" | "cwd" | "arguments" | "system" | "sandbox";
}

/** How one command ended. `stdout` and `stderr` are always strings, whatever the status. */
export type ProcessResult = Completed | Terminated | NotStarted;

/** Every result that is not `ok`. */
export type ProcessFailure = Exclude<ProcessResult, { ok: true }>;

/** The command did not start, or did not finish. */
export function isSpawnFailure(result: ProcessResult): result is Terminated | NotStarted {
  return result.status !== "completed";
}

/** The command ran to its end and said no: an exit code other than 0. */
export function isExitFailure(result: ProcessResult): result is Completed & { ok: false } {
  return result.status === "completed" && !result.ok;
}
