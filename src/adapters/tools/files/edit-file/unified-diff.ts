/**
 * Shows what an edit changed, as a unified diff that fits.
 *
 * Wing (adapters). Only the lines around each change are compared, by the package `diff`, which is
 * bundled: so the time depends on what was changed, not on the size of the file.
 */
import { structuredPatch } from "diff";
import { clipEnd } from "../../../../util/text.ts";
import type { TextChange } from "./apply-edits.ts";
import { createLineIndex, type LineIndex } from "./line-number.ts";

const CONTEXT_LINES = 3;
/** With more different lines in one place, all of them are shown as taken out and put in. */
const MAX_DIFFERENT_LINES = 200;
const MAX_LINE_CHARS = 500;
const CUT_NOTE = "[more of the diff is not shown; read the file]";

export interface Change {
  /** The line above the diff. */
  readonly heading: string;
  readonly file: string;
  /** The text as it was, with "\n" for every line end: an edit keeps them anyway. */
  readonly before: string;
  /** In their order. */
  readonly changes: readonly TextChange[];
}

export function unifiedDiff({ heading, file, before, changes }: Change, maxChars: number): string {
  const shown = [heading, `--- ${file}`, `+++ ${file}`];
  let room = maxChars - shown.join("\n").length - CUT_NOTE.length - 2;
  for (const line of diffLines(before, changes)) {
    const clipped = clipEnd(line, MAX_LINE_CHARS);
    room -= clipped.length + 1;
    if (room < 0) return [...shown, CUT_NOTE].join("\n");
    shown.push(clipped);
  }
  return shown.join("\n");
}

/** Only as far as somebody reads. */
function* diffLines(before: string, changes: readonly TextChange[]): Generator<string> {
  const lines = createLineIndex(before);
  let added = 0;
  for (const window of windowsOf(lines, changes)) {
    for (const hunk of hunksOf(before, window)) {
      const oldStart = hunk.oldStart + window.firstLine;
      yield `@@ -${oldStart},${hunk.oldLines} +${oldStart + added},${hunk.newLines} @@`;
      yield* hunk.lines;
      added += hunk.newLines - hunk.oldLines;
    }
  }
}

interface DiffWindow {
  readonly start: number;
  readonly end: number;
  /** Counted from 0. */
  readonly firstLine: number;
  readonly changes: readonly TextChange[];
}

/** The changes with the whole lines around them; windows that touch are one. */
function* windowsOf(lines: LineIndex, changes: readonly TextChange[]): Generator<DiffWindow> {
  let window: { firstLine: number; lastLine: number; changes: TextChange[] } | undefined;
  const done = ({ firstLine, lastLine, changes: own }: NonNullable<typeof window>): DiffWindow => {
    return { firstLine, start: lines.startOf(firstLine), end: lines.startOf(lastLine + 1), changes: own };
  };
  for (const change of changes) {
    const firstLine = Math.max(0, lines.lineOf(change.start) - CONTEXT_LINES);
    const lastLine = lines.lineOf(change.end) + CONTEXT_LINES;
    if (window !== undefined && firstLine <= window.lastLine + 1) {
      window.lastLine = lastLine;
      window.changes.push(change);
      continue;
    }
    if (window !== undefined) yield done(window);
    window = { firstLine, lastLine, changes: [change] };
  }
  if (window !== undefined) yield done(window);
}

type Hunk = ReturnType<typeof structuredPatch>["hunks"][number];

function hunksOf(before: string, window: DiffWindow): readonly Hunk[] {
  const old = before.slice(window.start, window.end);
  const changed = changedText(before, window);
  const limits = { context: CONTEXT_LINES, maxEditLength: MAX_DIFFERENT_LINES };
  const patch = structuredPatch("", "", old, changed, undefined, undefined, limits);
  return patch?.hunks ?? [wholeHunk(old, changed)];
}

function changedText(before: string, { start, end, changes }: DiffWindow): string {
  let text = "";
  let done = start;
  for (const change of changes) {
    text += before.slice(done, change.start) + change.text;
    done = change.end;
  }
  return text + before.slice(done, end);
}

function wholeHunk(old: string, changed: string): Hunk {
  const lines = [...marked("-", old), ...marked("+", changed)];
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return { oldStart: 1, newStart: 1, oldLines: count("-"), newLines: count("+"), lines };
}

function marked(mark: string, text: string): string[] {
  if (text === "") return [];
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => mark + line);
  return text.endsWith("\n") ? lines : [...lines, "\\ No newline at end of file"];
}
