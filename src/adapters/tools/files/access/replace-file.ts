/**
 * Writes a file as a whole or not at all: into a temporary file beside it, then by renaming.
 *
 * Wing (adapters). Node only. Both happen below a verified descriptor of the folder. A link at the
 * last name was followed before, so that it stays a link; a hard link is parted from its other names,
 * which may lie outside.
 */
import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";
import type { OpenedPlace } from "../../../../process/confine-types.ts";
import { quoteValue } from "../../../../util/text.ts";
import { rejected } from "../refusal.ts";
import { shownPath, type Workspace } from "../workspace.ts";

export interface Replacement {
  /** The path of the file, checked already. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The file as it was when its content was read; `undefined`: there was none. Its mode and owner are kept. */
  readonly before: Stats | undefined;
  /** Refuse when the file is not `before` any more. */
  readonly onlyIfUnchanged: boolean;
  readonly signal: AbortSignal;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
const PERMISSION_BITS = 0o777;
const ANY_WRITE_BIT = 0o222;

/** @throws PermissionError, ToolError `TOOL_REJECTED`, or the system's own error; the file is as it was then. */
export async function replaceFile(workspace: Workspace, replacement: Replacement): Promise<void> {
  const { path, before, signal } = replacement;
  const place = await workspace.confinement.openPlace({ op: "write", path });
  const temporary = place.at(`.harness-kit-${randomUUID()}.tmp`);
  const target = place.at(place.name);
  try {
    if (before !== undefined) await checkWritable(workspace, place, before);
    await writeNew(temporary, replacement);
    signal.throwIfAborted();
    if (replacement.onlyIfUnchanged) await checkUnchanged(target, shownPath(workspace, place.path), before);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  } finally {
    await place.handle.close();
  }
}

/** A rename would get past the write protection of the file itself. */
async function checkWritable(workspace: Workspace, place: OpenedPlace, { mode }: Stats): Promise<void> {
  if ((mode & ANY_WRITE_BIT) === 0) {
    const shown = quoteValue(shownPath(workspace, place.path));
    throw rejected(`${shown} is write-protected (mode ${(mode & PERMISSION_BITS).toString(8)}).`);
  }
  await access(place.at(place.name), constants.W_OK);
}

async function writeNew(path: string, { bytes, before }: Replacement): Promise<void> {
  // Nobody else may read what replaces a private file, not even for a moment.
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, before === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (before !== undefined) await keepOwnerAndMode(handle, before);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(handle: FileHandle, before: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only root may give files away; without it the file belongs to whoever writes it.
  if (uid !== before.uid || gid !== before.gid) await handle.chown(before.uid, before.gid).catch(() => {});
  await handle.chmod(before.mode & PERMISSION_BITS);
}

async function checkUnchanged(target: string, shown: string, before: Stats | undefined): Promise<void> {
  const now = await lstat(target).catch(() => undefined);
  const isSame =
    now?.ino === before?.ino &&
    now?.size === before?.size &&
    now?.mtimeMs === before?.mtimeMs &&
    now?.dev === before?.dev;
  if (isSame) return;
  throw rejected(`${quoteValue(shown)} was changed by somebody else meanwhile; nothing was written. Read it again.`);
}
