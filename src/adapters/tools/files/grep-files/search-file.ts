/**
 * Searches one file.
 *
 * Wing (adapters). Node only.
 */
import { openText } from "../text/read-lines.ts";
import type { Workspace } from "../workspace.ts";
import { createHitCollector, type Hit } from "./hits.ts";
import type { Matcher } from "./matcher.ts";

/** Of a longer line only the start is searched. */
export const SEARCHED_CHARS = 1_000_000;

export interface FileSearch {
  readonly matcher: Matcher;
  readonly context: number;
  /** Most hits that are wanted. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/**
 * The first hits in a file; none in a binary one.
 *
 * @throws PermissionError, or the system's own error, when it cannot be read; ToolError when the pattern takes too long.
 */
export async function searchFile(workspace: Workspace, path: string, search: FileSearch): Promise<readonly Hit[]> {
  const { matcher, context, most, signal } = search;
  const { handle } = await workspace.confinement.open({ op: "read", path });
  try {
    const opened = await openText(handle, { window: { from: 0, most: SEARCHED_CHARS }, signal });
    if (opened.type === "binary") return [];
    const collector = createHitCollector(matcher, context);
    const hits: Hit[] = [];
    for await (const { lines } of opened.batches) {
      hits.push(...collector.push(lines));
      if (hits.length >= most) return hits;
    }
    hits.push(...collector.end());
    return hits;
  } finally {
    await handle.close();
  }
}
