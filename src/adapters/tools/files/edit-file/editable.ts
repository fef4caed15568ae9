/**
 * Reads a file so that it can be written back with nothing changed but what is edited.
 *
 * Wing (adapters). Node only.
 */
import type { Buffer } from "node:buffer";
import { formatCount, quoteValue } from "../../../../util/text.ts";
import type { ReadableFile } from "../access/open-file.ts";
import { readWhole } from "../access/read-bytes.ts";
import { rejected } from "../refusal.ts";
import { decodeWhole, detectFormat, encodeWhole } from "../text/encoding.ts";
import { binaryKind } from "../text/file-kind.ts";

export interface EditableText {
  /** Without its byte order mark. */
  readonly text: string;
  /** The bytes of another text in the encoding of this file. */
  encode(text: string): Buffer;
}

/** @throws ToolError `TOOL_REJECTED` for what is binary, too large, or not in an encoding that is known. */
export async function readEditable(file: ReadableFile, signal: AbortSignal, maxBytes: number): Promise<EditableText> {
  const shown = quoteValue(file.shown);
  const bytes = await readWhole(file.handle, signal, maxBytes);
  if (bytes === undefined) {
    const size = formatCount(file.stats.size);
    throw rejected(`${shown} has ${size} bytes; editFile edits files up to ${formatCount(maxBytes)} bytes.`);
  }
  const format = detectFormat(bytes);
  if (format === undefined) throw rejected(`${shown} is ${binaryKind(bytes)}, not text; it cannot be edited.`);
  const text = decodeWhole(bytes, format);
  if (text !== undefined) return { text, encode: (changed) => encodeWhole(changed, format) };
  throw rejected(
    `${shown} is not valid ${format.encoding.toUpperCase()}; an edit would damage the bytes that are no characters. Change its encoding first.`,
  );
}
