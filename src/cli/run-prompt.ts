/**
 * Runs one prompt and prints it, and lets Ctrl-C abort it.
 *
 * Command line. The first request to stop aborts the run, which still gives its record; the second ends the process.
 */
import type { AgentContext } from "../context/agent-context.ts";
import type { AgentRun } from "../contract/run.ts";
import { RuntimeError } from "../errors/index.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { Colors } from "./colors.ts";
import { EXIT, type Interrupts } from "./io.ts";
import { createRunRenderer } from "./render-run.ts";

export interface PromptRun {
  readonly runtime: Runtime;
  readonly write: (text: string) => void;
  readonly interrupts: Interrupts;
  readonly context?: AgentContext | undefined;
}

/** Runs a prompt and prints what happens as it happens. */
export function runPrompt(
  prompt: string,
  { runtime, write, interrupts, context }: PromptRun,
  colors: Colors,
): Promise<AgentRun> {
  return withInterrupts(interrupts, async (signal) => {
    const renderer = createRunRenderer(write, colors);
    const stream = runtime.stream(prompt, { signal, context });
    for await (const event of stream) renderer.event(event);
    const run = await stream.result;
    renderer.end(run);
    return run;
  });
}

/** Runs a prompt and prints its record as JSON, nothing else. */
export function runPromptAsJson(prompt: string, { runtime, write, interrupts }: PromptRun): Promise<AgentRun> {
  return withInterrupts(interrupts, async (signal) => {
    const run = await runtime.run(prompt, { signal });
    write(`${JSON.stringify(run, undefined, 2)}\n`);
    return run;
  });
}

/** The exit status that a run stands for. */
export function exitStatusOf({ status }: AgentRun): number {
  if (status === "completed") return EXIT.completed;
  return status === "aborted" ? EXIT.aborted : EXIT.failed;
}

async function withInterrupts<T>(interrupts: Interrupts, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stopListening = interrupts.listen((why) => {
    if (controller.signal.aborted) return interrupts.exitNow(EXIT.aborted);
    controller.abort(new RuntimeError(why, { code: "RUN_ABORTED" }));
  });
  try {
    return await run(controller.signal);
  } finally {
    stopListening();
  }
}
