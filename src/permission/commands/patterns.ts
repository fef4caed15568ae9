/**
 * Patterns of commands: `rm`, `git push`, `npm run *`.
 *
 * Floor 4 (permission). To deny, a pattern matches as much as it can; to allow, as little.
 */
import { matchesWildcard } from "../../process/confine-wildcard.ts";
import { misuse } from "../../util/misuse.ts";
import { quoteValue } from "../../util/text.ts";

/** A pattern, taken apart at its blanks. */
export interface CommandPattern {
  readonly text: string;
  readonly tokens: readonly string[];
  /** Ends in `*`: any arguments may follow. */
  readonly open: boolean;
}

/** @throws TypeError when the pattern is no text, or holds nothing but blanks. */
export function commandPattern(text: unknown): CommandPattern {
  const tokens = typeof text === "string" ? text.split(/\s+/).filter((token) => token !== "") : [];
  const open = tokens.at(-1) === "*";
  const fixed = open ? tokens.slice(0, -1) : tokens;
  if (fixed.length === 0) throw misuse(`A command pattern names a program, got ${quoteValue(text)}. Write "git log".`);
  return { text: String(text), tokens: fixed, open };
}

/** The program that a word names: without its folder, in lower case, as file systems may find it. */
export function programName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return base.toLowerCase().replace(/\.(exe|cmd|bat|com)$/, "");
}

/** Whether these words are a forbidden command: its program, and its further tokens somewhere behind it in order. */
export function forbids({ tokens }: CommandPattern, words: readonly string[]): boolean {
  const [program = "", ...rest] = tokens;
  const [head = "", ...others] = words;
  if (!matchesToken(program.toLowerCase(), programName(head))) return false;
  let at = 0;
  for (const word of others) {
    const wanted = rest[at];
    if (wanted === undefined) break;
    if (matchesToken(wanted, word)) at++;
  }
  return at === rest.length;
}

function matchesToken(token: string, word: string): boolean {
  return token.includes("*") ? matchesWildcard(token, word) : token === word;
}

/** Whether these words begin with exactly the tokens of the pattern. */
export function startsWith({ tokens }: CommandPattern, words: readonly string[]): boolean {
  return tokens.every((token, index) => token === words[index]);
}

/**
 * Looks for a forbidden command in text that has no syntax tree: by its words, with and without quoting.
 * Finds too much rather than too little.
 */
export function findInText(patterns: readonly CommandPattern[], text: string): CommandPattern | undefined {
  const raw = text.toLowerCase();
  const bare = raw.replace(QUOTING, "");
  const isPossible = patterns.some(({ tokens: [program = ""] }) => {
    const name = program.toLowerCase();
    return name.includes("*") || raw.includes(name) || bare.includes(name);
  });
  if (!isPossible) return undefined;
  const words = new Set([...raw.split(SEPARATORS), ...bare.split(SEPARATORS)]);
  for (const word of [...words]) words.add(programName(word));
  return patterns.find(({ tokens }) =>
    tokens.every((token) => {
      const wanted = token.toLowerCase();
      return wanted.includes("*") ? [...words].some((word) => matchesWildcard(wanted, word)) : words.has(wanted);
    }),
  );
}

const SEPARATORS = /[\s;|&<>(){}`$"'=/,]+/;
const QUOTING = /\\\r?\n|["'\\]|\$(?=['"])/g;
