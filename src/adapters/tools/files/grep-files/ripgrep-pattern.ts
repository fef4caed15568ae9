/**
 * Writes a pattern so that ripgrep finds at least all lines that JavaScript finds.
 *
 * Wing (adapters). Pure. Finding too many is harmless: the files are searched again. What is not known to
 * be safe is not translated. Borders of words are left out; what may stand for bytes that are no
 * characters, which JavaScript sees as U+FFFD, is taken for anything.
 *
 * @see https://docs.rs/regex/latest/regex/#syntax
 */
import { compileRegex, type Query } from "./matcher.ts";

/** The pattern for ripgrep; `undefined` when there is none that is safe. */
export function ripgrepPattern(query: Query): string | undefined {
  const { source, unicode } = compileRegex(query);
  if (source.includes("\ufffd")) return undefined;
  // An end before a beginning: an empty line for JavaScript, and nothing where a carriage return may stand between.
  if (/\$[\s\S]*\^/.test(source)) return undefined;
  // Which letters are the same in upper and lower case is for each engine to say.
  if (query.ignoreCase && /[^\x00-\x7f]/.test(source)) return undefined;
  const out: string[] = [];
  for (let at = 0; at < source.length; ) {
    const piece = translate(source.slice(at), unicode);
    if (piece === undefined) return undefined;
    out.push(piece.text);
    at += piece.length;
  }
  return out.join("");
}

interface Piece {
  readonly text: string;
  /** How much of the source it stands for. */
  readonly length: number;
}

/** One character, or up to three bytes of a broken one. Without the flag "u" half of a character is enough. */
function anything(unicode: boolean): string {
  return unicode ? "(?:.|(?-u:[\\x80-\\xff]){1,3})" : "(?:(?:.|(?-u:[\\x80-\\xff]){1,3})?)";
}

const GROUP = /^\((?:\?(?::|<[A-Za-z_]\w*>)|(?!\?))/;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
const CLASS = /^\[(\^?)((?:[^\]\\]|\\.)*)\]/s;

function translate(rest: string, unicode: boolean): Piece | undefined {
  const first = rest.charAt(0);
  if (first === "\\") return translateEscape(rest, unicode);
  if (first === "[") return translateClass(rest, unicode);
  if (first === "(") return matched(GROUP, rest, () => "(?:");
  if (first === ".") return { text: anything(unicode), length: 1 };
  if (first === "$") return { text: "(?:\\r?$)", length: 1 };
  const quantifier = matched(QUANTIFIER, rest, (text) => text);
  if (quantifier !== undefined) return quantifier;
  if ("^|)".includes(first)) return { text: first, length: 1 };
  const [character = ""] = rest;
  return { text: literal(character), length: character.length };
}

function matched(pattern: RegExp, rest: string, toText: (found: string) => string): Piece | undefined {
  const found = pattern.exec(rest)?.[0];
  return found === undefined ? undefined : { text: toText(found), length: found.length };
}

function literal(character: string): string {
  return /[\\.+*?()|[\]{}^$#&~-]/.test(character) ? `\\${character}` : character;
}

/** The members of the classes that have a letter, as JavaScript reads them. */
const CLASS_LETTERS: Readonly<Record<string, string>> = {
  d: "0-9",
  w: "0-9A-Za-z_",
  s: "\\s\\x{feff}",
  t: "\\t",
  f: "\\x0c",
  v: "\\x0b",
};

function translateEscape(rest: string, unicode: boolean): Piece | undefined {
  const letter = rest.charAt(1);
  if (/[bB]/.test(letter)) return { text: "", length: 2 };
  if (/[DWS]/.test(letter)) return { text: anything(unicode), length: 2 };
  const members = CLASS_LETTERS[letter];
  if (members !== undefined) return { text: `[${members}]`, length: 2 };
  // Back references, code points, properties and line ends.
  if (letter === "" || /[A-Za-z0-9\ud800-\udfff]/.test(letter)) return undefined;
  return { text: literal(letter), length: 2 };
}

function translateClass(rest: string, unicode: boolean): Piece | undefined {
  const [whole, negation, body = ""] = CLASS.exec(rest) ?? [];
  if (whole === undefined || body === "") return undefined;
  if (negation === "^") return { text: anything(unicode), length: whole.length };
  if (/[^\x00-\x7f]/.test(body)) return undefined;
  const members = translateMembers(body);
  if (members === undefined) return undefined;
  return { text: members === "" ? anything(unicode) : `[${members}]`, length: whole.length };
}

/** The members of a class, all ASCII; "" when they are nearly everything. */
function translateMembers(body: string): string | undefined {
  let text = "";
  for (let at = 0; at < body.length; at++) {
    const character = body.charAt(at);
    if (character !== "\\") {
      // A "-" between two characters makes a range here as there; at an end it is one of the members.
      const isRange = character === "-" && at > 0 && at < body.length - 1;
      text += isRange ? "-" : literal(character);
      continue;
    }
    const letter = body.charAt(++at);
    if (/[DWS]/.test(letter)) return "";
    const members = CLASS_LETTERS[letter];
    if (members === undefined && /[A-Za-z0-9]/.test(letter)) return undefined;
    text += members ?? literal(letter);
  }
  return text;
}
