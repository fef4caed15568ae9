/**
 * Runs one command and blocks until it has ended.
 *
 * Floor 2 (process). Wraps `spawnSync`. With SIGTERM, its default, a command that ignores the signal
 * would hold the whole program beyond the timeout; so it is SIGKILL here.
 */
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { endBackgroundNow } from "./background.ts";
import { describeCommand, failedStart, type Seen, startedResult } from "./build-result.ts";
import { captureAll } from "./capture.ts";
import { classifyEnd, errnoOf } from "./classify.ts";
import { killGroupNow } from "./kill-tree.ts";
import { DEFAULTS, type Plan, type ProcessOptions, resolvePlan } from "./options.ts";
import type { ProcessResult } from "./result.ts";

/**
 * Runs a program without a shell and waits for it, blocking the event loop.
 *
 * Never throws: wrong arguments, a missing program and a timeout are results. It knows no abort, no
 * grace period and no drain: when a background process holds the pipe, it waits for that process, up
 * to `timeoutMs`. Prefer `runProcess` wherever you can wait for a promise.
 *
 * @example
 * const result = runProcessSync("git", ["rev-parse", "HEAD"]);
 * if (result.ok) console.log(result.stdout.trim());
 */
export function runProcessSync(
  file: string,
  args: readonly string[] = [],
  options: ProcessOptions = {},
): ProcessResult {
  const seen: Seen = { command: describeCommand(file, args, options?.cwd), startedAt: performance.now() };
  let env: NodeJS.ProcessEnv | undefined;
  try {
    const plan = resolvePlan(file, args, options, DEFAULTS.maxOutputBytesSync);
    env = plan.env;
    const raw = spawnSync(plan.file, plan.args, spawnOptions(plan));
    if (!raw.pid) return failedStart(raw.error, seen, env);
    return ended(raw, seen, plan);
  } catch (error) {
    return failedStart(error, seen, env);
  }
}

/** `spawnSync` honours `detached`, although its types do not list it. */
type Options = SpawnSyncOptions & { detached: boolean };

function spawnOptions(plan: Plan): Options {
  const { cwd, env, input } = plan;
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(input === undefined ? {} : { input }),
    timeout: plan.timeoutMs,
    maxBuffer: plan.maxOutputBytes,
    killSignal: "SIGKILL",
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  };
}

type RawSync = ReturnType<typeof spawnSync>;

function ended(raw: RawSync, seen: Seen, plan: Plan): ProcessResult {
  const { pid, error, status: exitCode, signal } = raw;
  const verdict = classifyEnd({ error, exitCode, signal });
  const completed = verdict.status === "completed";
  // Whatever a stopped command left behind goes, also when a finished one may keep it.
  if (!completed) killGroupNow(pid);
  return startedResult(verdict, {
    ...seen,
    error,
    pid,
    stdout: captureAll(raw.stdout as Buffer | null),
    stderr: captureAll(raw.stderr as Buffer | null),
    background: completed ? endBackgroundNow(pid, plan.background) : "none",
    stdinClosedEarly: errnoOf(error) === "EPIPE",
    escalated: false,
    limits: plan,
  });
}
