/**
 * Reads words that mean the same before and after the shell has expanded them.
 *
 * Floor 4 (permission).
 */
import type { Word } from "unbash";
import { ANY, ONE, type Piece } from "../../process/confine-wildcard.ts";

/** One argument, unquoted. */
export interface Argument {
  readonly value: string;
  /** Set when the shell looks for files: the pattern, with its wildcards told from its characters. */
  readonly glob?: readonly Piece[] | undefined;
}

/** Reads a word; `undefined` when anything but file names is put into it. */
export function readWord(word: Word): Argument | undefined {
  // ~ at the start and after = or : is a home directory.
  if (/(^|[:=])~/.test(word.text)) return undefined;
  const glob: Piece[] = [];
  let hasGlob = false;
  for (const part of word.parts ?? []) {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        glob.push(...part.value);
        break;
      case "DoubleQuoted":
        for (const inner of part.parts) {
          if (inner.type !== "Literal") return undefined;
          glob.push(...inner.value);
        }
        break;
      case "Glob":
        hasGlob = true;
        // A bracket may name a class or a collating element: taken for anything it could be.
        glob.push(part.kind === "question" ? ONE : ANY);
        break;
      default:
        return undefined;
    }
  }
  return hasGlob ? { value: word.value, glob } : { value: word.value };
}

/**
 * Whether text holds nothing that a shell replaces, outside of single quotes. A second look, independent
 * of the parser: what it misses must not be allowed.
 */
export function isPlain(command: string): boolean {
  if (CONTROL.test(command)) return false;
  const rest = command.replace(QUOTED, (piece) =>
    piece.startsWith('"') && EXPANDS.test(piece.replace(ESCAPED, "")) ? "`" : "x",
  );
  return !UNQUOTED.test(rest);
}

const CONTROL = /(?![\n\t])\p{Cc}|\p{Cs}/u;
/** A comment, an escaped character, or a quoted text. */
const QUOTED = /(?<=^|[\s;&|])#[^\n]*|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g;
const ESCAPED = /\\[\s\S]/g;
/** What a shell replaces between double quotes. */
const EXPANDS = /`|\$[\w({[@*#?$!-]/;
/**
 * What a shell replaces outside of quotes, and blanks that only look like some. A quote that is left is an
 * open one, and so is a backslash at the end; a brace is literal only where nothing could be listed in it.
 */
const UNQUOTED = /[`()'"$\\]|\{(?![\w-]*\})|(?! )\p{Z}|\p{Cf}/u;
