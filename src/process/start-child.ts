/**
 * Starts a program, or finds out why it did not start.
 *
 * Floor 2 (process).
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Plan } from "./options.ts";

/** A child that has a process. */
export type RunningChild = ChildProcess & { pid: number };

/** `reportPipe`: with a pipe on file descriptor 3 besides the three usual ones. */
export function startChild(plan: Plan, reportPipe: boolean): ChildProcess {
  return spawn(plan.file, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    // A session of its own: no terminal to prompt on, and one group to stop.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: stdioOf(plan, reportPipe),
  });
}

/** The pipes of a program, for both ways to start one. */
export function stdioOf({ input }: Plan, reportPipe: boolean): ("ignore" | "pipe")[] {
  const stdin = input === undefined ? "ignore" : "pipe";
  return reportPipe ? [stdin, "pipe", "pipe", "pipe"] : [stdin, "pipe", "pipe"];
}

export function hasStarted(child: ChildProcess): child is RunningChild {
  return child.pid !== undefined;
}

/** Why a child has no process. */
export function startError(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once("error", resolve);
  });
}
