/**
 * Reads an open text file line by line, in batches.
 *
 * Wing (adapters). Node only. Holds one piece of the file at a time, whatever its size.
 */
import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { readChunks } from "../access/read-bytes.ts";
import { createDecoder } from "./decoder.ts";
import { detectFormat, type TextFormat } from "./encoding.ts";
import { createLineSplitter, type Line, type LineWindow } from "./lines.ts";

export interface LineRequest {
  readonly window: LineWindow;
  readonly signal: AbortSignal;
  /** Read no more than about this. @defaultValue all */
  readonly maxBytes?: number | undefined;
}

/** The lines that ended in one piece of the file. */
export interface LineBatch {
  readonly lines: readonly Line[];
  /** Whether bytes that are no characters have been met so far. */
  readonly isDamaged: boolean;
  /** How much of the unfinished line has been read. */
  readonly pendingChars: number;
  /** How far the file has been read. */
  readonly bytesRead: number;
}

/** A text, or the start of what is none. */
export type OpenedText =
  | { readonly type: "text"; readonly format: TextFormat; readonly batches: AsyncGenerator<LineBatch> }
  | { readonly type: "binary"; readonly head: Buffer };

/** Looks at the start of a file and, if it is a text, gives its lines. */
export async function openText(handle: FileHandle, request: LineRequest): Promise<OpenedText> {
  const chunks = readChunks(handle, request.signal, request.maxBytes);
  const first = await chunks.next();
  const head: Buffer = first.done === true ? Buffer.alloc(0) : first.value;
  const format = detectFormat(head);
  if (format === undefined) return { type: "binary", head };
  return { type: "text", format, batches: batches(head, chunks, format, request.window) };
}

async function* batches(
  head: Buffer,
  chunks: AsyncGenerator<Buffer>,
  format: TextFormat,
  window: LineWindow,
): AsyncGenerator<LineBatch> {
  const decoder = createDecoder(format);
  const splitter = createLineSplitter(window);
  let bytesRead = 0;
  const batch = (lines: readonly Line[]): LineBatch => {
    return { lines, isDamaged: decoder.isDamaged, pendingChars: splitter.pendingChars, bytesRead };
  };
  for (let chunk = head; chunk.length > 0; chunk = await nextOf(chunks)) {
    bytesRead += chunk.length;
    yield batch(splitter.push(decoder.decode(chunk)));
  }
  yield batch([...splitter.push(decoder.end()), ...splitter.end()]);
}

async function nextOf(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const next = await chunks.next();
  return next.done === true ? Buffer.alloc(0) : next.value;
}
