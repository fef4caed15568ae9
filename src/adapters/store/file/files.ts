/**
 * What a file store does with files: append, replace, create once, take away; each all or nothing.
 *
 * Wing (store). The functions reject with what the file system says; `onDisk` makes it an error of ours.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { type Disk, FILE_MODE } from "./disk.ts";
import { isAbsent, systemCodeOf } from "./failures.ts";

const LINE_END = 0x0a;

/** All bytes of a file; `undefined` when there is none. */
export function readWhole(path: string): Buffer | undefined {
  return unlessAbsent(() => readFileSync(path));
}

/** At most so many bytes from the end of a file; `undefined` when there is none. */
export function readTail(path: string, most: number): Buffer | undefined {
  return unlessAbsent(() => {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const tail = Buffer.alloc(Math.min(size, most));
      return tail.subarray(0, readSync(file, tail, 0, tail.length, size - tail.length));
    } finally {
      closeSync(file);
    }
  });
}

/** How a file ends: it is empty, its last line is whole, or that many bytes follow the last line end. */
export type FileEnd = "empty" | "whole" | { readonly cutBytes: number };

/**
 * Adds text at the end of a file, which is made when there is none, in one write.
 *
 * @param textAfter - Gives the text by how the file ends.
 */
export async function appendText(disk: Disk, path: string, textAfter: (end: FileEnd) => string): Promise<void> {
  const file = disk.inFolder(path, () => openSync(path, "a+", FILE_MODE));
  let end: FileEnd;
  try {
    end = endOf(file, path);
    writeAll(file, textAfter(end));
    await disk.sync(file);
  } finally {
    closeSync(file);
  }
  if (end === "empty") await disk.syncFolder(dirname(path));
}

function endOf(file: number, path: string): FileEnd {
  const { size } = fstatSync(file);
  if (size === 0) return "empty";
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === LINE_END ? "whole" : { cutBytes: size - 1 - readFileSync(path).lastIndexOf(LINE_END, size - 1) };
}

/** One write, unless the file system takes less than all; what a full disk took is cut, and found by its end. */
function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}

/** Puts a file in the place of the one before. Of two that ask, the later one stays. */
export function replaceFile(disk: Disk, path: string, text: string): Promise<void> {
  return disk.inOrder(() =>
    viaTemp(disk, text, async (temp) => {
      disk.inFolder(path, () => renameSync(temp, path));
      await disk.syncFolder(dirname(path));
    }),
  );
}

/** Makes a file that is there with all of its text or not at all; false when there is one already. */
export function createOnce(disk: Disk, path: string, text: string): Promise<boolean> {
  return viaTemp(disk, text, async (temp) => {
    const isFirst = disk.inFolder(path, () => placeOnce(temp, path));
    if (isFirst) await disk.syncFolder(dirname(path));
    return isFirst;
  });
}

/** Writes a file aside, hands its path on, and leaves nothing of it there. */
export async function viaTemp<T>(disk: Disk, text: string, use: (temp: string) => Promise<T>): Promise<T> {
  const temp = disk.temp();
  try {
    const file = disk.inFolder(temp, () => openSync(temp, "wx", FILE_MODE));
    try {
      writeAll(file, text);
      await disk.sync(file);
    } finally {
      closeSync(file);
    }
    return await use(temp);
  } finally {
    rmSync(temp, { force: true });
  }
}

const WITHOUT_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

function placeOnce(temp: string, path: string): boolean {
  try {
    // A hard link is the only way to make a file, its text included, unless there is one.
    linkSync(temp, path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === "EEXIST") return false;
    if (!WITHOUT_LINKS.has(systemCodeOf(error) ?? "")) throw error;
    return copyOnce(temp, path);
  }
}

/** For file systems without hard links: a process that dies in the middle leaves a part of the text. */
function copyOnce(temp: string, path: string): boolean {
  try {
    copyFileSync(temp, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Takes a file away; false when there was none. */
export async function removeFile(disk: Disk, path: string): Promise<boolean> {
  if (unlessAbsent(() => unlinkSync(path) ?? true) === undefined) return false;
  await disk.syncFolder(dirname(path));
  return true;
}

/** Takes a folder away as a whole: nobody ever sees half of it. The names of what was in it; none without one. */
export async function removeFolder(disk: Disk, path: string): Promise<readonly string[]> {
  const temp = disk.temp();
  const names = unlessAbsent(() => {
    const found = readdirSync(path);
    disk.inFolder(temp, () => renameSync(path, temp));
    return found;
  });
  if (names === undefined) return [];
  await disk.syncFolder(dirname(path));
  rmSync(temp, { recursive: true, force: true });
  return names;
}

function unlessAbsent<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
