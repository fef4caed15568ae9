/**
 * Makes text fit to be sent, stored and shown: well formed, bounded, quoted.
 *
 * Floor 0 (util).
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Replaces what no JSON parser or provider takes: lone surrogates become U+FFFD and NUL becomes the
 * visible U+2400. Text that is fine already is returned as the same string.
 */
export function cleanText(text: string): string {
  if (isShortAndPlain(text)) return text;
  const visible = text.includes("\u0000") ? text.replaceAll("\u0000", "\u2400") : text;
  return isWellFormed(visible) ? visible : visible.replace(LONE_SURROGATE, "\uFFFD");
}

/** Most names, keys and ids: looked at here for a fraction of what two calls into the engine cost. */
function isShortAndPlain(text: string): boolean {
  if (text.length > 32) return false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0 || unit >= 0xd800) return false;
  }
  return true;
}

interface MaybeWellFormed {
  isWellFormed?: () => boolean;
}

function isWellFormed(text: string): boolean {
  const native = (text as unknown as MaybeWellFormed).isWellFormed;
  // Missing before Node 20 and Safari 16.4: say "no" and let the replacement look.
  return native === undefined ? false : native.call(text);
}

/**
 * Shortens text to at most `maxChars` UTF-16 units, keeping the start and the end, with a marker
 * between them that states how much is left out and how long the whole is. Never splits a character.
 * Where not even the marker has room, the marker is what remains.
 *
 * @param headShare - The part kept from the start, 0 to 1. @defaultValue 0.75
 */
export function clipMiddle(text: string, maxChars: number, headShare = 0.75): string {
  if (text.length <= maxChars) return text;
  // What is returned may be clipped again on its way; with its marker inside the limit it stays as it is.
  const room = Math.max(0, maxChars - omission(text.length, text.length).length);
  const headEnd = Math.floor(room * headShare);
  const head = text.slice(0, splitsPair(text, headEnd) ? headEnd - 1 : headEnd);
  const tailStart = text.length - (room - headEnd);
  const tail = text.slice(splitsPair(text, tailStart) ? tailStart + 1 : tailStart);
  return cleanText(`${head}${omission(text.length - head.length - tail.length, text.length)}${tail}`);
}

function omission(omitted: number, whole: number): string {
  return `\n[... ${formatCount(omitted)} of ${formatCount(whole)} characters omitted ...]\n`;
}

/** Shortens text to one that ends in "…" when it is longer than `maxChars`. Never splits a character. */
export function clipEnd(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = Math.max(0, maxChars - 1);
  return `${cleanText(text.slice(0, splitsPair(text, end) ? end - 1 : end))}…`;
}

/** Whether a cut at `index` would part the two halves of one character. */
function splitsPair(text: string, index: number): boolean {
  return index > 0 && index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff;
}

/** Writes a whole number with thousands separators: `1,234,567`. */
export function formatCount(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** Shows any value in an error message: short, on one line, never throwing. */
export function quoteValue(value: unknown): string {
  try {
    return typeof value === "string" ? JSON.stringify(clipEnd(value, 80)) : clipEnd(oneLine(describe(value)), 80);
  } catch {
    return `a value of type ${typeof value}`;
  }
}

function describe(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  // Of an error JSON would show nothing; what it carries beside its message is not for showing.
  return value instanceof Error ? `${value.name}: ${value.message}` : JSON.stringify(value);
}

function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ");
}

/** The candidate nearest to `wanted` by edit distance, when it is near enough to be what was meant. */
export function nearest(wanted: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  // In a short name two changes make any other short name: "ls" is not a misspelt "rm".
  const farthest = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  let bestDistance = Math.min(farthest, wanted.length - 1) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  if (a.length > 64 || b.length > 64) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? Number.POSITIVE_INFINITY;
}
