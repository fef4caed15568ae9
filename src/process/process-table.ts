/**
 * Asks Linux about the members of a process group, where signals alone tell too little.
 *
 * Floor 2 (process). In a container whose first process does not reap orphans, zombies stay for good,
 * and `kill(-group, 0)` counts them as alive. Other systems have no `/proc`: there nobody knows.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Whether a process of the group is more than a zombie; `true` where nobody knows. */
export function hasLiveMember(groupId: number, procRoot = "/proc"): boolean {
  const members = liveMembers(groupId, procRoot);
  return members === undefined || members.length > 0;
}

/** Whether every process of the group ignores the signal with this number, so that sending it changes nothing. */
export function allIgnore(groupId: number, signalNumber: number, procRoot = "/proc"): boolean {
  const members = liveMembers(groupId, procRoot) ?? [];
  return members.length > 0 && members.every((pid) => ignores(`${procRoot}/${pid}/status`, signalNumber));
}

function liveMembers(groupId: number, procRoot: string): string[] | undefined {
  const pids = listPids(procRoot);
  return pids.length === 0 ? undefined : pids.filter((pid) => isLiveMember(`${procRoot}/${pid}/stat`, groupId));
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
  const stat = read(statPath);
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(group) === groupId && state !== "Z" && state !== "X";
}

/** `SigIgn` is a mask in hexadecimal, its lowest bit signal 1: see proc_pid_status(5). */
function ignores(statusPath: string, signalNumber: number): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(read(statusPath))?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(signalNumber - 1)) & 1n) === 1n;
}

/** Empty when the process is gone by now. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
