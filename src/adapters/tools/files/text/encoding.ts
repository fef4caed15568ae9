/**
 * How a text file is stored: UTF-8 or UTF-16, with or without a byte order mark.
 *
 * Wing (adapters). UTF-16 is recognised by its mark only; a NUL anywhere near the start makes anything
 * else binary, as in git and ripgrep.
 */
import { Buffer } from "node:buffer";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

export interface TextFormat {
  readonly encoding: Encoding;
  /** Bytes of the byte order mark; 0 without one. */
  readonly markBytes: number;
}

/** How much of a file is looked at to tell text from binary. */
export const HEAD_BYTES = 8_192;

const MARKS: Readonly<Record<Encoding, readonly number[]>> = {
  "utf-8": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};

/** The format of a text; `undefined` for what is binary. */
export function detectFormat(start: Buffer): TextFormat | undefined {
  const head = start.subarray(0, HEAD_BYTES);
  for (const encoding of ["utf-16le", "utf-16be"] as const) {
    if (!startsWith(head, MARKS[encoding])) continue;
    return isWideBinary(head) ? undefined : { encoding, markBytes: 2 };
  }
  if (isBinary(head)) return undefined;
  return { encoding: "utf-8", markBytes: startsWith(head, MARKS["utf-8"]) ? 3 : 0 };
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** A unit of two zero bytes; UTF-32 (little endian) is full of them. */
function isWideBinary(head: Buffer): boolean {
  for (let index = 2; index + 1 < head.length; index += 2) if (head[index] === 0 && head[index + 1] === 0) return true;
  return false;
}

/** More control characters than this share of the start is no text, whatever the encoding. */
const CONTROL_SHARE = 0.1;

function isBinary(head: Buffer): boolean {
  if (head.includes(0)) return true;
  let controls = 0;
  for (const byte of head) if (byte < 0x20 && !TEXT_CONTROLS.has(byte)) controls++;
  return controls > head.length * CONTROL_SHARE;
}

/** Backspace to carriage return, and escape: what logs and terminal recordings hold. */
const TEXT_CONTROLS = new Set([0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);

/** The text of a whole file; `undefined` when its bytes would not come back from it unchanged. */
export function decodeWhole(bytes: Buffer, { encoding, markBytes }: TextFormat): string | undefined {
  const body = bytes.subarray(markBytes);
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(body);
  // A character that the decoder put in place of bytes that are none would be written back as itself.
  return text.includes("\ufffd") && !encodeText(text, encoding).equals(body) ? undefined : text;
}

/** The bytes of a text in a format, its mark included. */
export function encodeWhole(text: string, { encoding, markBytes }: TextFormat): Buffer {
  const body = encodeText(text, encoding);
  return markBytes === 0 ? body : Buffer.concat([Buffer.from(MARKS[encoding]), body]);
}

function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === "utf-8") return Buffer.from(text, "utf8");
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** The format in words; nothing for plain UTF-8. */
export function formatName({ encoding, markBytes }: TextFormat): string | undefined {
  if (encoding !== "utf-8") return `${encoding === "utf-16le" ? "UTF-16 LE" : "UTF-16 BE"} with BOM`;
  return markBytes > 0 ? "UTF-8 with BOM" : undefined;
}
