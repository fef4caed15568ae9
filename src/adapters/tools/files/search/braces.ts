/**
 * Expands the braces of a glob: "*.{ts,tsx}" stands for "*.ts" and "*.tsx".
 *
 * Wing (adapters). Pure.
 */

/** The alternatives; `undefined` when there are more than `most`. Braces without a comma stay as they are. */
export function expandBraces(pattern: string, most: number): readonly string[] | undefined {
  const group = firstGroup(pattern);
  if (group === undefined) return [pattern];
  const { start, end, parts } = group;
  const tails = expandBraces(pattern.slice(end + 1), most);
  if (tails === undefined) return undefined;
  const all: string[] = [];
  for (const part of parts) {
    const middles = expandBraces(part, most);
    if (middles === undefined) return undefined;
    if (all.length + middles.length * tails.length > most) return undefined;
    for (const middle of middles) for (const tail of tails) all.push(pattern.slice(0, start) + middle + tail);
  }
  return all;
}

interface Group {
  /** Where its "{" stands. */
  readonly start: number;
  /** Where its "}" stands. */
  readonly end: number;
  readonly parts: readonly string[];
}

/** The first pair of braces with a comma of its own. */
function firstGroup(pattern: string): Group | undefined {
  const open: { start: number; commas: number[] }[] = [];
  const closed: Group[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "{") open.push({ start: at, commas: [] });
    else if (character === ",") open.at(-1)?.commas.push(at);
    else if (character === "}") {
      const group = open.pop();
      if (group !== undefined && group.commas.length > 0) closed.push(toGroup(pattern, group, at));
    }
  }
  return closed.reduce<Group | undefined>(
    (first, group) => (first && first.start < group.start ? first : group),
    undefined,
  );
}

function toGroup(pattern: string, { start, commas }: { start: number; commas: readonly number[] }, end: number): Group {
  const borders = [start, ...commas, end];
  const parts = borders.slice(1).map((border, index) => pattern.slice((borders[index] ?? start) + 1, border));
  return { start, end, parts };
}
