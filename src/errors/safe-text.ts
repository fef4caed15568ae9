/**
 * Brings any text of a failure into the form in which it may leave the process: redacted, clean, bounded.
 *
 * Floor 1 (errors).
 */

import { cleanText, clipMiddle } from "../util/text.ts";
import { type RedactOptions, redactSecrets } from "./redact.ts";

/** The longest message of an error, in UTF-16 units. */
export const MAX_MESSAGE_CHARS = 2_000;

/** Room for the marker that says how much was left out, so that a cut text is not cut again. */
const MARKER_CHARS = 96;

/** Redacts, replaces what JSON cannot hold, and cuts in the middle to at most `maxChars`. */
export function safeText(text: string, options: RedactOptions = {}, maxChars: number = MAX_MESSAGE_CHARS): string {
  const clean = cleanText(redactSecrets(text, options));
  return clean.length <= maxChars ? clean : clipMiddle(clean, Math.max(0, maxChars - MARKER_CHARS));
}
