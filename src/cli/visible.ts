/**
 * Makes text of models and tools harmless on a terminal.
 *
 * Command line. A tool's output may hold sequences that move the cursor, recolor the screen or reverse
 * the reading direction, and so forge what the person sees. They are shown, not obeyed.
 */
import { clipEnd } from "../util/text.ts";

/** Control characters but line break and tab, direction marks, line separators, lone surrogates. */
const DANGEROUS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** Text of several lines, with everything escaped that a terminal would obey. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(DANGEROUS, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Text on one line of at most `maxChars` characters; line breaks are shown as ⏎. */
export function visibleLine(text: string, maxChars: number): string {
  return visibleText(clipEnd(text.trimEnd(), maxChars)).replaceAll("\n", "⏎ ").replaceAll("\t", " ");
}

/** Makes pieces of a stream visible; holds back half a character until its other half comes. */
export function createVisiblePieces(): (piece: string) => string {
  let held = "";
  return (piece) => {
    const text = held + piece;
    held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    return visibleText(text.slice(0, text.length - held.length));
  };
}
