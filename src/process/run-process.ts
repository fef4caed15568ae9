/**
 * Runs one command and reports how it ended, without blocking.
 *
 * Floor 2 (process). Our own timers, never Node's `timeout` and `signal` options: those reach only the
 * direct child and lose the cause.
 */

import { isAbortSignal } from "../util/abort.ts";
import { describeCommand, failedStart, notStartedResult, type Seen, startedResult } from "./build-result.ts";
import { classifyEnd, notStarted } from "./classify.ts";
import { type AsyncProcessOptions, checkType, DEFAULTS, resolvePlan } from "./options.ts";
import type { ProcessResult } from "./result.ts";
import { runInside } from "./sandbox/run-inside.ts";
import { hasStarted, startChild, startError } from "./start-child.ts";
import { supervise } from "./supervise.ts";

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
    if (plan.sandbox !== undefined) return await runInside({ plan, sandbox: plan.sandbox, seen }, options);
    const child = startChild(plan);
    if (!hasStarted(child)) throw await startError(child);
    const end = await supervise(child, plan, options);
    return startedResult(classifyEnd(end), seen, end, plan);
  } catch (error) {
    return failedStart(error, seen, env);
  }
}

function checkLiveOptions({ signal, onOutput }: AsyncProcessOptions): void {
  checkType(signal === undefined || isAbortSignal(signal), "signal", "an AbortSignal", signal);
  checkType(onOutput === undefined || typeof onOutput === "function", "onOutput", "a function", onOutput);
}
