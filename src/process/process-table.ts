/**
 * Tells a process group that still runs from one of which only zombies are left.
 *
 * Floor 2 (process). In a container whose first process does not reap orphans they stay for good, and
 * `kill(-group, 0)` counts them as alive.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Whether `/proc` shows a running process of the group; `true` where there is no `/proc` to ask. */
export function hasLiveMember(groupId: number, procRoot = "/proc"): boolean {
  const pids = listPids(procRoot);
  return pids.length === 0 || pids.some((pid) => isLiveMember(`${procRoot}/${pid}/stat`, groupId));
}

function listPids(procRoot: string): string[] {
  try {
    return readdirSync(procRoot).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** `pid (name) state ppid group …`, where the name may hold anything: see proc_pid_stat(5). */
function isLiveMember(statPath: string, groupId: number): boolean {
  try {
    const stat = readFileSync(statPath, "latin1");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(group) === groupId && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
