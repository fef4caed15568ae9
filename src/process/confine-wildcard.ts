/**
 * Matches a name against a pattern in which `*` stands for any characters.
 *
 * Floor 2 (process). In linear steps per star, whatever the pattern: it may come from a model.
 */

/** Both are compared as they are; fold the case before. */
export function matchesWildcard(pattern: string, name: string): boolean {
  return matchesPieces(
    [...pattern].map((piece) => (piece === "*" ? ANY : piece)),
    name,
  );
}

/** Any characters, also none. */
export const ANY = Symbol("any characters");
/** Exactly one character. */
export const ONE = Symbol("one character");

/** A character, or what stands for characters. */
export type Piece = string | typeof ANY | typeof ONE;

/** As {@link matchesWildcard}, for a pattern whose wildcards are told apart from its characters. */
export function matchesPieces(pieces: readonly Piece[], name: string): boolean {
  const characters = [...name];
  let at = 0;
  let piece = 0;
  let star = -1;
  let resume = 0;
  while (at < characters.length) {
    const wanted = pieces[piece];
    if (wanted === ANY) {
      star = piece++;
      resume = at;
    } else if (wanted === ONE || (wanted !== undefined && wanted === characters[at])) {
      piece++;
      at++;
    } else if (star >= 0) {
      piece = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pieces[piece] === ANY) piece++;
  return piece === pieces.length;
}
