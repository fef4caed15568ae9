/**
 * Names for what is not in place yet, and the removal of what a process that died left behind.
 *
 * Wing (store). All of it lies in one folder, so that no other one ever holds a file that is half written.
 */
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isGone, type Owner, thisOwner } from "./owner.ts";

/** After a day even a process that nobody can ask for is no longer writing. */
const OLD_MS = 86_400_000;

/** A path that nobody else uses. The name says whose it is. */
export function tempPath(folder: string): string {
  const { pid, started } = thisOwner();
  return join(folder, [pid, started, machineHash(thisOwner()), randomUUID()].join("."));
}

/** Removes what no living process can be writing. What cannot be removed stays for the next time. */
export function sweepTemps(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    try {
      if (isLeftBehind(name) || now - statSync(path).mtimeMs > OLD_MS) rmSync(path, { recursive: true, force: true });
    } catch {}
  }
}

function isLeftBehind(name: string): boolean {
  const [pid = "", started = "", machine = ""] = name.split(".");
  const own = thisOwner();
  return machine === machineHash(own) && isGone({ pid: Number(pid), started, machine: own.machine }) === true;
}

function machineHash({ machine }: Owner): string {
  return createHash("sha256").update(machine).digest("hex").slice(0, 12);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
