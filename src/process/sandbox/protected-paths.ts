/**
 * Finds what is protected by its name inside a workspace.
 *
 * Floor 2 (process). Anew for every command: the one before may have made something.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../errors/index.ts";
import { errnoOf } from "../classify.ts";
import type { NameList } from "../confine-names.ts";
import { isInside } from "../confine-resolve.ts";
import { sandboxFailure } from "./failure.ts";

/** Something inside the workspace that a command may not change. */
export interface ProtectedPath {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly access: "hidden" | "readOnly";
}

/** What is looked for. */
export interface ProtectedScan {
  readonly workspace: string;
  readonly isHidden: NameList;
  readonly isReadOnly: NameList;
  /** Levels below the workspace. */
  readonly depth: number;
}

/** More would not fit on a command line. */
const MAX_PATHS = 1_000;

/** Packages bring their own; what they hold came from somewhere else anyway. */
const SKIPPED = "node_modules";

/** @throws ToolError with TOOL_SANDBOX_FAILED when a directory cannot be read, or there is too much to protect. */
export function findProtected(scan: ProtectedScan): ProtectedPath[] {
  const found = new Map<string, ProtectedPath>();
  walk(scan, scan.workspace, scan.depth, found);
  return [...found.values()];
}

function walk(scan: ProtectedScan, folder: string, depth: number, found: Map<string, ProtectedPath>): void {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const access = accessOf(scan, entry.name);
    if (access !== undefined) add(scan, path, access, found);
    else if (entry.isDirectory() && entry.name !== SKIPPED && depth > 1) walk(scan, path, depth - 1, found);
  }
}

function accessOf({ isHidden, isReadOnly }: ProtectedScan, name: string): ProtectedPath["access"] | undefined {
  if (isHidden(name)) return "hidden";
  return isReadOnly(name) ? "readOnly" : undefined;
}

function add(scan: ProtectedScan, path: string, access: ProtectedPath["access"], found: Map<string, ProtectedPath>) {
  const real = realPath(path);
  // A link cannot be covered by a mount, but what it leads to can; what lies outside is not there at all.
  if (real === undefined || real === scan.workspace || !isInside(scan.workspace, real)) return;
  const stats = lstatSync(real, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const known = found.get(real)?.access;
  found.set(real, {
    path: real,
    type: stats.isDirectory() ? "directory" : "file",
    access: known === "hidden" ? known : access,
  });
  if (found.size > MAX_PATHS) {
    throw sandboxFailure(
      `More than ${MAX_PATHS} files in ${scan.workspace} have protected names, the last one ${path}. Give narrower protectedNames, or a smaller scanDepth.`,
    );
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Gone since its parent was read.
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw sandboxFailure(
      `Nobody can tell what is protected in ${folder}, which cannot be read: ${errorMessage(error)}`,
      error,
    );
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
