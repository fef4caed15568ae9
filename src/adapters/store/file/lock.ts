/**
 * Locks on the disk: a file that names the process that holds it.
 *
 * Wing (store). A lock whose holder is gone is taken over. Two that see so at once must not both get it, and
 * none may take away what the other has just got: whoever wants to take over first makes a file, once, that
 * gives the right to replace exactly that lock. Who gets the right and dies leaves a right that is stale
 * like a lock, and the next one takes the next right.
 */
import { createHash, randomUUID } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Unlock } from "../../../contract/store.ts";
import { toText } from "../records/json-text.ts";
import { checkedLine, openPart } from "./checked-line.ts";
import type { Disk } from "./disk.ts";
import { isAbsent } from "./failures.ts";
import { createOnce, readWhole, removeFile, viaTemp } from "./files.ts";
import { isGone, type Owner, thisOwner } from "./owner.ts";

/** How often a holder shows that it lives, to those who cannot ask for its process. */
const HEARTBEAT_MS = 15_000;

/** After so long without a heartbeat a holder on another machine is taken for gone. */
const SILENT_MS = 60_000;

/** Takes the lock in a file; `undefined` when somebody else has it. */
export async function takeLock(disk: Disk, path: string, name: string): Promise<Unlock | undefined> {
  const mine = checkedLine("lock", toText({ name, token: randomUUID(), ...thisOwner() }, "a lock"));
  // A second time, when the holder gave it back in between.
  for (let attempt = 1; attempt <= 2; attempt++) {
    if (await createOnce(disk, path, mine)) return held(disk, path, mine);
    const before = readWhole(path);
    if (before === undefined) continue;
    const isTaken = (await isStale(disk, path, before)) && (await takeOver(disk, path, { before, mine }));
    return isTaken ? held(disk, path, mine) : undefined;
  }
  return undefined;
}

interface Exchange {
  /** What is in the lock, byte for byte. */
  readonly before: Buffer;
  readonly mine: string;
}

async function takeOver(disk: Disk, path: string, { before, mine }: Exchange): Promise<boolean> {
  const right = await takeRight(disk, path, { before, mine });
  if (right === undefined) return false;
  // Somebody else may have had this right, used it and removed it before we got it.
  if (readWhole(path)?.equals(before) !== true) {
    rmSync(right, { force: true });
    return false;
  }
  await viaTemp(disk, mine, async (temp) => renameSync(temp, path));
  await disk.syncFolder(dirname(path));
  removeRights(path);
  return true;
}

async function takeRight(disk: Disk, path: string, { before, mine }: Exchange): Promise<string | undefined> {
  const identity = createHash("sha256").update(before).digest("hex").slice(0, 16);
  for (let number = 1; ; number++) {
    const right = `${path}.${identity}.${number}`;
    if (await createOnce(disk, right, mine)) return right;
    const other = readWhole(right);
    if (other === undefined || !(await isStale(disk, right, other))) return undefined;
  }
}

/** All rights on this lock that were ever left behind: they were for holders that are no more. */
function removeRights(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(path)}.`)) rmSync(join(folder, name), { force: true });
  }
}

async function isStale(disk: Disk, path: string, content: Buffer): Promise<boolean> {
  const owner = openPart<Owner>(content.subarray(0, -1), "lock");
  // Of a damaged lock, too, nobody knows whether its holder lives.
  const isDead = owner === undefined ? undefined : isGone(owner);
  return isDead ?? (await silenceOf(disk, path)) > SILENT_MS;
}

/** How long ago a file was written, by the clock of the file system: those of two machines may differ. */
async function silenceOf(disk: Disk, path: string): Promise<number> {
  try {
    const now = await viaTemp(disk, "", async (temp) => statSync(temp).mtimeMs);
    return now - statSync(path).mtimeMs;
  } catch (error) {
    if (isAbsent(error)) return 0;
    throw error;
  }
}

function held(disk: Disk, path: string, mine: string): Unlock {
  const heartbeat = setInterval(() => beat(path, mine), HEARTBEAT_MS);
  // A lock is no reason for a process to live on.
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    if (readWhole(path)?.equals(Buffer.from(mine)) === true) await removeFile(disk, path);
  };
}

/** Writes the lock anew, through one open file: what somebody put in its place meanwhile is not touched. */
function beat(path: string, mine: string): void {
  try {
    const bytes = Buffer.from(mine);
    const found = Buffer.alloc(bytes.length);
    const file = openSync(path, "r+");
    try {
      readSync(file, found, 0, found.length, 0);
      if (found.equals(bytes)) writeSync(file, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // The next one may get through; until then the lock is as old as it is.
  }
}
