/**
 * Finds the places of all edits in the text as it is, and makes all of them or none.
 *
 * Wing (adapters). Pure.
 */
import { formatCount, quoteValue } from "../../../../util/text.ts";
import { rejected } from "../refusal.ts";
import { explainMiss } from "./explain-miss.ts";
import { commonLineEnd, type PlainLines, plainLines, toLf } from "./line-ends.ts";
import { lineNumberAt } from "./line-number.ts";

/** One replacement, as the model gives it. */
export interface Edit {
  oldText: string;
  newText: string;
  replaceAll?: boolean | undefined;
}

/** What takes the place of a part of the text with "\n" for every line end. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Edited {
  readonly text: string;
  /** In their order. */
  readonly changes: readonly TextChange[];
  /** The text as it was, with "\n" for every line end. */
  readonly before: string;
}

interface Span {
  /** In the plain text. */
  readonly start: number;
  readonly end: number;
  readonly edit: Edit;
  readonly name: string;
}

/** @throws ToolError `TOOL_REJECTED` that says which edit does not fit and what would. */
export function applyEdits(file: string, original: string, edits: readonly Edit[]): Edited {
  const plain = plainLines(original);
  const where = (index: number) => (edits.length === 1 ? "oldText" : `oldText of edit ${index + 1}`);
  const spans = edits.flatMap((edit, index) => findSpans(file, plain.text, edit, where(index)));
  spans.sort((a, b) => a.start - b.start || a.end - b.end);
  checkOverlaps(file, plain.text, spans);
  const changes = spans.map((span) => narrow(plain.text, span));
  return { text: replaceSpans(original, plain, spans, changes), changes, before: plain.text };
}

function findSpans(file: string, text: string, edit: Edit, name: string): Span[] {
  const wanted = toLf(edit.oldText);
  if (wanted === "") {
    throw rejected(`The ${name} is empty. Give the text to replace; to write a whole file use writeFile.`);
  }
  if (wanted === toLf(edit.newText)) throw rejected(`The ${name} and its newText are the same; nothing would change.`);
  if (/\p{Surrogate}/u.test(edit.newText) || /\p{Surrogate}/u.test(wanted)) {
    throw rejected(`The ${name} or its newText holds half of a character (a lone surrogate). Leave it out.`);
  }
  const isAll = edit.replaceAll === true;
  // Overlapping occurrences count as well where one is wanted: "aa" is in "aaa" twice.
  const starts = findAll(text, wanted, isAll ? wanted.length : 1, isAll ? MOST_REPLACED + 1 : MOST_COUNTED);
  if (starts.length === 0) throw rejected(explainMiss({ file, text, edit, name }));
  if (starts.length > 1 && !isAll) throw rejected(ambiguous(file, text, starts, name));
  if (starts.length > MOST_REPLACED) throw rejected(tooMany(file, name));
  return starts.map((start) => ({ start, end: start + wanted.length, edit, name }));
}

function findAll(text: string, wanted: string, step: number, most: number): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && starts.length < most; at = text.indexOf(wanted, at + step)) {
    starts.push(at);
  }
  return starts;
}

const MOST_COUNTED = 1_000;
const MOST_REPLACED = 100_000;

function tooMany(file: string, name: string): string {
  return `The ${name} occurs more than ${formatCount(MOST_REPLACED)} times in ${quoteValue(file)}. Give a longer text. Nothing was changed.`;
}

const SHOWN_LINES = 20;

function ambiguous(file: string, text: string, starts: readonly number[], name: string): string {
  const lines = starts.slice(0, SHOWN_LINES).map((start) => lineNumberAt(text, start));
  const more = starts.length > SHOWN_LINES ? ", …" : "";
  const times = starts.length < MOST_COUNTED ? starts.length.toString() : `${formatCount(MOST_COUNTED)} or more`;
  return (
    `The ${name} occurs ${times} times in ${quoteValue(file)}, at lines ${lines.join(", ")}${more}. ` +
    "Add lines around it until it occurs once, or set replaceAll. Nothing was changed."
  );
}

function checkOverlaps(file: string, text: string, spans: readonly Span[]): void {
  spans.forEach((span, index) => {
    const before = spans[index - 1];
    if (before === undefined || before.end <= span.start) return;
    const line = lineNumberAt(text, span.start);
    throw rejected(
      `The ${before.name} and the ${span.name} overlap at line ${line} of ${quoteValue(file)}. Join them into one edit. Nothing was changed.`,
    );
  });
}

function replaceSpans(
  original: string,
  plain: PlainLines,
  spans: readonly Span[],
  changes: readonly TextChange[],
): string {
  const fileEnd = commonLineEnd(original);
  let text = "";
  let done = 0;
  spans.forEach((span, index) => {
    const { start, end, text: replacement } = changes[index] ?? { ...span, text: "" };
    // New lines end like the lines they replace, else like most of the file.
    const replaced = original.slice(plain.toOriginal(span.start), plain.toOriginal(span.end));
    const lineEnd = commonLineEnd(replaced) ?? fileEnd;
    text += original.slice(done, plain.toOriginal(start));
    text += lineEnd === "\r\n" ? replacement.replaceAll("\n", "\r\n") : replacement;
    done = plain.toOriginal(end);
  });
  return text + original.slice(done);
}

/** Leaves out what stays the same at both ends, so that lines nobody changes keep their own line ends. */
function narrow(text: string, { start, end, edit }: Span): TextChange {
  const replacement = toLf(edit.newText);
  const most = Math.min(end - start, replacement.length);
  let head = 0;
  while (head < most && text[start + head] === replacement[head]) head++;
  let tail = 0;
  while (tail < most - head && text[end - 1 - tail] === replacement[replacement.length - 1 - tail]) tail++;
  return { start: start + head, end: end - tail, text: replacement.slice(head, replacement.length - tail) };
}
