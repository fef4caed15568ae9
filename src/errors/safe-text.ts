/**
 * Brings any text of a failure into the form in which it may leave the process: redacted, clean, bounded.
 *
 * Floor 1 (errors).
 */

import { cleanText, clipMiddle } from "../util/text.ts";
import { type RedactOptions, redactSecrets } from "./redact.ts";

/** The longest message of an error, in UTF-16 units. */
export const MAX_MESSAGE_CHARS = 2_000;

/** Redacts, replaces what JSON cannot hold, and cuts in the middle to at most `maxChars`. */
export function safeText(text: string, options: RedactOptions = {}, maxChars: number = MAX_MESSAGE_CHARS): string {
  return clipMiddle(cleanText(redactSecrets(text, options)), maxChars);
}
