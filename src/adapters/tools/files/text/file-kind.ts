/**
 * Names the commonest kinds of binary files by their first bytes.
 *
 * Wing (adapters).
 *
 * @see https://en.wikipedia.org/wiki/List_of_file_signatures
 */
import type { Buffer } from "node:buffer";

const SIGNATURES: readonly (readonly [signature: string, kind: string])[] = [
  ["89504e470d0a1a0a", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive or Office document"],
  ["1f8b", "a gzip archive"],
  ["fd377a585a00", "an xz archive"],
  ["28b52ffd", "a Zstandard archive"],
  ["377abcaf271c", "a 7-Zip archive"],
  ["7f454c46", "an ELF program or library"],
  ["4d5a", "a Windows program or library"],
  ["cffaedfe", "a macOS program or library"],
  ["0061736d", "a WebAssembly module"],
  ["53514c69746520666f726d6174203300", "an SQLite database"],
  ["d0cf11e0a1b11ae1", "an older Office document"],
  ["fffe0000", "UTF-32 text"],
  ["0000feff", "UTF-32 text"],
];

/** What a binary file is, as far as its start tells: "a PNG image", or "a binary file". */
export function binaryKind(head: Buffer): string {
  const start = head.subarray(0, 16).toString("hex");
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1] ?? "a binary file";
}
