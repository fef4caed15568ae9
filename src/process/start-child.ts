/**
 * Starts a program, or finds out why it did not start.
 *
 * Floor 2 (process).
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Plan } from "./options.ts";

/** A child that has a process. */
export type RunningChild = ChildProcess & { pid: number };

/** What is given to a program besides the three usual descriptors, from 3 on. */
export type ExtraStdio = readonly ("pipe" | "ignore" | number)[];

export function startChild(plan: Plan, extra: ExtraStdio = []): ChildProcess {
  return spawn(plan.file, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    // A session of its own: no terminal to prompt on, and one group to stop.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: stdioOf(plan, extra),
  });
}

/** The pipes of a program, for both ways to start one. */
export function stdioOf({ input }: Plan, extra: ExtraStdio): ExtraStdio[number][] {
  return [input === undefined ? "ignore" : "pipe", "pipe", "pipe", ...extra];
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
