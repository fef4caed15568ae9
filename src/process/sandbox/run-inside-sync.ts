/**
 * Runs a command inside a sandbox, or not at all, and blocks until it has ended.
 *
 * Floor 2 (process). The counterpart of the plain way in `run-process-sync.ts`.
 */
import { failedStart, type Seen } from "../build-result.ts";
import { captureAll } from "../capture.ts";
import { classifyEnd } from "../classify.ts";
import { isGroupAlive, killGroupNow } from "../kill-tree.ts";
import type { Plan } from "../options.ts";
import type { ProcessResult } from "../result.ts";
import { type RawSync, spawnPlanSync, syncResult } from "../spawn-sync.ts";
import { type Entered, enterSandboxSync, wrapperStartError } from "./enter.ts";
import { type OpenedStdio, openExtraStdio } from "./extra-stdio.ts";
import { sandboxFailure } from "./failure.ts";
import { groupOf, REPORT_FD } from "./follow-wrapper.ts";
import type { InsidePlan } from "./run-inside.ts";
import { canReadReportSync } from "./sync-report.ts";
import { commandEnd } from "./wrapped-end.ts";

/** Never throws: what goes wrong before the command has started is `SANDBOX_FAILED`. */
export function runInsideSync({ plan, sandbox, seen }: InsidePlan): ProcessResult {
  const inside: Seen = { ...seen, sandbox: sandbox.name };
  let entered: Entered | undefined;
  try {
    entered = enterSandboxSync(sandbox, plan);
    if (entered.control !== undefined && !canReadReportSync()) throw sandboxFailure(NO_REPORT);
    const raw = spawnWith(entered.plan, openExtraStdio(entered.control !== undefined));
    if (!raw.pid) throw wrapperStartError(raw.error, entered.name, entered.plan.file);
    return ended(raw, entered, inside);
  } catch (error) {
    return failedStart(error, inside, plan.env);
  } finally {
    entered?.release();
  }
}

const NO_REPORT =
  "The spawnSync of this runtime does not give back what the sandbox reports, as that of Node does. Use runProcess instead of runProcessSync.";

function spawnWith(plan: Plan, { entries, close }: OpenedStdio): RawSync {
  try {
    return spawnPlanSync(plan, entries);
  } finally {
    close();
  }
}

function ended(raw: RawSync, { plan, control }: Entered, seen: Seen): ProcessResult {
  const { error, status: exitCode, signal } = raw;
  const report = String(raw.output?.[REPORT_FD] ?? "");
  const group = control && groupOf(control, report);
  const wrapper = classifyEnd({ error, exitCode, signal });
  const isStopped = wrapper.status === "terminated" && wrapper.reason !== "signal";
  const command = commandEnd(
    control,
    { report, stderr: captureAll(raw.stderr).text, stopped: isStopped ? wrapper.reason : undefined, exitCode, signal },
    seen,
  );
  if (wrapper.status === "terminated") killGroupNow(raw.pid);
  if (command.type === "notStarted") return command.result;
  if (group !== undefined && wrapper.status === "completed") waitForEnd(group);
  return syncResult({ ...raw, status: command.exitCode, signal: command.signal }, seen, plan, group);
}

/** What waits for the command's orphans ends a moment after the command. */
const LINGER_MS = 50;
const LOOK_MS = 5;

function waitForEnd(group: number): void {
  for (let waited = 0; waited < LINGER_MS && isGroupAlive(group); waited += LOOK_MS) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}
