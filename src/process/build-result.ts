/**
 * Puts a verdict and what was seen together into one result.
 *
 * Floor 2 (process).
 */
import { isAbsolute, resolve } from "node:path";
import { assertNever } from "../util/assert-never.ts";
import { quoteValue } from "../util/text.ts";
import { type Captured, NOTHING } from "./capture.ts";
import { classifyStart, errnoOf, type NotStartedVerdict, type StartedVerdict } from "./classify.ts";
import type { Plan } from "./options.ts";
import { systemProbe } from "./probe.ts";
import type { BackgroundOutcome, NotStarted, ProcessCommand, ProcessResult } from "./result.ts";

/** What was seen besides the verdict. */
export interface Seen {
  readonly command: ProcessCommand;
  readonly startedAt: number;
  /** The name of the sandbox, for a command that was to run in one. */
  readonly sandbox?: string | undefined;
}

/** What was seen of a command that started. */
export interface SeenEnd {
  readonly pid: number;
  readonly error?: unknown;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly background: BackgroundOutcome;
  readonly stdinClosedEarly: boolean;
  readonly escalated: boolean;
}

type Limits = Pick<Plan, "timeoutMs" | "maxOutputBytes">;

/** The result of a command that never started. */
export function notStartedResult(verdict: NotStartedVerdict, seen: Seen, error?: unknown): NotStarted {
  return {
    status: "notStarted",
    ok: false,
    code: verdict.code,
    subject: verdict.subject,
    pid: undefined,
    retryable: verdict.code === "RESOURCE_LIMIT",
    ...base(seen, { error, stdout: NOTHING, stderr: NOTHING }),
  };
}

/** The result of a start that failed, judged with a look at the file system. */
export function failedStart(error: unknown, seen: Seen, env: NodeJS.ProcessEnv | undefined): NotStarted {
  const probe = systemProbe(seen.command.file, seen.command.cwd, env ?? process.env);
  return notStartedResult(classifyStart(error, probe), seen, error);
}

/**
 * The result of a command that started.
 *
 * The spread stands last in each literal, because Node 20 takes ten times as long for fields that follow one.
 */
export function startedResult(verdict: StartedVerdict, seen: Seen, end: SeenEnd, limits: Limits): ProcessResult {
  const { pid, background, stdinClosedEarly, escalated } = end;
  switch (verdict.status) {
    case "completed": {
      const { status, exitCode } = verdict;
      const completed = { status, exitCode, pid, background, stdinClosedEarly, retryable: false };
      return exitCode === 0
        ? { ok: true, code: "EXIT_ZERO", ...completed, ...base(seen, end) }
        : { ok: false, code: "EXIT_NONZERO", ...completed, ...base(seen, end) };
    }
    case "terminated": {
      const limit = limitOf(verdict.reason, limits);
      return { ok: false, pid, escalated, limit, retryable: false, ...verdict, ...base(seen, end) };
    }
    default:
      return assertNever(verdict);
  }
}

function limitOf(reason: string, limits: Limits): number | undefined {
  if (reason === "timeout") return limits.timeoutMs;
  return reason === "outputLimit" ? limits.maxOutputBytes : undefined;
}

function base(
  { command, startedAt, sandbox }: Seen,
  { error, stdout, stderr }: Pick<SeenEnd, "error" | "stdout" | "stderr">,
) {
  return {
    command,
    stdout: stdout.text,
    stderr: stderr.text,
    capture: { stdout: stdout.info, stderr: stderr.info },
    durationMs: Math.round(performance.now() - startedAt),
    errno: errnoOf(error),
    cause: error instanceof Error ? error : undefined,
    sandbox,
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
