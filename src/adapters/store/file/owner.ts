/**
 * Who this process is, so that another one can tell whether it still lives.
 *
 * Wing (store). A process id alone is not enough: it is used again after a while, it means another process
 * on another machine, and another one in another container.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCodeOf } from "./failures.ts";

/** A process, as it stands in a lock. */
export interface Owner {
  readonly pid: number;
  /** When it started, in ticks since the machine did; empty where the system does not say. */
  readonly started: string;
  /** The machine: its name, and on Linux its boot and its pid namespace. */
  readonly machine: string;
}

let self: Owner | undefined;

/** This process. */
export function thisOwner(): Owner {
  // A fork of a Node process is a new one, so that what was found once stays true.
  self ??= { pid: process.pid, started: statOf(process.pid)?.started ?? "", machine: machineOf() };
  return self;
}

/**
 * Whether a process of this machine is gone; `undefined` for one of another machine, of which nobody here knows.
 */
export function isGone(owner: Owner): boolean | undefined {
  if (owner.machine !== thisOwner().machine) return undefined;
  if (!isAlive(owner.pid)) return true;
  const stat = statOf(owner.pid);
  // Without /proc, or with the processes of others hidden, the id has to do.
  return stat !== undefined && (stat.isDead || (owner.started !== "" && stat.started !== owner.started));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    return systemCodeOf(error) !== "ESRCH";
  }
}

interface ProcessStat {
  readonly started: string;
  /** Killed, but not taken note of by its parent: `kill(pid, 0)` still finds it. */
  readonly isDead: boolean;
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html fields 3 (state) and 22 (starttime) */
function statOf(pid: number): ProcessStat | undefined {
  const text = readText(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The name in field 2 may hold blanks and brackets.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", started = ""] = [fields[0], fields[19]];
  return started === "" ? undefined : { started, isDead: state === "Z" || state === "X" };
}

function machineOf(): string {
  const boot = readText(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"));
  const namespace = readText(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot.trim(), namespace].filter((part) => part !== "").join(" ");
}

function readText(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
