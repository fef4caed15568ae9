/**
 * Lists one folder and, as deep as was asked for, those in it.
 *
 * Wing (adapters). Node only.
 */
import { lstat, readlink } from "node:fs/promises";
import { clipEnd, formatCount } from "../../../../util/text.ts";
import { type FolderEntry, type OpenFolder, withFolder } from "../access/read-folder.ts";
import { isUnreadable } from "../refusal.ts";
import { type Budget, MAX_ENTRIES } from "../search/budget.ts";
import { type IgnoreLevel, isIgnored, levelsInside, readIgnoreFile } from "../search/ignore-rules.ts";
import type { Pager } from "../search/pager.ts";
import { shownName } from "../search/shown-name.ts";
import type { Workspace } from "../workspace.ts";

export interface Listing {
  readonly budget: Budget;
  readonly pager: Pager;
  /** How many levels are still to be shown. */
  readonly depth: number;
}

/** `false`: the page is full, or the search is over. */
export async function listFolder(
  workspace: Workspace,
  listing: Listing,
  folder: string,
  above: readonly IgnoreLevel[],
): Promise<boolean> {
  const own = await readIgnoreFile(workspace, folder);
  const levels = own === undefined ? above : [...above, own];
  return withFolder(workspace, folder, async (opened) => {
    for (const entry of await opened.entries(MAX_ENTRIES)) {
      const item = itemOf(workspace, folder, entry, levels);
      if (!listing.budget.mayGoOn() || !(await showItem(listing, opened, item))) return false;
      if (item.isOpen && listing.depth > 1 && !(await descend(workspace, listing, item.path, levels))) return false;
    }
    return true;
  });
}

interface Item {
  readonly entry: FolderEntry;
  readonly path: string;
  readonly mark: string;
  /** Whether it is a folder to look into. */
  readonly isOpen: boolean;
}

function itemOf(workspace: Workspace, folder: string, entry: FolderEntry, levels: readonly IgnoreLevel[]): Item {
  const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
  const isFolder = entry.type === "folder";
  const isProtected = workspace.confinement.isProtected(entry.name);
  const isOut = isIgnored(levels, isFolder ? `${path}/` : path);
  const mark = isProtected ? " (protected)" : isOut ? " (ignored)" : "";
  return { entry, path, mark, isOpen: isFolder && mark === "" };
}

async function showItem({ budget, pager }: Listing, folder: OpenFolder, item: Item): Promise<boolean> {
  budget.countEntry();
  const next = pager.next();
  if (next !== "show") return next === "skip";
  return pager.show(shownName(item.path) + (await details(folder, item.entry)) + item.mark);
}

const TARGET_CHARS = 300;

async function details(folder: OpenFolder, { name, type }: FolderEntry): Promise<string> {
  try {
    if (type === "folder") return "/";
    if (type === "link") return ` -> ${clipEnd(shownName(await readlink(folder.at(name))), TARGET_CHARS)}`;
    if (type === "other") return " (no regular file)";
    return ` (${formatCount((await lstat(folder.at(name))).size)} bytes)`;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return " (gone)";
  }
}

async function descend(
  workspace: Workspace,
  listing: Listing,
  path: string,
  levels: readonly IgnoreLevel[],
): Promise<boolean> {
  const deeper = { ...listing, depth: listing.depth - 1 };
  try {
    return await listFolder(workspace, deeper, path, levelsInside(levels, path));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    listing.budget.countUnreadable();
    return true;
  }
}
