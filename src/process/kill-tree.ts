/**
 * Stops a command together with everything that it started.
 *
 * Floor 2 (process). Linux and macOS: the command leads a process group of its own, and a signal to
 * the negative pid reaches all of it. A process that leaves the group (`setsid`, a double fork) is
 * out of reach. Windows: `taskkill /T`; written after the documentation, not run by our tests.
 */
import { spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { win32 } from "node:path";
import { allIgnore, hasLiveMember } from "./process-table.ts";

/** What this file needs from the system; tests pass their own. */
export interface KillHost {
  readonly platform: NodeJS.Platform;
  readonly systemRoot: string | undefined;
  /** `process.kill`: throws when nobody is there. */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Starts a program; calls `onFailure` when it cannot be started or fails. */
  start(file: string, args: readonly string[], onFailure: () => void): void;
  /** Runs a program to its end. */
  runSync(file: string, args: readonly string[]): void;
  /** Whether a process of this group is more than a zombie. */
  hasLiveMember(groupId: number): boolean;
  /** Whether no process of this group would notice the signal. */
  allIgnore(groupId: number, signalNumber: number): boolean;
}

const QUIET = { stdio: "ignore", windowsHide: true } as const;

export const systemKillHost: KillHost = {
  platform: process.platform,
  systemRoot: process.env["SystemRoot"],
  kill: (pid, signal) => {
    process.kill(pid, signal);
  },
  start(file, args, onFailure) {
    const child = spawn(file, args, QUIET);
    child.once("error", onFailure);
    child.once("exit", (code) => code !== 0 && onFailure());
  },
  runSync: (file, args) => {
    spawnSync(file, args, QUIET);
  },
  hasLiveMember,
  allIgnore,
};

/** The part of a `ChildProcess` that is used when its group cannot be reached. */
export interface Killable {
  readonly pid?: number | undefined;
  kill(signal: NodeJS.Signals): boolean;
}

/** Sends `signal` to the command and all its descendants. On Windows every signal ends them at once. */
export function killTree(child: Killable, signal: NodeJS.Signals, host: KillHost = systemKillHost): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (host.platform === "win32") {
    // Before the child itself dies: taskkill finds the descendants through their parent.
    host.start(taskkillPath(host), taskkillArgs(pid), () => child.kill(signal));
    return;
  }
  try {
    signalGroup(pid, signal, host);
  } catch {
    child.kill(signal);
  }
}

/** 0 would be our own group, and -1 every process of this user. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0, host: KillHost): void {
  if (!(pid > 1)) throw new RangeError(`A process group has a number above 1, got ${pid}.`);
  host.kill(-pid, signal);
}

/** As `killTree` with SIGKILL, for moments in which nothing can be waited for. */
export function killGroupNow(pid: number, host: KillHost = systemKillHost): void {
  try {
    if (host.platform === "win32") host.runSync(taskkillPath(host), taskkillArgs(pid));
    else signalGroup(pid, "SIGKILL", host);
  } catch {
    // Gone already.
  }
}

/** Whether a process of the group still runs. On Windows there are no groups: nothing is known to run. */
export function isGroupAlive(pid: number, host: KillHost = systemKillHost): boolean {
  if (host.platform === "win32") return false;
  try {
    signalGroup(pid, 0, host);
    return host.hasLiveMember(pid);
  } catch {
    return false;
  }
}

/** Whether SIGTERM would be lost on the whole group. Where nobody can tell: no. */
export function isGroupDeaf(pid: number, host: KillHost = systemKillHost): boolean {
  return host.platform !== "win32" && host.allIgnore(pid, constants.signals.SIGTERM);
}

/** By its absolute path: a `taskkill` in the working directory or on PATH may be anything. */
function taskkillPath(host: KillHost): string {
  return win32.join(host.systemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
}

function taskkillArgs(pid: number): string[] {
  return ["/pid", String(pid), "/T", "/F"];
}
