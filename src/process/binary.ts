/**
 * Tells text from data, by the first 4 KiB.
 *
 * Floor 2 (process).
 */

const SAMPLE_BYTES = 4_096;

/** Below this length a few odd bytes prove nothing, and showing them costs nothing. */
const SMALLEST_BYTES = 32;

const MAX_ODD_SHARE = 0.1;

/** More than a tenth of the characters are NUL, or no characters at all. */
export function isBinary(start: Buffer): boolean {
  if (start.length < SMALLEST_BYTES) return false;
  const sample = start.subarray(0, SAMPLE_BYTES).toString();
  let characters = 0;
  let odd = 0;
  for (const character of sample) {
    characters++;
    if (character === "\u0000" || character === "\uFFFD") odd++;
  }
  return odd / characters > MAX_ODD_SHARE;
}
