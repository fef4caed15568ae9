/**
 * Runs `spawnSync` on a plan, and makes a result of what it returns.
 *
 * Floor 2 (process). With SIGTERM, its default, a command that ignores the signal would hold the whole
 * program beyond the timeout; so it is SIGKILL here.
 */
import { type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { endBackgroundNow } from "./background.ts";
import { type Seen, startedResult } from "./build-result.ts";
import { captureAll } from "./capture.ts";
import { classifyEnd, errnoOf } from "./classify.ts";
import { killGroupNow } from "./kill-tree.ts";
import type { Plan } from "./options.ts";
import type { ProcessResult } from "./result.ts";
import { createSpill } from "./spill.ts";
import { type ExtraStdio, stdioOf } from "./start-child.ts";

/** What `spawnSync` returns. Its buffers are `null` when nothing was started. */
export type RawSync = SpawnSyncReturns<Buffer | null>;

/** `spawnSync` honours `detached`, although its types do not list it. */
type Options = SpawnSyncOptions & { detached: boolean };

export function spawnPlanSync(plan: Plan, extra: ExtraStdio = []): RawSync {
  const { cwd, env, input } = plan;
  const options: Options = {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(input === undefined ? {} : { input }),
    timeout: plan.timeoutMs,
    maxBuffer: plan.maxOutputBytes,
    killSignal: "SIGKILL",
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: stdioOf(plan, extra),
  };
  return spawnSync(plan.file, plan.args, options) as RawSync;
}

/** The result of a command that started. `group` is the one to end; its own for a command without a wrapper. */
export function syncResult(raw: RawSync, seen: Seen, plan: Plan, group = raw.pid): ProcessResult {
  const { pid, error, status: exitCode, signal } = raw;
  const { spill } = plan;
  const verdict = classifyEnd({ error, exitCode, signal });
  const completed = verdict.status === "completed";
  // Whatever a stopped command left behind goes, also when a finished one may keep it.
  if (!completed) killGroupNow(group);
  const end = {
    pid,
    error,
    stdout: captureAll(raw.stdout, undefined, spill && createSpill(spill, "stdout")),
    stderr: captureAll(raw.stderr, undefined, spill && createSpill(spill, "stderr")),
    background: completed ? endBackgroundNow(group, plan.background) : ("none" as const),
    stdinClosedEarly: errnoOf(error) === "EPIPE",
    escalated: false,
  };
  return startedResult(verdict, seen, end, plan);
}
