/**
 * Reads a folder below a verified descriptor, so that a name exchanged for a link shows nothing else.
 *
 * Wing (adapters). Node only.
 */
import type { Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { PermissionError } from "../../../../errors/index.ts";
import { quoteValue } from "../../../../util/text.ts";
import type { Workspace } from "../workspace.ts";

export type EntryType = "file" | "folder" | "link" | "other";

export interface FolderEntry {
  readonly name: string;
  readonly type: EntryType;
}

export interface OpenFolder {
  /** The real path. */
  readonly path: string;
  /** Its entries, sorted by name; more than `most` are left out. */
  entries(most: number): Promise<readonly FolderEntry[]>;
  /** The path of a name in this very folder. */
  at(name: string): string;
}

/**
 * @throws PermissionError for what is not allowed, and the system's own error (ENOTDIR for a file).
 */
export async function withFolder<T>(
  workspace: Workspace,
  path: string,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const opened = await workspace.confinement.open({ op: "list", path });
  try {
    // Where descriptors have no path, the identity is compared after the work instead.
    const base = process.platform === "linux" ? `/proc/self/fd/${opened.handle.fd}` : opened.path;
    const at = (name: string) => join(base, name);
    const result = await work({ path: opened.path, at, entries: (most) => readEntries(base, most) });
    if (base === opened.path) await checkIdentity(opened.path, await opened.handle.stat());
    return result;
  } finally {
    await opened.handle.close();
  }
}

async function readEntries(base: string, most: number): Promise<readonly FolderEntry[]> {
  const entries: FolderEntry[] = [];
  for await (const entry of await opendir(base, { bufferSize: 256 })) {
    entries.push({ name: entry.name, type: typeOf(entry) });
    if (entries.length >= most) break;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function typeOf(entry: Dirent): EntryType {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

async function checkIdentity(path: string, { dev, ino }: { readonly dev: number; readonly ino: number }) {
  const now = await lstat(path);
  if (now.dev === dev && now.ino === ino) return;
  const message = `The path ${quoteValue(path)} is not allowed: it was exchanged while it was read.`;
  throw new PermissionError(message, { code: "PERMISSION_DENIED" });
}
