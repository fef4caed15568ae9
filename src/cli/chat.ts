/**
 * A chat at the terminal: one conversation, one run for each line.
 *
 * Command line. Ctrl-C aborts the run in progress; at the prompt it ends the chat, like Ctrl-D and "exit".
 */
import { AgentContext } from "../context/agent-context.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { Session } from "../runtime/session.ts";
import type { Colors } from "./colors.ts";
import { type CliIo, EXIT } from "./io.ts";
import type { Keyboard } from "./keyboard.ts";
import { runPrompt } from "./run-prompt.ts";

/** What a chat is held with. */
export interface ChatParts {
  readonly runtime: Runtime;
  readonly keyboard: Keyboard;
  readonly colors: Colors;
  /** Keeps the conversation; without one it ends with the chat. */
  readonly session?: Session | undefined;
}

export async function chat(io: CliIo, { runtime, keyboard, colors, session }: ChatParts): Promise<number> {
  const { stdout, interrupts } = io;
  const write = (text: string) => void stdout.write(text);
  const context = new AgentContext();
  const ask = (said: string, signal: AbortSignal) =>
    session === undefined ? runtime.run(said, { signal, context }) : session.run(said, { signal });
  write('A chat. "exit" or Ctrl-D ends it, Ctrl-C stops an answer.\n');
  try {
    for (;;) {
      const said = (await readPrompt(io, keyboard, `${colors.bold(">")} `))?.trim();
      if (said === undefined || /^(?:exit|quit)$/i.test(said)) break;
      if (said === "") continue;
      await runPrompt({ runtime, write, interrupts, execute: ({ signal }) => ask(said, signal) }, colors);
    }
  } finally {
    keyboard.close();
  }
  write("\n");
  return EXIT.completed;
}

async function readPrompt({ interrupts }: CliIo, keyboard: Keyboard, prompt: string): Promise<string | undefined> {
  const stopListening = interrupts.listen(() => keyboard.close());
  try {
    return await keyboard.read(prompt);
  } finally {
    stopListening();
  }
}
