/**
 * Lets a model write "\n" whatever a file has, and keeps what the file has.
 *
 * Wing (adapters).
 */

/** A text with all its line ends as "\n", and the way back to the places of the original. */
export interface PlainLines {
  readonly text: string;
  /** The place in the original of a place in `text`. */
  toOriginal(index: number): number;
}

/** "\r\n" becomes "\n"; a "\r" alone is a character like any other. */
export function plainLines(original: string): PlainLines {
  if (!original.includes("\r\n")) return { text: original, toOriginal: (index) => index };
  const text = toLf(original);
  const joined = crlfPlaces(original);
  return { text, toOriginal: (index) => index + countBelow(joined, index) };
}

export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Where in the plain text a "\n" stands that was "\r\n". */
function crlfPlaces(original: string): number[] {
  const places: number[] = [];
  for (let at = original.indexOf("\r\n"); at >= 0; at = original.indexOf("\r\n", at + 2))
    places.push(at - places.length);
  return places;
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The commoner line end of a text; `undefined` when it has none. */
export function commonLineEnd(text: string): "\n" | "\r\n" | undefined {
  const all = count(text, "\n");
  if (all === 0) return undefined;
  return count(text, "\r\n") * 2 > all ? "\r\n" : "\n";
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
