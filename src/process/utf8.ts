/**
 * Cuts bytes where a reader would: between lines if one ends near, between characters always.
 *
 * Floor 2 (process).
 */

const NEWLINE = 0x0a;

/** How far from the cut a line may end for the cut to go there. */
const LINE_SEARCH_BYTES = 4_096;

/** Shortens the end of `bytes`, so that it ends with a whole line or at least a whole character. */
export function cutEnd(bytes: Buffer): Buffer {
  const from = Math.max(0, bytes.length - LINE_SEARCH_BYTES);
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline >= from && newline >= 0 ? bytes.subarray(0, newline) : bytes.subarray(0, wholeEnd(bytes));
}

/** Shortens the start of `bytes`, so that it starts with a whole line or at least a whole character. */
export function cutStart(bytes: Buffer): Buffer {
  const newline = bytes.subarray(0, LINE_SEARCH_BYTES).indexOf(NEWLINE);
  // A newline that is the very last byte starts no line: cutting there would leave nothing.
  if (newline >= 0 && newline < bytes.length - 1) return bytes.subarray(newline + 1);
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** Where the last whole character ends: the length, or the start of a character that is cut off. */
export function wholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (!isContinuation(byte)) return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many bytes the character that starts with `byte` has (RFC 3629, section 3). */
function sequenceLength(byte: number | undefined): number {
  if (byte === undefined || byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
