/**
 * Finds the terminal at which a person can be asked, if there is one.
 *
 * Command line.
 */
import type { CliIo, Output } from "./io.ts";
import { createKeyboard, type Keyboard } from "./keyboard.ts";
import type { CliOptions } from "./options.ts";

/** A person: what they type, and where they read. */
export interface Terminal {
  readonly keyboard: Keyboard;
  readonly output: Output;
}

/** The terminal; `undefined` where nobody would read a question or answer it. With --json, stdout is for the record. */
export function findTerminal(io: CliIo, { json }: CliOptions): Terminal | undefined {
  const { stdin, stdout, stderr, interrupts } = io;
  const output = (json === true ? [stderr] : [stdout, stderr]).find(({ isTTY }) => isTTY === true);
  if (stdin.isTTY !== true || output === undefined) return undefined;
  return { output, keyboard: createKeyboard(stdin, output, interrupts) };
}
