/**
 * Makes what a program wrote to a terminal fit for a model to read.
 *
 * Floor 2 (process).
 */
import { stripVTControlCharacters } from "node:util";
import { cleanText } from "../util/text.ts";

/** Window titles and links (ECMA-48, section 8.3.89), whose text Node's own pattern may leave behind. */
const OPERATING_SYSTEM_COMMAND = /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\n]*(?:\u0007|\u001B\\|\u009C)?/g;

/** A character struck over with the next one, as `man` prints bold and underlined text. */
const OVERSTRUCK = /[^\n\u0008]\u0008/g;

/** Control characters, but tab, newline, and NUL, which becomes visible below. */
const INVISIBLE = /[\u0001-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Strips terminal escapes and control characters; line ends become `\n`, NUL and lone surrogates visible. */
export function cleanOutput(text: string): string {
  if (!/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|\p{Surrogate}/u.test(text)) return text;
  const plain = stripVTControlCharacters(text.replace(OPERATING_SYSTEM_COMMAND, ""));
  const lines = plain.replace(/\r\n?/g, "\n").replace(OVERSTRUCK, "");
  return cleanText(lines.replace(INVISIBLE, ""));
}
