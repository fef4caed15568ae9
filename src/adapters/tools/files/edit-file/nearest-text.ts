/**
 * Finds the lines of a file that resemble some other lines most.
 *
 * Wing (adapters). Pure, and in a number of steps that the size of the texts bounds.
 */
import { fold } from "./fold.ts";

const MAX_LINE_CHARS = 200;
/** A line that stands in the file more often says little about the place. */
const MAX_SAME_LINES = 100;
/** Lines that are compared letter by letter, where no line is alike. */
const MAX_COMPARED = 20_000;
/** Less alike is not worth showing: the share of pairs of letters that both have. */
const LEAST_SIMILARITY = 0.5;

/** The index of the first of the lines that resemble `asked` most; `undefined` when nothing does. */
export function findNearest(lines: readonly string[], asked: readonly string[]): number | undefined {
  const folded = lines.map(comparable);
  const wanted = asked.map(comparable);
  return byEqualLines(folded, wanted) ?? bySimilarLine(folded, wanted);
}

function comparable(line: string): string {
  return fold(line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) : line, "case");
}

/** Every line that is alike votes for the place where the text would start; long lines count more. */
function byEqualLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = placesOf(lines, new Set(wanted));
  const votes = new Map<number, number>();
  wanted.forEach((line, index) => {
    const found = places.get(line) ?? [];
    if (found.length > MAX_SAME_LINES) return;
    for (const place of found) votes.set(place - index, (votes.get(place - index) ?? 0) + line.length);
  });
  let best: number | undefined;
  for (const [start, weight] of votes) {
    if (start >= 0 && weight > (best === undefined ? 0 : (votes.get(best) ?? 0))) best = start;
  }
  return best;
}

function placesOf(lines: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, index) => {
    if (line === "" || !wanted.has(line)) return;
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else if (known.length <= MAX_SAME_LINES) known.push(index);
  });
  return places;
}

/** The place by the longest of the wanted lines alone. */
function bySimilarLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line, index) => (line.length > (wanted[best]?.length ?? 0) ? index : best), 0);
  const line = wanted[longest] ?? "";
  if (line.length < 2) return undefined;
  const pairs = pairsOf(line);
  let best: number | undefined;
  let bestSimilarity = LEAST_SIMILARITY;
  for (let index = 0; index < Math.min(lines.length, MAX_COMPARED); index++) {
    const candidate = lines[index] ?? "";
    const similarity = candidate.includes(line) ? 1 : similarityOf(pairs, candidate);
    if (similarity <= bestSimilarity || index < longest) continue;
    best = index - longest;
    bestSimilarity = similarity;
  }
  return best;
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2));
  return pairs;
}

/** Sørensen–Dice, from 0 to 1. */
function similarityOf(pairs: ReadonlySet<string>, text: string): number {
  const others = pairsOf(text);
  let shared = 0;
  for (const pair of others) if (pairs.has(pair)) shared++;
  return (2 * shared) / Math.max(1, pairs.size + others.size);
}
