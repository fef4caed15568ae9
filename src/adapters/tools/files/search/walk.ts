/**
 * Walks through the folders of a workspace, each opened and verified by itself.
 *
 * Wing (adapters). Node only. Links are told but not followed; protected names are passed over.
 */
import { type EntryType, withFolder } from "../access/read-folder.ts";
import { isUnreadable } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";
import { type Budget, MAX_ENTRIES } from "./budget.ts";
import { type IgnoreLevel, isIgnored, levelsAbove, levelsInside, readIgnoreFile } from "./ignore-rules.ts";

export interface WalkRequest {
  /** Where it starts, from the root on; "." for the root. */
  readonly folder: string;
  /** Go also where .gitignore files say no. */
  readonly includeIgnored: boolean;
  readonly budget: Budget;
}

/** An entry on the way. */
export interface Found {
  /** From the root of the workspace on, parted by "/". */
  readonly path: string;
  readonly type: EntryType;
}

/** Deeper folders are not looked into. */
const MAX_DEPTH = 100;

/** All entries below a folder but folders themselves, in the order of their names, folder by folder. */
export async function* walk(workspace: Workspace, request: WalkRequest): AsyncGenerator<Found> {
  yield* walkFolder(
    workspace,
    request,
    request.folder,
    request.includeIgnored ? [] : await levelsAbove(workspace, request.folder),
    0,
  );
}

async function* walkFolder(
  workspace: Workspace,
  request: WalkRequest,
  folder: string,
  above: readonly IgnoreLevel[],
  depth: number,
): AsyncGenerator<Found> {
  const { budget, includeIgnored } = request;
  if (!budget.mayGoOn()) return;
  const entries = await readFolder(workspace, folder, budget);
  const hasRules = !includeIgnored && entries.some((entry) => entry.name === ".gitignore");
  const own = hasRules ? await readIgnoreFile(workspace, folder) : undefined;
  const levels = own === undefined ? above : [...above, own];
  const base = folder === "." ? "" : `${folder}/`;
  for (const { name, type } of entries) {
    if (!budget.mayGoOn()) return;
    budget.countEntry();
    if (workspace.confinement.isProtected(name)) continue;
    const path = base + name;
    if (isIgnored(levels, type === "folder" ? `${path}/` : path)) continue;
    if (type !== "folder") yield { path, type };
    else if (depth < MAX_DEPTH) yield* walkFolder(workspace, request, path, levelsInside(levels, path), depth + 1);
  }
}

async function readFolder(workspace: Workspace, folder: string, budget: Budget) {
  try {
    return await withFolder(workspace, folder, (opened) => opened.entries(MAX_ENTRIES));
  } catch (error) {
    // Gone, exchanged or not permitted since it was seen: the rest is still worth finding.
    if (!isUnreadable(error)) throw error;
    budget.countUnreadable();
    return [];
  }
}
