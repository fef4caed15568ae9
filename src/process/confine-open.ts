/**
 * Opens a confined path and proves that the open descriptor is what was allowed.
 *
 * Floor 2 (process). Node only. Between a check and an open a directory can be exchanged for a link, so
 * the descriptor is asked where it leads. On Linux the file is opened below a verified descriptor of its
 * directory (`/proc/self/fd`), so that not even an empty file is created elsewhere; on other systems the
 * identity of what was opened is compared afterwards.
 */
import { constants, lstatSync, readlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PermissionError } from "../errors/index.ts";
import { errnoOf } from "./classify.ts";
import { openNumbers } from "./confine-flags.ts";
import type { OpenedPath, OpenedPlace, OpenRequest, PathOp, PathRequest, PathVerdict } from "./confine-types.ts";

/** How paths are judged and opened; tests pass their own. */
export interface Opening {
  check(request: PathRequest): PathVerdict;
  /** Whether `/proc/self/fd` says where a descriptor leads. */
  readonly hasDescriptorPaths: boolean;
}

/** On this system. */
export function openingOf(check: Opening["check"]): Opening {
  return { check, hasDescriptorPaths: process.platform === "linux" };
}

const FLAGS = openNumbers(constants);

/** See {@link Confinement.open}. */
export async function openConfined(request: OpenRequest, opening: Opening): Promise<OpenedPath> {
  const flags = request.flags ?? "r";
  const op = flags === "r" ? request.op : "write";
  const { path, root } = allowed(request, opening.check({ ...request, op }));
  if (path === root && flags !== "r") throw denied(request.path, "it is the workspace itself");
  if (path === root) return { handle: await openDirectory(path, op, opening), path };
  const place = await openPlace({ ...request, op }, opening);
  try {
    const target = { opened: place.at(place.name), path: place.path, flags: FLAGS.file[flags], op };
    const handle = await openVerified(target, opening);
    if (flags === "w") await closeOnError(handle, () => handle.truncate(0));
    return { handle, path: place.path };
  } finally {
    await place.handle.close();
  }
}

/** See {@link Confinement.openPlace}. */
export async function openPlace(request: PathRequest, opening: Opening): Promise<OpenedPlace> {
  const { path, root } = allowed(request, opening.check(request));
  if (path === root) throw denied(request.path, "it is the workspace itself");
  const directory = dirname(path);
  const handle = await openDirectory(directory, "list", opening);
  const base = opening.hasDescriptorPaths ? `/proc/self/fd/${handle.fd}` : directory;
  return { handle, path, name: basename(path), at: (name) => join(base, name) };
}

function openDirectory(path: string, op: PathOp, opening: Opening): Promise<FileHandle> {
  return openVerified({ opened: path, path, flags: FLAGS.directory, op }, opening);
}

interface Target {
  /** What is given to the system. */
  readonly opened: string;
  /** What it must be. */
  readonly path: string;
  readonly flags: number;
  readonly op: PathOp;
}

async function openVerified({ opened, path, flags, op }: Target, opening: Opening): Promise<FileHandle> {
  const handle = await open(opened, flags, 0o666).catch((error: unknown) => {
    throw errnoOf(error) === "ELOOP" ? denied(path, "it became a link") : error;
  });
  await closeOnError(handle, async () => {
    const stats = await handle.stat();
    if (!stats.isFile() && !stats.isDirectory()) throw denied(path, "it is no regular file and no directory");
    const real = opening.hasDescriptorPaths ? readlinkSync(`/proc/self/fd/${handle.fd}`) : pathOf(path, stats);
    if (real !== path) throw denied(path, "it was exchanged while it was opened");
    // What was allowed may have become something else: a link to a protected name, for one.
    allowed({ op, path }, opening.check({ op, path: real }));
  });
  return handle;
}

/** The path, if it still is the file that was opened. */
export function pathOf(path: string, { dev, ino }: { readonly dev: number; readonly ino: number }): string | undefined {
  const now = lstatSync(path, { throwIfNoEntry: false });
  return now?.dev === dev && now.ino === ino ? path : undefined;
}

async function closeOnError(handle: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function allowed(request: PathRequest, verdict: PathVerdict): PathVerdict & { decision: "allow" } {
  if (verdict.decision === "allow") return verdict;
  throw denied(request.path, verdict.reason);
}

function denied(path: string, reason: string): PermissionError {
  return new PermissionError(`The path ${JSON.stringify(path)} is not allowed: ${reason}.`, {
    code: "PERMISSION_DENIED",
  });
}
