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
import type { OpenedPath, OpenedPlace, OpenFlags, OpenRequest, PathRequest, PathVerdict } from "./confine-types.ts";

type Check = (request: PathRequest) => PathVerdict;

const {
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_DIRECTORY = 0,
  O_RDONLY,
  O_WRONLY,
  O_RDWR,
  O_CREAT,
  O_EXCL,
  O_APPEND,
} = constants;

/** Without O_TRUNC: nothing is cut before it is known what was opened. */
const MODES: Readonly<Record<OpenFlags, number>> = {
  r: O_RDONLY,
  "r+": O_RDWR,
  w: O_WRONLY | O_CREAT,
  a: O_WRONLY | O_CREAT | O_APPEND,
  wx: O_WRONLY | O_CREAT | O_EXCL,
};

const IS_LINUX = process.platform === "linux";

/** See {@link Confinement.open}. */
export async function openConfined(request: OpenRequest, check: Check): Promise<OpenedPath> {
  const flags = request.flags ?? "r";
  const op = flags === "r" ? request.op : "write";
  const { path, root } = allowed(request, check({ ...request, op }));
  if (path === root && flags !== "r") throw denied(request.path, "it is the workspace itself");
  if (path === root) return { handle: await openVerified(path, path, O_RDONLY | O_DIRECTORY, op, check), path };
  const place = await openPlace({ ...request, op }, check);
  try {
    // O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
    const handle = await openVerified(place.at(place.name), place.path, MODES[flags] | O_NONBLOCK, op, check);
    if (flags === "w") await closeOnError(handle, () => handle.truncate(0));
    return { handle, path: place.path };
  } finally {
    await place.handle.close();
  }
}

/** See {@link Confinement.openPlace}. */
export async function openPlace(request: PathRequest, check: Check): Promise<OpenedPlace> {
  const { path, root } = allowed(request, check(request));
  if (path === root) throw denied(request.path, "it is the workspace itself");
  const directory = dirname(path);
  const handle = await openVerified(directory, directory, O_RDONLY | O_DIRECTORY, "list", check);
  const base = IS_LINUX ? `/proc/self/fd/${handle.fd}` : directory;
  return { handle, path, name: basename(path), at: (name) => join(base, name) };
}

async function openVerified(
  opened: string,
  path: string,
  flags: number,
  op: PathRequest["op"],
  check: Check,
): Promise<FileHandle> {
  const handle = await open(opened, flags | O_NOFOLLOW, 0o666).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ELOOP") throw denied(path, "it became a link");
    throw error;
  });
  await closeOnError(handle, async () => {
    const stats = await handle.stat();
    if (!stats.isFile() && !stats.isDirectory()) throw denied(path, "it is no regular file and no directory");
    const real = IS_LINUX ? readlinkSync(`/proc/self/fd/${handle.fd}`) : pathOf(path, stats);
    allowed({ op, path }, real === undefined ? undefined : check({ op, path: real }));
    if (real !== path) throw denied(path, "it was moved while it was opened");
  });
  return handle;
}

/** The path, if it still is the file that was opened. */
function pathOf(path: string, { dev, ino }: { readonly dev: number; readonly ino: number }): string | undefined {
  const now = lstatSync(path, { throwIfNoEntry: false });
  return now !== undefined && now.dev === dev && now.ino === ino ? path : undefined;
}

async function closeOnError(handle: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function allowed(request: PathRequest, verdict: PathVerdict | undefined): PathVerdict & { decision: "allow" } {
  if (verdict?.decision === "allow") return verdict;
  throw denied(request.path, verdict?.reason ?? "it was exchanged while it was opened");
}

function denied(path: string, reason: string): PermissionError {
  return new PermissionError(`The path ${JSON.stringify(path)} is not allowed: ${reason}.`, {
    code: "PERMISSION_DENIED",
  });
}
