/**
 * Matches lines against the pattern of a model, in a time that is bounded whatever the pattern.
 *
 * Wing (adapters). Node only. A regular expression that may go back and forth runs in V8 inside of `vm`,
 * whose timeout stops it; only the time is limited there, nothing else is protected.
 */
import { createContext, Script } from "node:vm";
import { quoteValue } from "../../../../util/text.ts";
import { rejected } from "../refusal.ts";

export interface Query {
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoreCase: boolean;
}

/** Where a line matches first. */
export interface LineMatch {
  /** The index of the line. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** Finds the lines that match. @throws ToolError `TOOL_REJECTED` when that takes too long. */
export type Matcher = (lines: readonly string[]) => readonly LineMatch[];

const MAX_PATTERN_CHARS = 1_000;

/** @throws ToolError `TOOL_REJECTED` for a pattern that is none. */
export function compileMatcher(query: Query): Matcher {
  const { pattern, isLiteral, ignoreCase } = query;
  if (typeof pattern !== "string" || pattern === "" || pattern.length > MAX_PATTERN_CHARS) {
    throw rejected(`A pattern is a text of 1 to ${MAX_PATTERN_CHARS} characters, got ${quoteValue(pattern)}.`);
  }
  if (/[\n\r]/.test(pattern)) {
    throw rejected("The pattern holds a line end, but lines are searched one by one. Search for one of its lines.");
  }
  if (isLiteral && !ignoreCase) return literalMatcher(pattern);
  const regex = compileRegex(query);
  return mayGoBack(regex.source) ? guardedMatcher(pattern, regex) : (lines) => matchAll(regex, lines);
}

function literalMatcher(text: string): Matcher {
  return (lines) =>
    lines.flatMap((line, index) => {
      const start = line.indexOf(text);
      return start < 0 ? [] : [{ index, start, end: start + text.length }];
    });
}

/** The expression of a query: with the flag "u" if it can be read so, since then "." is a whole character. */
export function compileRegex({ pattern, isLiteral, ignoreCase }: Query): RegExp {
  const source = isLiteral ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : pattern;
  const flags = ignoreCase ? "i" : "";
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Read more forgivingly, as most programs do: "\-" and a lone "{" are plain characters.
  }
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "";
    throw rejected(
      `${quoteValue(pattern)} is no regular expression: ${reason}. Correct it, or set literal to search for it as it is.`,
      { cause: error },
    );
  }
}

/** Without repetition and alternatives every place of a line is tried once. */
function mayGoBack(source: string): boolean {
  return /[*+?{|]/.test(source.replace(/\\./gs, ""));
}

function matchAll(regex: RegExp, lines: readonly string[]): LineMatch[] {
  const found: LineMatch[] = [];
  lines.forEach((line, index) => {
    const match = regex.exec(line);
    if (match !== null) found.push({ index, start: match.index, end: match.index + match[0].length });
  });
  return found;
}

const MATCH_ALL = new Script("matchAll(regex, lines)");

function guardedMatcher(pattern: string, regex: RegExp): Matcher {
  const inside: { lines: readonly string[]; regex: RegExp; matchAll: typeof matchAll } = { lines: [], regex, matchAll };
  const context = createContext(inside);
  return (lines) => {
    inside.lines = lines;
    try {
      return withinTime((timeout) => MATCH_ALL.runInContext(context, { timeout }) as LineMatch[]);
    } catch (error) {
      throw rejected(
        `The pattern ${quoteValue(pattern)} takes too long. Make it simpler: no repetition inside of another one; or set literal.`,
        { cause: error },
      );
    } finally {
      inside.lines = [];
    }
  };
}

/** Longest time for the lines of one piece of a file, in milliseconds of the processor. It blocks the program. */
const MATCH_MS = 250;
/** On a machine that is busy with other things that may take longer; it ends here in any case. */
const LONGEST_MS = 4_000;

/** Tries again with more time while the processor was busy with something else. */
export function withinTime<T>(attempt: (timeoutMs: number) => T): T {
  for (let timeoutMs = MATCH_MS; ; timeoutMs *= 2) {
    const before = process.cpuUsage();
    try {
      return attempt(timeoutMs);
    } catch (error) {
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1_000 >= MATCH_MS * 0.9 || timeoutMs >= LONGEST_MS || !isTimeout(error)) throw error;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
