/**
 * The one folder that a set of file tools works in.
 *
 * Wing (adapters). Node only. Every access goes through its confinement.
 */
import { relative, sep } from "node:path";
import { createConfinement } from "../../../process/confine.ts";
import type { Confinement } from "../../../process/confine-types.ts";
import { type ResolvedWorkspaceOptions, resolveWorkspaceOptions, type WorkspaceOptions } from "./options.ts";

export interface Workspace {
  /** The real path of the folder. */
  readonly root: string;
  readonly confinement: Confinement;
  readonly options: ResolvedWorkspaceOptions;
}

/** @throws TypeError when the root is no path, or an option is not valid. */
export function createWorkspace(root: string, options: WorkspaceOptions): Workspace {
  const { protectedNames, readOnlyNames } = options;
  const confinement = createConfinement({ roots: [root], protectedNames, readOnlyNames });
  return { root: confinement.roots[0] ?? root, confinement, options: resolveWorkspaceOptions(options) };
}

/** A real path as the model sees and gives it: from the root on, parted by "/"; the root itself is ".". */
export function shownPath(workspace: Workspace, path: string): string {
  const way = relative(workspace.root, path);
  if (way === "") return ".";
  return sep === "/" ? way : way.split(sep).join("/");
}
