/**
 * Tells whether a process is still the one that was written down.
 *
 * Floor 2 (process). A number alone is used again; together with the moment of the start it is not.
 */
import { readFileSync } from "node:fs";

/** One process on this machine, for as long as it runs. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since the machine started; field 22 of proc_pid_stat(5). */
  readonly startedAt: string;
}

/** Who we are. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? "" };
}

/** Whether this process still runs. */
export function isSameProcess({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt;
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in the second field may hold anything, also blanks and brackets.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
