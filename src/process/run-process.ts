/**
 * Runs one command and reports how it ended, without blocking.
 *
 * Floor 2 (process). Our own timers, never Node's `timeout` and `signal` options: those reach only the
 * direct child and lose the cause.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { describeCommand, failedStart, notStartedResult, type Seen, startedResult } from "./build-result.ts";
import { classifyEnd, notStarted } from "./classify.ts";
import { type AsyncProcessOptions, checkType, DEFAULTS, type Plan, resolvePlan } from "./options.ts";
import type { ProcessResult } from "./result.ts";
import { type Ending, type RunningChild, supervise } from "./supervise.ts";

/**
 * Runs a program without a shell. Settles at the latest after `timeoutMs + graceMs` and the drain,
 * whatever the command ignores or holds; its whole process group is gone then.
 *
 * Never rejects: wrong arguments, a missing program, a timeout and an abort are results.
 *
 * @example
 * const result = await runProcess("bash", ["-c", "npm test"], { timeoutMs: 120_000, signal });
 * if (result.status === "completed") console.log(result.exitCode, result.stdout);
 */
export async function runProcess(
  file: string,
  args: readonly string[] = [],
  options: AsyncProcessOptions = {},
): Promise<ProcessResult> {
  const seen: Seen = { command: describeCommand(file, args, options?.cwd), startedAt: performance.now() };
  let env: NodeJS.ProcessEnv | undefined;
  try {
    const plan = resolvePlan(file, args, options, DEFAULTS.maxOutputBytes);
    checkLiveOptions(options);
    if (options.signal?.aborted) return notStartedResult(notStarted("ABORTED_BEFORE_START"), seen);
    env = plan.env;
    const child = start(plan);
    if (!hasStarted(child)) throw await startError(child);
    return ended(child.pid, await supervise(child, plan, options), seen, plan);
  } catch (error) {
    return failedStart(error, seen, env);
  }
}

function checkLiveOptions({ signal, onOutput }: AsyncProcessOptions): void {
  checkType(signal === undefined || signal instanceof AbortSignal, "signal", "an AbortSignal", signal);
  checkType(onOutput === undefined || typeof onOutput === "function", "onOutput", "a function", onOutput);
}

function start(plan: Plan): ChildProcess {
  return spawn(plan.file, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    // A session of its own: no terminal to prompt on, and one group to stop.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: [plan.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
}

function hasStarted(child: ChildProcess): child is RunningChild {
  return child.pid !== undefined;
}

function startError(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once("error", resolve);
  });
}

function ended(pid: number, ending: Ending, seen: Seen, limits: Plan): ProcessResult {
  const error = ending.stdinError;
  return startedResult(classifyEnd({ ...ending, error }), { ...seen, ...ending, pid, error, limits });
}
