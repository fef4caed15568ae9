/**
 * Makes hits of the lines of one file: each matching line with the lines around it.
 *
 * Wing (adapters). Pure. A line that lies between two matches belongs to one hit only.
 */
import { cleanText } from "../../../../util/text.ts";
import type { LineMatch, Matcher } from "./matcher.ts";

export interface HitLine {
  readonly number: number;
  readonly text: string;
}

export interface Hit {
  readonly match: HitLine;
  readonly before: readonly HitLine[];
  readonly after: readonly HitLine[];
}

export interface HitCollector {
  /** The hits that are complete after the next lines. */
  push(lines: readonly HitLine[]): Hit[];
  /** The hit that is complete because the file ends. */
  end(): Hit[];
}

interface OpenHit {
  match: HitLine;
  before: readonly HitLine[];
  after: HitLine[];
}

/** @param context - How many lines to keep before and after a match. */
export function createHitCollector(matcher: Matcher, context: number): HitCollector {
  let recent: HitLine[] = [];
  let open: OpenHit | undefined;
  const close = (): Hit[] => {
    const done = open;
    open = undefined;
    return done === undefined ? [] : [done];
  };
  const add = (line: HitLine, match: LineMatch | undefined): Hit[] => {
    const shown = { number: line.number, text: excerpt(line.text, match) };
    if (match !== undefined) {
      const done = close();
      open = { match: shown, before: recent, after: [] };
      recent = [];
      return done;
    }
    if (open !== undefined && open.after.length < context) {
      open.after.push(shown);
      return [];
    }
    const done = close();
    if (context > 0) recent = [...recent.slice(1 - context), shown].slice(-context);
    return done;
  };
  return {
    push(lines) {
      const matches = new Map(matcher(lines.map((line) => line.text)).map((match) => [match.index, match]));
      if (matches.size === 0 && context === 0) return close();
      return lines.flatMap((line, index) => add(line, matches.get(index)));
    },
    end: close,
  };
}

/** A longer line is shown in part. */
const EXCERPT_CHARS = 500;
/** How much of the part lies before the match. */
const LEAD_CHARS = 150;

/** The line, or the part of it around the match. */
function excerpt(text: string, match: LineMatch | undefined): string {
  if (text.length <= EXCERPT_CHARS) return text;
  const from = Math.max(0, Math.min((match?.start ?? 0) - LEAD_CHARS, text.length - EXCERPT_CHARS));
  const to = Math.min(text.length, from + EXCERPT_CHARS);
  return `${from > 0 ? "…" : ""}${cleanText(text.slice(from, to))}${to < text.length ? "…" : ""}`;
}
