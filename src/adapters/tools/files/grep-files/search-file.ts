/**
 * Searches one file.
 *
 * Wing (adapters). Node only.
 */
import { isUnreadable } from "../refusal.ts";
import type { Budget } from "../search/budget.ts";
import { openText } from "../text/read-lines.ts";
import type { Workspace } from "../workspace.ts";
import { createHitCollector, type Hit } from "./hits.ts";
import type { Matcher } from "./matcher.ts";

/** Of a longer line only the start is searched. */
export const SEARCHED_CHARS = 1_000_000;

export interface FileSearch {
  readonly matcher: Matcher;
  readonly context: number;
  readonly budget: Budget;
}

/**
 * The hits in a file, piece by piece; none in a binary one.
 *
 * @throws PermissionError, or the system's own error, when it cannot be read; ToolError when the pattern takes too long.
 */
export async function* searchFile(
  workspace: Workspace,
  path: string,
  { matcher, context, budget }: FileSearch,
): AsyncGenerator<readonly Hit[]> {
  const { handle } = await workspace.confinement.open({ op: "read", path });
  try {
    const opened = await openText(handle, { window: { from: 0, most: SEARCHED_CHARS }, signal: budget.signal });
    if (opened.type === "binary") return;
    const collector = createHitCollector(matcher, context);
    for await (const { lines } of opened.batches) {
      yield collector.push(lines);
      if (!budget.mayGoOn()) break;
    }
    yield collector.end();
  } finally {
    await handle.close();
  }
}

/** As {@link searchFile}; a file that is gone, exchanged or not permitted since it was seen has no hits. */
export async function* searchQuietly(
  workspace: Workspace,
  path: string,
  search: FileSearch,
): AsyncGenerator<readonly Hit[]> {
  try {
    yield* searchFile(workspace, path, search);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}
