/**
 * Opens a file of the workspace to read it, and refuses what is none in words that help.
 *
 * Wing (adapters). Node only.
 */
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { quoteValue } from "../../../../util/text.ts";
import { rejected } from "../refusal.ts";
import { shownPath, type Workspace } from "../workspace.ts";
import { explainMissing } from "./missing.ts";

export interface ReadableFile {
  readonly handle: FileHandle;
  /** The real path. */
  readonly path: string;
  /** The path as it is shown to the model. */
  readonly shown: string;
  readonly stats: Stats;
}

/**
 * Gives an open file to `work` and closes it afterwards.
 *
 * @throws PermissionError for what is not allowed; ToolError `TOOL_REJECTED` for a folder and for what is missing.
 */
export async function withFile<T>(
  workspace: Workspace,
  path: string,
  work: (file: ReadableFile) => Promise<T>,
): Promise<T> {
  const opened = await workspace.confinement.open({ op: "read", path }).catch(async (error: unknown) => {
    throw await explainMissing(workspace, path, error);
  });
  try {
    const stats = await opened.handle.stat();
    const shown = shownPath(workspace, opened.path);
    if (stats.isDirectory()) throw rejected(`${quoteValue(shown)} is a folder. See what is in it with listFiles.`);
    return await work({ ...opened, shown, stats });
  } finally {
    await opened.handle.close();
  }
}
