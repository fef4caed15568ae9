/**
 * Cuts an expression into numbers, names and symbols.
 *
 * Wing (tools/calculator). Knows how people type: full-width signs, × ÷ −, and thousands separators.
 */
import { quoteValue } from "../../../util/text.ts";
import { type Operator, parseNumber, type Value } from "./arithmetic.ts";
import { refuseAt } from "./refusal.ts";

/** One token; `index` is where it starts in the expression. */
export type Token =
  | { readonly type: "number"; readonly value: Value; readonly index: number }
  | { readonly type: "name"; readonly name: string; readonly index: number }
  | { readonly type: "operator"; readonly operator: Operator; readonly index: number }
  | { readonly type: "(" | ")" | ","; readonly index: number }
  | { readonly type: "end"; readonly index: number };

/** Signs with a plain twin of the same length, so that positions stay true. */
const TWINS: Readonly<Record<string, string>> = {
  "×": "*",
  "·": "*",
  "⋅": "*",
  "∗": "*",
  "÷": "/",
  "∕": "/",
  "⁄": "/",
  "−": "-",
  "–": "-",
  "—": "-",
  "、": ",",
  "。": ".",
};

/** Writes full-width and mathematical signs as the plain ones. The length stays the same. */
export function toPlainSigns(text: string): string {
  return text.replace(/[！-～×·⋅∗÷∕⁄−–—、。]/g, (sign) => {
    return TWINS[sign] ?? String.fromCharCode(sign.charCodeAt(0) - 0xfee0);
  });
}

const SPACE = /[\s\u200b\ufeff]+/y;
const GROUPED = /\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d*)?(?:[eE][-+]?\d+)?/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const SYMBOL = /\*\*|[-+*/%^(),]/y;

/** @throws {@link Refusal} At the first character that belongs to no expression. */
export function tokenize(expression: string): readonly Token[] {
  const text = toPlainSigns(expression);
  const tokens: Token[] = [];
  // For each open parenthesis: does a comma in it separate arguments? Elsewhere it groups thousands.
  const argumentLists: boolean[] = [];
  for (let index = 0; ; ) {
    index += match(SPACE, text, index).length;
    if (index >= text.length) return [...tokens, { type: "end", index: text.length }];
    const { token, length } = readToken(text, index, argumentLists.at(-1) !== true);
    if (token.type === "(") argumentLists.push(tokens.at(-1)?.type === "name");
    if (token.type === ")") argumentLists.pop();
    tokens.push(token);
    index += length;
  }
}

function readToken(text: string, index: number, mayGroup: boolean): { token: Token; length: number } {
  const digits = (mayGroup && match(GROUPED, text, index)) || match(NUMBER, text, index);
  if (digits !== "") {
    const value = parseNumber(digits.replaceAll(",", ""), index);
    return { token: { type: "number", value, index }, length: digits.length };
  }
  const name = match(NAME, text, index);
  if (name !== "") return { token: { type: "name", name: name.toLowerCase(), index }, length: name.length };
  const symbol = match(SYMBOL, text, index);
  if (symbol === "") throw unexpected(text, index);
  if (symbol === "(" || symbol === ")" || symbol === ",") return { token: { type: symbol, index }, length: 1 };
  const operator = (symbol === "^" ? "**" : symbol) as Operator;
  return { token: { type: "operator", operator, index }, length: symbol.length };
}

function match(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? "";
}

function unexpected(text: string, index: number): Error {
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  if (character === "=") return refuseAt(index, 'Give the expression alone, without "=": found "="');
  return refuseAt(index, `Expected a number, an operator or a function, found ${quoteValue(character)}`);
}
