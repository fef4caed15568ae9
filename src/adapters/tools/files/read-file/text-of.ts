/**
 * Opens a file as text for readFile, and refuses what is binary.
 *
 * Wing (adapters). Node only.
 */
import { formatCount, quoteValue } from "../../../../util/text.ts";
import type { ReadableFile } from "../access/open-file.ts";
import { rejected } from "../refusal.ts";
import { binaryKind } from "../text/file-kind.ts";
import type { LineWindow } from "../text/lines.ts";
import { type OpenedText, openText } from "../text/read-lines.ts";

/** How far into a file readFile looks: a line beyond is found faster by other means. */
export const SCAN_BYTES = 256 * 1024 * 1024;

/** @throws ToolError `TOOL_REJECTED` for a binary file. */
export async function textOf(
  { handle, shown, stats }: ReadableFile,
  window: LineWindow,
  signal: AbortSignal,
): Promise<Extract<OpenedText, { type: "text" }>> {
  const opened = await openText(handle, { window, signal, maxBytes: SCAN_BYTES });
  if (opened.type === "text") return opened;
  const what = `${binaryKind(opened.head)} of ${formatCount(stats.size)} bytes`;
  throw rejected(`${quoteValue(shown)} is ${what}, not text; it is not shown.`);
}

/** The number of lines of a file. */
export async function countLines(file: ReadableFile, signal: AbortSignal): Promise<number> {
  const { batches } = await textOf(file, { from: 0, most: 0 }, signal);
  let count = 0;
  let bytesRead = 0;
  for await (const batch of batches) {
    count = batch.lines.at(-1)?.number ?? count;
    bytesRead = batch.bytesRead;
  }
  if (bytesRead < SCAN_BYTES) return count;
  throw rejected(
    `${quoteValue(file.shown)} has more than ${formatCount(SCAN_BYTES)} bytes; its lines are not counted from the end. Give a startLine from 1 up.`,
  );
}
