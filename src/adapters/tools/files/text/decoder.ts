/**
 * Decodes a text file piece by piece; a character that lies on a border is never torn.
 *
 * Wing (adapters).
 */
import { Buffer, isUtf8 } from "node:buffer";
import { wholeEnd } from "../../../../process/utf8.ts";
import type { TextFormat } from "./encoding.ts";

export interface Decoder {
  /** The text of the next bytes. */
  decode(chunk: Buffer): string;
  /** The text of what is left at the end of the file. */
  end(): string;
  /** Whether some bytes were no character and stand as U+FFFD in the text. */
  readonly isDamaged: boolean;
}

/** A decoder for a file of this format, from its very first byte. */
export function createDecoder(format: TextFormat): Decoder {
  return format.encoding === "utf-8" ? utf8Decoder(format.markBytes) : wideDecoder(format);
}

function utf8Decoder(markBytes: number): Decoder {
  let rest: Buffer = Buffer.alloc(0);
  let skip = markBytes;
  let isDamaged = false;
  const toText = (bytes: Buffer) => {
    isDamaged ||= !isUtf8(bytes);
    return bytes.toString("utf8");
  };
  return {
    decode(chunk) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const start = Math.min(skip, bytes.length);
      skip -= start;
      const body = bytes.subarray(start);
      const end = wholeEnd(body);
      rest = Buffer.from(body.subarray(end));
      return toText(body.subarray(0, end));
    },
    end: () => toText(rest),
    get isDamaged() {
      return isDamaged;
    },
  };
}

function wideDecoder({ encoding }: TextFormat): Decoder {
  const decoder = new TextDecoder(encoding);
  let isDamaged = false;
  const noted = (text: string) => {
    isDamaged ||= text.includes("\ufffd");
    return text;
  };
  return {
    decode: (chunk) => noted(decoder.decode(chunk, { stream: true })),
    end: () => noted(decoder.decode()),
    get isDamaged() {
      return isDamaged;
    },
  };
}
