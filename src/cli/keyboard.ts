/**
 * Reads lines that a person types: the prompts of a chat, and answers to questions.
 *
 * Command line. One for the whole program, because two readers of one terminal would take each other's keys.
 */
import { createInterface, type Interface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { CTRL_C, type Input, type Interrupts, type Output } from "./io.ts";

export interface Keyboard {
  /** The next line, also one that was typed before; `undefined` at the end of the input. */
  read(prompt: string): Promise<string | undefined>;
  /**
   * A line that was typed after the question was shown, never one from before: what is typed ahead must not
   * approve anything. `undefined` for Ctrl-D, at the end of the input, and when the signal fires.
   */
  answer(question: Question, signal: AbortSignal): Promise<string | undefined>;
  /** Ends the reading: whoever waits gets `undefined`. */
  close(): void;
}

/** What is shown before the answer is typed. */
export interface Question {
  /** Whole lines. */
  readonly text: string;
  /** Stands before the answer. */
  readonly prompt: string;
}

/** A line, or the end of the input. */
type Typed = string | undefined;

/** Makes a keyboard. It leaves the terminal alone until it is used; Ctrl-C is told to `interrupts`. */
export function createKeyboard(input: Input, output: Output, interrupts: Interrupts): Keyboard {
  const typed: Typed[] = [];
  let lines: Interface | undefined;
  let take: ((typed: Typed) => void) | undefined;

  /** Ctrl-D closes an interface for good, but not the terminal: the next reader opens another. */
  function open(): Interface {
    if (lines !== undefined) return lines;
    const opened = createInterface({ input, output, terminal: true });
    opened.on("line", hand);
    opened.on("SIGINT", () => interrupts.raise(CTRL_C));
    opened.on("close", () => {
      if (lines !== opened) return;
      lines = undefined;
      hand(undefined);
    });
    lines = opened;
    return opened;
  }

  /** To whoever waits, or to the next one who reads. */
  function hand(line: Typed): void {
    const taken = take;
    take = undefined;
    if (taken === undefined) typed.push(line);
    else taken(line);
  }

  /** Gives the terminal back: Ctrl-C is a signal again. */
  function release(): void {
    const opened = lines;
    lines = undefined;
    opened?.close();
  }

  async function next(prompt: string, signal?: AbortSignal): Promise<Typed> {
    if (input.readableEnded === true || signal?.aborted === true) return undefined;
    const opened = open();
    const stop = () => take?.(undefined);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await new Promise<Typed>((resolve) => {
        take = resolve;
        opened.setPrompt(prompt);
        opened.prompt();
      });
    } finally {
      take = undefined;
      signal?.removeEventListener("abort", stop);
    }
  }

  async function ask({ text, prompt }: Question, signal: AbortSignal): Promise<Typed> {
    const opened = open();
    // Two rounds of the event loop: the first may end before the input was looked at.
    await setImmediate();
    await setImmediate();
    if (lines === opened) clearLine(opened);
    if (signal.aborted) return undefined;
    output.write(text);
    const line = await next(prompt, signal);
    if (line === undefined) output.write("\n");
    return line;
  }

  return {
    read: async (prompt) => (typed.length > 0 ? typed.shift() : next(prompt)),
    async answer(question, signal) {
      const isShared = lines !== undefined;
      try {
        return input.readableEnded === true ? undefined : await ask(question, signal);
      } finally {
        if (!isShared) release();
      }
    },
    close: () => lines?.close(),
  };
}

/** Drops a line half typed. */
function clearLine(lines: Interface): void {
  if (lines.line === "") return;
  lines.setPrompt("");
  lines.write(null, { ctrl: true, name: "e" });
  lines.write(null, { ctrl: true, name: "u" });
}
