/**
 * Loads the shell parser and asks it only what it can answer in time.
 *
 * Floor 4 (permission). `unbash` is an optional peer, loaded on first use. Deep nesting costs it seconds
 * and may overflow the stack, so size and openers are counted before, and what still fails is opaque.
 */
import type { ParsedScript, SyntaxNode } from "unbash";

/** What is used of `unbash`. */
export interface ShellParser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** A syntax tree, or why there is none. */
export type ParsedCommand =
  | { readonly ok: true; readonly script: ParsedScript }
  | { readonly ok: false; readonly reason: string };

/** Longer commands are not parsed. */
export const MAX_PARSED_CHARS = 8_192;
/** Commands with more characters that can open a nesting are not parsed. */
export const MAX_OPENERS = 64;

let loading: Promise<ShellParser | undefined> | undefined;

/** The parser; `undefined` when it is not installed. */
export function loadParser(): Promise<ShellParser | undefined> {
  loading ??= import("unbash").then(
    ({ parse, forEachChild }) => ({ parse, forEachChild }),
    () => undefined,
  );
  return loading;
}

/** Parses a whole command. Never throws. */
export function parseCommand(parser: ShellParser, command: string): ParsedCommand {
  if (Buffer.byteLength(command) > MAX_PARSED_CHARS) return opaque(`it is longer than ${MAX_PARSED_CHARS} bytes`);
  if ((command.match(OPENER)?.length ?? 0) > MAX_OPENERS) return opaque("it is nested too often");
  try {
    const script = parser.parse(command);
    return script.errors === undefined ? { ok: true, script } : opaque("it is no complete shell command");
  } catch {
    return opaque("it cannot be parsed");
  }
}

const OPENER = /[(`{]|<</g;

function opaque(reason: string): ParsedCommand {
  return { ok: false, reason };
}
