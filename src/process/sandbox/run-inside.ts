/**
 * Runs a command inside a sandbox, or not at all.
 *
 * Floor 2 (process). The counterpart of the plain way in `run-process.ts`.
 */
import type { ChildProcess } from "node:child_process";
import { failedStart, notStartedResult, type Seen, startedResult } from "../build-result.ts";
import { classifyEnd, notStarted } from "../classify.ts";
import type { AsyncProcessOptions, Plan } from "../options.ts";
import type { ProcessResult } from "../result.ts";
import { hasStarted, startChild, startError } from "../start-child.ts";
import { supervise } from "../supervise.ts";
import { type Entered, enterSandbox, wrapperStartError } from "./enter.ts";
import { type OpenedStdio, openExtraStdio } from "./extra-stdio.ts";
import type { Sandbox } from "./types.ts";
import { commandEnd } from "./wrapped-end.ts";

/** What is run, where. */
export interface InsidePlan {
  readonly plan: Plan;
  readonly sandbox: Sandbox;
  readonly seen: Seen;
}

/** Never rejects: what goes wrong before the command has started is `SANDBOX_FAILED`. */
export async function runInside(
  { plan, sandbox, seen }: InsidePlan,
  live: AsyncProcessOptions,
): Promise<ProcessResult> {
  const inside: Seen = { ...seen, sandbox: sandbox.name };
  let entered: Entered | undefined;
  try {
    entered = await enterSandbox(sandbox, plan, live.signal);
    if (entered === undefined) return notStartedResult(notStarted("ABORTED_BEFORE_START"), inside);
    return await runEntered(entered, inside, live);
  } catch (error) {
    return failedStart(error, inside, plan.env);
  } finally {
    entered?.release();
  }
}

async function runEntered(entered: Entered, seen: Seen, { signal, onOutput }: AsyncProcessOptions) {
  const { plan, control, name } = entered;
  const child = startWith(plan, openExtraStdio(control !== undefined));
  if (!hasStarted(child)) throw wrapperStartError(await startError(child), name, plan.file);
  const wrapper = await supervise(child, plan, { signal, onOutput, control });
  const command = commandEnd(control, { ...wrapper, stderr: wrapper.stderr.text }, seen);
  if (command.type === "notStarted") return command.result;
  const { exitCode, signal: endSignal } = command;
  const end = { ...wrapper, exitCode, signal: endSignal };
  return startedResult(classifyEnd(end), seen, end, plan);
}

function startWith(plan: Plan, { entries, close }: OpenedStdio): ChildProcess {
  try {
    return startChild(plan, entries);
  } finally {
    close();
  }
}
