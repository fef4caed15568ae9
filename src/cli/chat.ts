/**
 * A short chat at the terminal: one conversation, one run for each line.
 *
 * Command line. Ctrl-C aborts the run in progress; at the prompt it ends the chat, like Ctrl-D and "exit".
 */
import { createInterface } from "node:readline";
import { AgentContext } from "../context/agent-context.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { Colors } from "./colors.ts";
import { type CliIo, CTRL_C, EXIT, type Interrupts, type OnInterrupt } from "./io.ts";
import { runPrompt } from "./run-prompt.ts";

export async function chat(io: CliIo, runtime: Runtime, colors: Colors): Promise<number> {
  const { stdin, stdout } = io;
  const write = (text: string) => void stdout.write(text);
  const prompt = `${colors.bold(">")} `;
  const lines = createInterface({ input: stdin, output: stdout, terminal: stdin.isTTY === true, prompt });
  const interrupts = createChatInterrupts(io.interrupts, lines);
  const context = new AgentContext();
  write('A chat. "exit" or Ctrl-D ends it, Ctrl-C stops an answer.\n');
  try {
    lines.prompt();
    for await (const line of readLines(lines)) {
      const said = line.trim();
      if (/^(?:exit|quit)$/i.test(said)) break;
      if (said !== "") await runPrompt(said, { runtime, write, interrupts, context }, colors);
      lines.prompt();
    }
  } finally {
    interrupts.close();
    lines.close();
  }
  write("\n");
  return EXIT.completed;
}

type Lines = ReturnType<typeof createInterface>;

/** Every line, also those typed while a run was in progress. */
async function* readLines(lines: Lines): AsyncGenerator<string, void, undefined> {
  const waiting: string[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  lines.on("line", (line) => {
    waiting.push(line);
    wake?.();
  });
  lines.on("close", () => {
    isClosed = true;
    wake?.();
  });
  for (;;) {
    const line = waiting.shift();
    if (line !== undefined) yield line;
    else if (isClosed) return;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
}

/** In raw mode the terminal gives Ctrl-C to readline, elsewhere it is a signal: both count, and end an idle chat. */
function createChatInterrupts(outer: Interrupts, lines: Lines): Interrupts & { close(): void } {
  let onRun: OnInterrupt | undefined;
  const interrupt: OnInterrupt = (why) => {
    if (onRun === undefined) lines.close();
    else onRun(why);
  };
  const stopListening = outer.listen(interrupt);
  lines.on("SIGINT", () => interrupt(CTRL_C));
  return {
    listen(callback) {
      onRun = callback;
      return () => {
        onRun = undefined;
      };
    },
    exitNow: (status) => outer.exitNow(status),
    close: stopListening,
  };
}
