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
