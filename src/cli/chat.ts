/**
 * A short chat at the terminal: one conversation, one run for each line.
 *
 * Command line. Ctrl-C aborts the run in progress; at the prompt it ends the chat, like Ctrl-D and "exit".
 */
import { AgentContext } from "../context/agent-context.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { Colors } from "./colors.ts";
import { type CliIo, EXIT } from "./io.ts";
import type { Keyboard } from "./keyboard.ts";
import { runPrompt } from "./run-prompt.ts";

export async function chat(io: CliIo, runtime: Runtime, keyboard: Keyboard, colors: Colors): Promise<number> {
  const { stdout, interrupts } = io;
  const write = (text: string) => void stdout.write(text);
  const context = new AgentContext();
  write('A chat. "exit" or Ctrl-D ends it, Ctrl-C stops an answer.\n');
  try {
    for (;;) {
      const said = (await readPrompt(io, keyboard, `${colors.bold(">")} `))?.trim();
      if (said === undefined || /^(?:exit|quit)$/i.test(said)) break;
      if (said !== "") await runPrompt(said, { runtime, write, interrupts, context }, colors);
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
