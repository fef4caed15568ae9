/**
 * Lets one process at a time work on what all sandboxes of a workspace share.
 *
 * Floor 2 (process). Held for a moment only, so whoever finds it taken waits without going away.
 */
import { createHash } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { errnoOf } from "../classify.ts";
import { sandboxFailure } from "./failure.ts";
import { isSameProcess, type ProcessIdentity, thisProcess } from "./process-identity.ts";

/** Longer than any holder needs, even on a busy machine. */
const MAX_WAIT_MS = 5_000;
const LOOK_MS = 2;

/** Where the state of all workspaces lies. Not TMPDIR: all processes of a user must come to the same place. */
export const LOCK_BASE = `/tmp/harness-kit-sandbox-${process.getuid?.() ?? "user"}`;

/**
 * Calls `work` with a folder that belongs to the workspace, alone. When it leaves the folder empty, the folder goes.
 *
 * @throws ToolError with TOOL_SANDBOX_FAILED when the lock is not to be had.
 */
export function withWorkspaceLock<T>(workspace: string, work: (folder: string) => T, base = LOCK_BASE): T {
  const folder = join(base, createHash("sha256").update(workspace).digest("hex").slice(0, 32));
  const lock = join(folder, "lock");
  take(lock, workspace);
  try {
    return work(folder);
  } finally {
    rmSync(lock, { force: true });
    removeIfEmpty(folder);
    removeIfEmpty(base);
  }
}

function prepare(folder: string): void {
  const base = dirname(folder);
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const stats = lstatSync(base);
  const isOurs = stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid) && (stats.mode & 0o022) === 0;
  if (!isOurs) throw sandboxFailure(`${base} belongs to somebody else. Remove it.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function take(lock: string, workspace: string): void {
  const start = performance.now();
  while (!tryTake(lock)) {
    breakStale(lock);
    if (performance.now() - start > MAX_WAIT_MS) {
      throw sandboxFailure(
        `The lock of the workspace ${workspace} has been held for too long. If nobody uses it, remove ${lock} and ${breaker(lock)}.`,
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

/** Links a file that is written already: a lock is never there without saying whose it is. */
function tryTake(lock: string): boolean {
  const us = thisProcess();
  const own = `${lock}.${us.pid}.${threadId}`;
  try {
    prepare(dirname(lock));
    writeFileSync(own, JSON.stringify(us), { mode: 0o600 });
    linkSync(own, lock);
    return true;
  } catch (error) {
    // Taken by somebody, or somebody has just removed the folder as empty.
    if (errnoOf(error) === "EEXIST" || errnoOf(error) === "ENOENT") return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // In use, or gone.
  }
}

/** Takes the lock away from a process that was killed while it held it. */
function breakStale(lock: string): void {
  // Whoever else saw the old lock must not remove the new one; so it takes a lock to break a lock.
  if (!isStale(lock) || !tryTake(breaker(lock))) return;
  if (isStale(lock)) rmSync(lock, { force: true });
  rmSync(breaker(lock), { force: true });
}

function breaker(lock: string): string {
  return `${lock}.break`;
}

function isStale(lock: string): boolean {
  try {
    return !isSameProcess(JSON.parse(readFileSync(lock, "utf8")) as ProcessIdentity);
  } catch {
    // Given back since.
    return false;
  }
}
