/**
 * Writes the whole of a long output to a file, where a result keeps only its start and end.
 *
 * Floor 2 (process). Written as it comes, blocking: so nothing waits in memory for a slow disk, and the
 * file is complete when the result is there.
 */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorMessage } from "../errors/index.ts";
import type { CaptureInfo } from "./result.ts";

/** Where long outputs go, and what is long. */
export interface SpillPlan {
  /** Absolute. Made when it is needed. */
  readonly dir: string;
  /** Outputs of up to this many bytes get no file. */
  readonly fromBytes: number;
}

/** The file of one stream. */
export interface Spill {
  readonly fromBytes: number;
  /** Never throws: the first failure ends the file, and `finish` tells it. */
  write(chunk: Buffer): void;
  finish(): Pick<CaptureInfo, "spillFile" | "spillError">;
}

/** Prepares the file of one stream; it is made with the first write. */
export function createSpill({ dir, fromBytes }: SpillPlan, stream: "stdout" | "stderr"): Spill {
  const path = join(dir, `${stream}-${randomUUID()}.log`);
  let file: number | undefined;
  let failure: string | undefined;
  let isOver = false;

  /** What is not complete is worse than nothing. */
  function giveUp(error: unknown): void {
    failure = errorMessage(error);
    attempt(() => file !== undefined && closeSync(file));
    if (file !== undefined) attempt(() => unlinkSync(path));
    file = undefined;
  }

  return {
    fromBytes,
    write(chunk) {
      if (isOver || failure !== undefined) return;
      try {
        file ??= open(dir, path);
        writeFileSync(file, chunk);
      } catch (error) {
        giveUp(error);
      }
    },
    finish() {
      isOver = true;
      try {
        if (file !== undefined) closeSync(file);
      } catch (error) {
        giveUp(error);
      }
      return failure === undefined ? { spillFile: file === undefined ? undefined : path } : { spillError: failure };
    },
  };
}

/** For our eyes only: an output may hold secrets. */
function open(dir: string, path: string): number {
  makeFolder(dir);
  return openSync(path, "wx", 0o600);
}

/** Not `recursive`: in a place where nothing can be made, such as below `/proc`, Node 20 to 24 would try for ever. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  if (!existsSync(dirname(dir))) makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(dir)) throw error;
  }
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // It was on its way out already.
  }
}
