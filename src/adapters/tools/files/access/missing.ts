/**
 * Says what is missing on the way to a path, and what was probably meant.
 *
 * Wing (adapters).
 */
import { basename, dirname, join } from "node:path";
import { nearest, quoteValue } from "../../../../util/text.ts";
import { rejected, systemCode } from "../refusal.ts";
import { shownPath, type Workspace } from "../workspace.ts";
import { withFolder } from "./read-folder.ts";

const MAX_NAMES = 5_000;
const SHOWN_NAMES = 10;

/** The refusal for a path that cannot be opened because something on it is missing; other errors as they are. */
export async function explainMissing(workspace: Workspace, path: string, error: unknown): Promise<unknown> {
  const code = systemCode(error);
  if (code !== "ENOENT" && code !== "ENOTDIR") return error;
  const verdict = workspace.confinement.check({ op: "list", path });
  if (verdict.decision === "deny") return error;
  let missing = verdict.path;
  let parent = dirname(missing);
  while (parent !== workspace.root && dirname(parent) !== parent && !exists(workspace, parent)) {
    missing = parent;
    parent = dirname(missing);
  }
  const what = missing === verdict.path ? "file or folder" : "folder";
  const problem = `There is no ${what} ${quoteValue(shownPath(workspace, missing))}.`;
  return rejected(`${problem} ${await hint(workspace, parent, basename(missing))}`, { cause: error });
}

function exists(workspace: Workspace, path: string): boolean {
  const verdict = workspace.confinement.check({ op: "list", path });
  return verdict.decision === "allow" && verdict.exists;
}

async function hint(workspace: Workspace, parent: string, name: string): Promise<string> {
  const shown = quoteValue(shownPath(workspace, parent));
  try {
    const names = await withFolder(workspace, parent, (opened) => opened.entries(MAX_NAMES));
    const visible = names.map((entry) => entry.name).filter((entry) => !workspace.confinement.isProtected(entry));
    const meant = nearest(name, visible);
    if (meant !== undefined) return `Did you mean ${quoteValue(shownPath(workspace, join(parent, meant)))}?`;
    if (visible.length === 0) return `${shown} is empty.`;
    const more = visible.length > SHOWN_NAMES ? ", …" : "";
    return `${shown} holds ${visible.sort().slice(0, SHOWN_NAMES).map(quoteValue).join(", ")}${more}.`;
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return `${shown} is a file, not a folder.`;
    return parent === workspace.root ? `The workspace ${workspace.root} cannot be listed.` : "";
  }
}
