/** Results made by hand, for tests of what is said about them. */
import type { CaptureInfo, Completed, NotStarted, NotStartedCode, Terminated } from "../../src/process/index.ts";

const info = (text: string): CaptureInfo => ({ bytes: Buffer.byteLength(text), omittedBytes: 0, binary: false });

function base(stdout: string, stderr: string) {
  return {
    command: { file: "/bin/prog", args: [] as readonly string[], cwd: "/work" },
    stdout,
    stderr,
    capture: { stdout: info(stdout), stderr: info(stderr) },
    durationMs: 1,
    retryable: false,
  };
}

export function completed(exitCode: number, stdout = "", stderr = "", more: Partial<Completed> = {}): Completed {
  const common = { pid: 7, exitCode, status: "completed", background: "none", stdinClosedEarly: false } as const;
  const outcome = exitCode === 0 ? { ok: true, code: "EXIT_ZERO" } : { ok: false, code: "EXIT_NONZERO" };
  return { ...base(stdout, stderr), ...common, ...outcome, ...more } as Completed;
}

const CODES = {
  timeout: "PROCESS_TIMEOUT",
  aborted: "PROCESS_ABORTED",
  outputLimit: "PROCESS_OUTPUT_LIMIT",
  signal: "PROCESS_SIGNALED",
} as const;

export function terminated(reason: Terminated["reason"], more: Partial<Terminated> = {}): Terminated {
  const common = { pid: 7, status: "terminated", ok: false, exitCode: null, escalated: false } as const;
  return { ...base("partial\n", ""), ...common, signal: "SIGTERM", reason, code: CODES[reason], ...more };
}

export function notStarted(code: NotStartedCode, more: Partial<NotStarted> = {}): NotStarted {
  const common = { pid: undefined, status: "notStarted", ok: false, subject: "program" } as const;
  return { ...base("", ""), ...common, code, ...more };
}
