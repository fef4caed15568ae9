/**
 * Says why a text was not found, with the nearest text of the file and what is different in it.
 *
 * Wing (adapters). Pure.
 */
import { clipEnd, quoteValue } from "../../../../util/text.ts";
import { fold, type Likeness } from "./fold.ts";
import { toLf } from "./line-ends.ts";
import { lineNumberAt } from "./line-number.ts";
import { findNearest } from "./nearest-text.ts";

export interface Miss {
  readonly file: string;
  /** The file, with "\n" for every line end. */
  readonly text: string;
  readonly edit: { readonly oldText: string; readonly newText: string };
  /** What the text is called: "oldText of edit 2". */
  readonly name: string;
}

export function explainMiss(miss: Miss): string {
  const { file, name } = miss;
  return `The ${name} is not in ${quoteValue(file)}. ${hint(miss)} Nothing was changed.`;
}

function hint({ text, edit }: Miss): string {
  const wanted = toLf(edit.oldText);
  const bare = wanted.replace(LINE_NUMBER, "");
  if (bare !== wanted && bare !== "" && text.includes(bare)) {
    return "It holds the line numbers that readFile shows, which are not in the file. Leave them out.";
  }
  if (wanted.endsWith("\n") && text.endsWith(wanted.slice(0, -1)) && wanted.trim() !== "") {
    return "It goes on with a line end, but the file has none after its last line. Leave it out.";
  }
  const done = madeBefore(text, toLf(edit.newText));
  if (done !== undefined) return done;
  return nearestHint(text.split("\n"), wanted);
}

const LINE_NUMBER = /^ *\d+\t/gm;
/** Shorter texts are found by chance. */
const TELLING_CHARS = 12;

function madeBefore(text: string, newText: string): string | undefined {
  if (newText.trim().length < TELLING_CHARS) return undefined;
  const at = text.indexOf(newText);
  if (at < 0) return undefined;
  return `The newText is there already, at line ${lineNumberAt(text, at)}: the edit may have been made before.`;
}

function nearestHint(lines: readonly string[], wanted: string): string {
  const asked = wanted.replace(/\n$/, "").split("\n");
  const start = findNearest(lines, asked);
  if (start === undefined) return "Nothing in the file resembles it. Read the file again.";
  const found = lines.slice(start, start + asked.length);
  const last = start + asked.length;
  const where = asked.length === 1 ? `line ${last}` : `lines ${start + 1}-${last}`;
  const differences = differingLines(found, asked, start);
  if (differences.length === 0) return `The nearest text, ${where}, is on other lines or goes on differently.`;
  return `The nearest text, ${where}, differs in ${differenceOf(found, asked)}: ${differences.join("; ")}. Take it as it is in the file.`;
}

const NAMES: Readonly<Record<Likeness, string>> = {
  blanks: "blanks only",
  marks: "blanks, quotation marks or dashes only",
  case: "letter case or blanks only",
};

function differenceOf(found: readonly string[], asked: readonly string[]): string {
  const likeness = (["blanks", "marks", "case"] as const).find((level) =>
    asked.every((line, index) => fold(found[index] ?? "", level).includes(fold(line, level))),
  );
  return likeness === undefined ? "its words" : NAMES[likeness];
}

const SHOWN_DIFFERENCES = 4;
const SHOWN_CHARS = 200;

function differingLines(found: readonly string[], asked: readonly string[], start: number): string[] {
  return asked
    .map((line, index) => ({ line, real: found[index] ?? "", number: start + index + 1 }))
    .filter(({ line, real }, index) => !isPartOf(line, real, index, asked.length))
    .slice(0, SHOWN_DIFFERENCES)
    .map(({ line, real, number }) => `line ${number} is ${visible(real)}, oldText has ${visible(line)}`);
}

/** The first line of a text may be the end of a line of the file, the last one its start. */
function isPartOf(line: string, real: string, index: number, count: number): boolean {
  if (count > 1 && index === 0) return real.endsWith(line);
  return count > 1 && index === count - 1 ? real.startsWith(line) : real === line;
}

/** Quoted, with tabs and unusual blanks as escapes: the difference may be one of them. */
function visible(line: string): string {
  return JSON.stringify(clipEnd(line, SHOWN_CHARS)).replace(UNUSUAL_BLANK, escapeUnit);
}

const UNUSUAL_BLANK = /[\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/g;

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
