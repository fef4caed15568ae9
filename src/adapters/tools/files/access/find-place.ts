/**
 * Finds out what a path is where a file or a folder may be given.
 *
 * Wing (adapters). Node only.
 */
import { quoteValue } from "../../../../util/text.ts";
import { rejected } from "../refusal.ts";
import { shownPath, type Workspace } from "../workspace.ts";
import { explainMissing } from "./missing.ts";

export interface Place {
  readonly type: "file" | "folder";
  /** From the root on, parted by "/"; "." for the root. */
  readonly shown: string;
  /** The real path. */
  readonly path: string;
}

/** @throws PermissionError for what is not allowed; ToolError `TOOL_REJECTED` for what is missing. */
export async function findPlace(workspace: Workspace, asked: string | undefined): Promise<Place> {
  const path = asked === undefined || asked === "" ? "." : asked;
  const opened = await workspace.confinement.open({ op: "list", path }).catch(async (error: unknown) => {
    throw await explainMissing(workspace, path, error);
  });
  try {
    const isFolder = (await opened.handle.stat()).isDirectory();
    return { type: isFolder ? "folder" : "file", shown: shownPath(workspace, opened.path), path: opened.path };
  } finally {
    await opened.handle.close();
  }
}

/** As {@link findPlace}, and refuses a file. */
export async function findFolder(workspace: Workspace, asked: string | undefined): Promise<Place> {
  const place = await findPlace(workspace, asked);
  if (place.type === "folder") return place;
  throw rejected(`${quoteValue(place.shown)} is a file, not a folder. Read it with readFile.`);
}
