/**
 * Puts a verdict and what was seen together into one result.
 *
 * Floor 2 (process).
 */
import { isAbsolute, resolve } from "node:path";
import { assertNever } from "../util/assert-never.ts";
import { quoteValue } from "../util/text.ts";
import { type Captured, captureAll } from "./capture.ts";
import { classifyStart, errnoOf, type NotStartedVerdict, type StartedVerdict } from "./classify.ts";
import { systemProbe } from "./probe.ts";
import type { BackgroundOutcome, NotStarted, ProcessCommand, ProcessResult } from "./result.ts";

/** What was seen besides the verdict. */
export interface Seen {
  readonly command: ProcessCommand;
  readonly startedAt: number;
  readonly error?: unknown;
}

/** What was seen of a command that started. */
export interface SeenRunning extends Seen {
  readonly pid: number;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly background: BackgroundOutcome;
  readonly stdinClosedEarly: boolean;
  readonly escalated: boolean;
  readonly limits: { readonly timeoutMs: number; readonly maxOutputBytes: number };
}

const NOTHING = captureAll(null);

/** The result of a command that never started. */
export function notStartedResult(verdict: NotStartedVerdict, seen: Seen): NotStarted {
  return {
    ...base(seen, NOTHING, NOTHING),
    status: "notStarted",
    ok: false,
    code: verdict.code,
    subject: verdict.subject,
    pid: undefined,
    retryable: verdict.code === "RESOURCE_LIMIT",
  };
}

/** The result of a start that failed, judged with a look at the file system. */
export function failedStart(error: unknown, seen: Seen, env: NodeJS.ProcessEnv | undefined): NotStarted {
  const probe = systemProbe(seen.command.file, seen.command.cwd, env ?? process.env);
  return notStartedResult(classifyStart(error, probe), { ...seen, error });
}

/** The result of a command that started. */
export function startedResult(verdict: StartedVerdict, seen: SeenRunning): ProcessResult {
  const common = { ...base(seen, seen.stdout, seen.stderr), retryable: false, pid: seen.pid };
  switch (verdict.status) {
    case "completed": {
      const { background, stdinClosedEarly } = seen;
      const completed = {
        ...common,
        status: "completed" as const,
        exitCode: verdict.exitCode,
        background,
        stdinClosedEarly,
      };
      return verdict.exitCode === 0
        ? { ...completed, ok: true, code: "EXIT_ZERO" }
        : { ...completed, ok: false, code: "EXIT_NONZERO" };
    }
    case "terminated":
      return {
        ...common,
        ...verdict,
        ok: false,
        escalated: seen.escalated,
        limit: limitOf(verdict.reason, seen.limits),
      };
    default:
      return assertNever(verdict);
  }
}

function limitOf(reason: string, limits: SeenRunning["limits"]): number | undefined {
  if (reason === "timeout") return limits.timeoutMs;
  return reason === "outputLimit" ? limits.maxOutputBytes : undefined;
}

function base({ command, startedAt, error }: Seen, stdout: Captured, stderr: Captured) {
  return {
    command,
    stdout: stdout.text,
    stderr: stderr.text,
    capture: { stdout: stdout.info, stderr: stderr.info },
    durationMs: Math.round(performance.now() - startedAt),
    errno: errnoOf(error),
    cause: error instanceof Error ? error : undefined,
  };
}

/** Describes what was asked for, whatever was passed: also a call that makes no sense. */
export function describeCommand(file: unknown, args: unknown, cwd: unknown): ProcessCommand {
  const text = (value: unknown) => (typeof value === "string" ? value : quoteValue(value));
  return {
    file: text(file),
    args: Array.isArray(args) ? args.map(text) : [],
    cwd: absolute(typeof cwd === "string" ? cwd : "."),
  };
}

/** As it is when our own working directory has been removed. */
function absolute(cwd: string): string {
  try {
    return isAbsolute(cwd) ? cwd : resolve(cwd);
  } catch {
    return cwd;
  }
}
