/**
 * Where something stands in a text, as people count.
 *
 * Wing (adapters).
 */

/** The number of the line, from 1, that holds the character at `index`. */
export function lineNumberAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** The lines of a text, counted from 0, found without looking at the text again. */
export interface LineIndex {
  /** The line that holds the character at `index`. */
  lineOf(index: number): number;
  /** Where a line starts; the length of the text for one that is not there. */
  startOf(line: number): number;
}

export function createLineIndex(text: string): LineIndex {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    startOf: (line) => starts[line] ?? text.length,
    lineOf(index) {
      let low = 0;
      let high = starts.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((starts[middle] ?? 0) <= index) low = middle;
        else high = middle;
      }
      return low;
    },
  };
}
