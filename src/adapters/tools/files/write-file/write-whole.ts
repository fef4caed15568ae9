/**
 * Writes one file and tells what became of what was there.
 *
 * Wing (adapters). Node only.
 */
import type { Buffer } from "node:buffer";
import type { Stats } from "node:fs";
import { formatCount, quoteValue } from "../../../../util/text.ts";
import { makeFolders } from "../access/make-folders.ts";
import { readWhole } from "../access/read-bytes.ts";
import { replaceFile } from "../access/replace-file.ts";
import { rejected, systemCode } from "../refusal.ts";
import { shownPath, type Workspace } from "../workspace.ts";

interface NewContent {
  /** The real path. */
  readonly path: string;
  readonly content: string;
  readonly bytes: Buffer;
}

export async function writeWhole(
  workspace: Workspace,
  { path, content, bytes }: NewContent,
  signal: AbortSignal,
): Promise<string> {
  const shown = quoteValue(shownPath(workspace, path));
  const folders = await makeFolders(workspace, path);
  const before = await readEarlier(workspace, path, signal);
  const now = sizeOf(content, bytes.length);
  if (before?.bytes?.equals(bytes) === true)
    return `${shown} holds exactly this already (${now}); nothing was written.`;
  await replaceFile(workspace, { path, bytes, before: before?.stats, onlyIfUnchanged: false, signal });
  if (before !== undefined) return `Overwrote ${shown}: ${now}; before ${earlierSize(before)}.`;
  const created = folders.map((folder) => quoteValue(shownPath(workspace, folder)));
  return `Created ${shown}: ${now}.${created.length > 0 ? ` New folders: ${created.join(", ")}.` : ""}`;
}

interface Earlier {
  readonly stats: Stats;
  /** `undefined`: more than is worth counting. */
  readonly bytes: Buffer | undefined;
}

/** What stands at the path now; `undefined` for nothing. */
async function readEarlier(workspace: Workspace, path: string, signal: AbortSignal): Promise<Earlier | undefined> {
  const opened = await workspace.confinement.open({ op: "read", path }).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (opened === undefined) return undefined;
  try {
    const stats = await opened.handle.stat();
    if (stats.isDirectory()) {
      throw rejected(`${quoteValue(shownPath(workspace, path))} is a folder. Give the name of a file.`);
    }
    return { stats, bytes: await readWhole(opened.handle, signal, workspace.options.maxFileBytes) };
  } finally {
    await opened.handle.close();
  }
}

function earlierSize({ stats, bytes }: Earlier): string {
  return bytes === undefined ? `${formatCount(stats.size)} bytes` : sizeOf(bytes.toString("latin1"), bytes.length);
}

function sizeOf(text: string, bytes: number): string {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return `${formatCount(lines)} ${lines === 1 ? "line" : "lines"}, ${formatCount(bytes)} bytes`;
}
