/**
 * The disk under a file store: how long what is written survives, and where it waits until it is in place.
 *
 * Wing (store).
 */
import { closeSync, fdatasync, fsync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { isAbsent } from "./failures.ts";
import { sweepTemps, tempPath } from "./temp-files.ts";

const FOLDER_MODE = 0o700;

/** Private: a run holds what its user said and what its tools read. */
export const FILE_MODE = 0o600;

/** How often a folder that is deleted by somebody else at the same moment is made again. */
const FOLDER_TRIES = 3;

const fsyncFile = promisify(fsync);
const fdatasyncFile = promisify(fdatasync);

/** What survives once a promise resolved: the end of the process, or that of the whole machine. */
export type Durability = "process" | "system";

/** The disk under a store. */
export interface Disk {
  /** Waits until what was written to an open file survives what it should. */
  sync(file: number): Promise<void>;
  /** The same for what was put into a folder, or taken out of it. */
  syncFolder(folder: string): Promise<void>;
  /** Does something with a path, and makes the folder for it where there is none. */
  inFolder<T>(path: string, work: () => T): T;
  /** A path for what is not in place yet. */
  temp(): string;
  /** Does one work after the other, in the order in which they were asked for. */
  inOrder<T>(work: () => Promise<T>): Promise<T>;
}

/** @param temps - The folder for what is not in place yet. */
export function createDisk(temps: string, durability: Durability): Disk {
  const isDurable = durability === "system";
  let isSwept = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    async sync(file) {
      if (isDurable) await fdatasyncFile(file);
    },
    async syncFolder(folder) {
      if (isDurable) await syncEntries(folder);
    },
    inFolder: (path, work) => workInFolder(dirname(path), work, isDurable),
    temp() {
      if (!isSwept) sweepTemps(temps, Date.now());
      isSwept = true;
      return tempPath(temps);
    },
    inOrder(work) {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
  };
}

function workInFolder<T>(folder: string, work: () => T, isDurable: boolean): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isAbsent(error) || attempt === FOLDER_TRIES) throw error;
      makeFolder(folder, isDurable);
    }
  }
}

/** Makes a folder and those above it. Rare, so that it may hold up the process where it has to be durable. */
function makeFolder(folder: string, isDurable: boolean): void {
  const first = mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined || !isDurable) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    const parent = openFolder(dirname(made));
    if (parent === undefined) return;
    try {
      fsyncSync(parent);
    } finally {
      closeSync(parent);
    }
  }
}

async function syncEntries(folder: string): Promise<void> {
  const file = openFolder(folder);
  if (file === undefined) return;
  try {
    await fsyncFile(file);
  } finally {
    closeSync(file);
  }
}

/** A folder can be opened, to be synced, everywhere but on Windows, which keeps its entries by itself. */
function openFolder(folder: string): number | undefined {
  return process.platform === "win32" ? undefined : openSync(folder, "r");
}
