/**
 * Shows what an edit changed, as a unified diff that fits.
 *
 * Wing (adapters). The differences are found by the package `diff`, which is bundled.
 */
import { structuredPatch } from "diff";
import { clipEnd, formatCount } from "../../../../util/text.ts";
import { toLf } from "./line-ends.ts";

const CONTEXT_LINES = 3;
/** Of more different lines, or after this time, only the counts are told. */
const MAX_DIFFERENT_LINES = 5_000;
const TIMEOUT_MS = 1_000;
const MAX_LINE_CHARS = 500;
const NOTE_CHARS = 100;

export interface Change {
  /** The line above the diff. */
  readonly heading: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Line ends are compared as one kind: an edit keeps them anyway. */
export function unifiedDiff({ heading, file, before, after }: Change, maxChars: number): string {
  const limits = { context: CONTEXT_LINES, maxEditLength: MAX_DIFFERENT_LINES, timeout: TIMEOUT_MS };
  const patch = structuredPatch(file, file, toLf(before), toLf(after), undefined, undefined, limits);
  if (patch === undefined) return `${heading}\n[the difference is too large to be shown; read the file]`;
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  return fitDiff([heading, `--- ${file}`, `+++ ${file}`], lines, maxChars - NOTE_CHARS);
}

function fitDiff(head: readonly string[], lines: readonly string[], maxChars: number): string {
  const shown = [...head];
  let chars = head.join("\n").length;
  for (const line of lines) {
    const clipped = clipEnd(line, MAX_LINE_CHARS);
    chars += clipped.length + 1;
    if (chars > maxChars) break;
    shown.push(clipped);
  }
  const left = lines.length - (shown.length - head.length);
  if (left > 0) shown.push(`[${formatCount(left)} more lines of the diff are not shown; read the file]`);
  return shown.join("\n");
}
