/**
 * What the model reads of a page: its lines, and notes on what is not there.
 *
 * Wing (adapters).
 */
import { formatCount, quoteValue } from "../../../../util/text.ts";
import type { ReadableFile } from "../access/open-file.ts";
import { rejected } from "../refusal.ts";
import { formatName } from "../text/encoding.ts";
import type { Page, PageRequest } from "./page.ts";
import { SCAN_BYTES } from "./text-of.ts";

/** @throws ToolError `TOOL_REJECTED` when the page starts behind the end of the file. */
export function pageText(file: ReadableFile, request: PageRequest, page: Page): string {
  if (page.shown.length === 0 && request.start > 1) throw beyond(file, request, page);
  if (page.total === 0) return "[the file is empty]";
  const notes = [place(file, request, page), ...peculiarities(page)].filter((note) => note !== undefined);
  return [...page.shown, ...notes.map((note) => `[${note}]`)].join("\n");
}

function beyond({ shown }: ReadableFile, { start }: PageRequest, { total }: Page): Error {
  const name = quoteValue(shown);
  if (total !== undefined) {
    const lines = total === 1 ? "1 line" : `${formatCount(total)} lines`;
    return rejected(`${name} has ${lines}; startLine ${start} lies behind the last one.`);
  }
  return rejected(
    `Line ${start} of ${name} lies behind the first ${formatCount(SCAN_BYTES)} bytes, which is as far as readFile looks. Find the place with grepFiles.`,
  );
}

/** Where the page lies in the file, unless it is all of it. */
function place({ stats }: ReadableFile, { start, end }: PageRequest, { shown, total }: Page): string | undefined {
  const last = start + shown.length - 1;
  if (total !== undefined && start === 1 && last >= total) return undefined;
  const whole = total === undefined ? `a file of ${formatCount(stats.size)} bytes` : formatCount(total);
  const isMore = total === undefined || last < total;
  // What was asked for is there: that there is more is no reason to go on.
  const next = isMore && last < end ? `; read on with startLine: ${last + 1}` : "";
  return `lines ${formatCount(start)}-${formatCount(last)} of ${whole}${next}`;
}

function peculiarities({ format, lineEnds, damagedLine, isUnended }: Page): (string | undefined)[] {
  return [
    formatName(format),
    lineEnds === "LF" ? undefined : `line ends: ${lineEnds}`,
    damagedLine === undefined
      ? undefined
      : `not all of it is ${format.encoding.toUpperCase()}: bytes that are no characters are shown as \ufffd, near line ${formatCount(damagedLine)}`,
    isUnended ? "no line end after the last line" : undefined,
  ];
}
