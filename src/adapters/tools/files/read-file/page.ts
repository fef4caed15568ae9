/**
 * Picks the lines of one page out of a file.
 *
 * Wing (adapters). Node only.
 */
import { formatCount } from "../../../../util/text.ts";
import type { ReadableFile } from "../access/open-file.ts";
import type { TextFormat } from "../text/encoding.ts";
import type { Line } from "../text/lines.ts";
import type { LineBatch } from "../text/read-lines.ts";
import { SCAN_BYTES, textOf } from "./text-of.ts";

/** Most lines of one page. */
export const MAX_LINES = 2_000;

export interface PageRequest {
  /** The first line, from 1. */
  readonly start: number;
  /** The last line, as it was asked for. */
  readonly end: number;
  /** The first character of each line, from 1. */
  readonly startColumn: number;
  readonly outputChars: number;
}

export interface Page {
  /** The lines as they are shown. */
  readonly shown: readonly string[];
  /** The lines of the file; `undefined` when they were not counted. */
  readonly total: number | undefined;
  readonly format: TextFormat;
  /** The line in which bytes were met that are no characters. */
  readonly damagedLine: number | undefined;
  readonly lineEnds: "LF" | "CRLF" | "CRLF and LF mixed";
  /** Whether the last line of the file is known to have no line end. */
  readonly isUnended: boolean;
}

/** Room for the notes below the lines. */
const NOTES_CHARS = 700;
/** A longer line is cut, unless it is the only one that was asked for. */
const MAX_LINE_CHARS = 2_000;
/** Room for the number of a line and the note that it goes on. */
const MARKER_CHARS = 160;
/** Files up to this size are read to their end, to tell how many lines there are. */
const COUNTED_BYTES = 16 * 1024 * 1024;

/** Reads as many of the lines as fit. */
export async function readPage(file: ReadableFile, request: PageRequest, signal: AbortSignal): Promise<Page> {
  const room = request.outputChars - NOTES_CHARS;
  const most = Math.min(room - MARKER_CHARS, request.start === request.end ? room : MAX_LINE_CHARS);
  const { format, batches } = await textOf(file, { from: request.startColumn - 1, most }, signal);
  const draft = new PageDraft(request, room);
  const isCounted = file.stats.size <= COUNTED_BYTES;
  for await (const batch of batches) {
    draft.add(batch);
    if (draft.isFull && !isCounted) return draft.page(format, false);
  }
  return draft.page(format, draft.bytesRead < SCAN_BYTES);
}

class PageDraft {
  isFull = false;
  bytesRead = 0;
  #shown: string[] = [];
  #chars = 0;
  #last: Line | undefined;
  #crlfLines = 0;
  #lfLines = 0;
  #damagedLine: number | undefined;

  constructor(
    private readonly request: PageRequest,
    private readonly room: number,
  ) {}

  add({ lines, isDamaged, bytesRead }: LineBatch): void {
    this.bytesRead = bytesRead;
    for (const line of lines) this.#addLine(line);
    if (!isDamaged || this.#damagedLine !== undefined) return;
    this.#damagedLine = lines.find((line) => line.text.includes("\ufffd"))?.number ?? this.#last?.number ?? 1;
  }

  page(format: TextFormat, isWhole: boolean): Page {
    return {
      shown: this.#shown,
      total: isWhole ? (this.#last?.number ?? 0) : undefined,
      format,
      damagedLine: this.#damagedLine,
      lineEnds: this.#crlfLines === 0 ? "LF" : this.#lfLines === 0 ? "CRLF" : "CRLF and LF mixed",
      isUnended: isWhole && this.#last?.end === "",
    };
  }

  #addLine(line: Line): void {
    this.#last = line;
    if (line.end === "\r\n") this.#crlfLines++;
    if (line.end === "\n") this.#lfLines++;
    if (this.isFull || line.number < this.request.start) return;
    const { start, end } = this.request;
    const text = shownLine(line, this.request.startColumn);
    this.#chars += text.length + 1;
    const hasRoom = this.#chars <= this.room;
    if (hasRoom) this.#shown.push(text);
    this.isFull = !hasRoom || line.number >= end || line.number >= start + MAX_LINES - 1;
  }
}

function shownLine({ number, text, length }: Line, startColumn: number): string {
  // Never half a character: the other half starts the next piece.
  const whole = /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
  const seen = Math.min(length, startColumn - 1 + whole.length);
  if (seen >= length) return `${number}\t${whole}`;
  const where = `startLine: ${number}, endLine: ${number}, startColumn: ${seen + 1}`;
  return `${number}\t${whole} [… ${formatCount(length - seen)} more characters; read on with ${where}]`;
}
