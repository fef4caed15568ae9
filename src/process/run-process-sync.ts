/**
 * Runs one command and blocks until it has ended.
 *
 * Floor 2 (process). Wraps `spawnSync`.
 */
import { describeCommand, failedStart, type Seen } from "./build-result.ts";
import { DEFAULTS, type ProcessOptions, resolvePlan } from "./options.ts";
import type { ProcessResult } from "./result.ts";
import { runInsideSync } from "./sandbox/run-inside-sync.ts";
import { spawnPlanSync, syncResult } from "./spawn-sync.ts";

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
    if (plan.sandbox !== undefined) return runInsideSync({ plan, sandbox: plan.sandbox, seen });
    const raw = spawnPlanSync(plan);
    if (!raw.pid) return failedStart(raw.error, seen, env);
    return syncResult(raw, seen, plan);
  } catch (error) {
    return failedStart(error, seen, env);
  }
}
