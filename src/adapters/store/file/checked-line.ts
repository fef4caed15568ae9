/**
 * The one form of everything in a file: a line of JSON with a checksum over its bytes.
 *
 * Wing (store). `{"sum":"0123456789abcdef","entry":{…}}`: the sum is over what follows it up to the last brace,
 * byte for byte as it lies on the disk, so that no change of any byte goes unnoticed.
 */
import { createHash } from "node:crypto";
import { freezeJson } from "../../../util/json.ts";

const SUM_CHARS = 16;
const BEFORE_SUM = '{"sum":"';
const AFTER_SUM = '",';
const BODY_START = BEFORE_SUM.length + SUM_CHARS + AFTER_SUM.length;

/** Writes a line. @param text - The JSON text of what the line holds. */
export function checkedLine(name: string, text: string): string {
  const body = `"${name}":${text}`;
  return `${BEFORE_SUM}${sumOf(body)}${AFTER_SUM}${body}}\n`;
}

/**
 * What a line holds under a name, frozen; `undefined` when the line is damaged, or holds something else. The
 * caller vouches for what is in it.
 *
 * @param line - Without its line end.
 */
export function openPart<T extends object>(line: Buffer | undefined, name: string): T | undefined {
  if (line === undefined || !fitsSum(line)) return undefined;
  try {
    const held = JSON.parse(`{${bodyOf(line).toString("utf8")}}`) as Record<string, unknown>;
    const part = held[name];
    return typeof part === "object" && part !== null ? freezeJson(part as T) : undefined;
  } catch {
    return undefined;
  }
}

function fitsSum(line: Buffer): boolean {
  const start = BEFORE_SUM + sumOf(bodyOf(line)) + AFTER_SUM;
  return line.toString("latin1", 0, BODY_START) === start && line.at(-1) === 0x7d;
}

/** All between the sum and the last brace. */
function bodyOf(line: Buffer): Buffer {
  return line.subarray(BODY_START, -1);
}

/** The beginning of the SHA-256: 64 bits, against accidents and not against forgery. */
function sumOf(body: string | Buffer): string {
  return createHash("sha256").update(body).digest("hex").slice(0, SUM_CHARS);
}

/** The lines of a file without their ends, and what follows the last line end. */
export function splitLines(bytes: Buffer): { readonly lines: readonly Buffer[]; readonly rest: Buffer } {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, rest: bytes.subarray(start) };
}
