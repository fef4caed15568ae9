/**
 * Runs once and prints it, and lets Ctrl-C abort it.
 *
 * Command line. The first request to stop aborts the run, which still gives its record; the second ends the process.
 */
import type { AgentRun } from "../contract/run.ts";
import { RuntimeError } from "../errors/index.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { Colors } from "./colors.ts";
import { EXIT, type Interrupts } from "./io.ts";
import { createRunRenderer } from "./render-run.ts";

/** One run that is to be printed. */
export interface PromptRun {
  readonly runtime: Runtime;
  readonly write: (text: string) => void;
  readonly interrupts: Interrupts;
  /** Starts the run: a new one, one of a session, or one that goes on. */
  readonly execute: (options: { readonly signal: AbortSignal }) => Promise<AgentRun>;
}

/** Runs and prints what happens as it happens. */
export function runPrompt({ runtime, write, interrupts, execute }: PromptRun, colors: Colors): Promise<AgentRun> {
  return withInterrupts(interrupts, async (signal) => {
    const renderer = createRunRenderer(write, colors);
    // Whoever asks for deltas gets a stream.
    const stops = [runtime.on("model:delta", () => {}), runtime.on("*", (event) => renderer.event(event))];
    try {
      const run = await execute({ signal });
      renderer.end(run);
      return run;
    } finally {
      for (const stop of stops) stop();
    }
  });
}

/** Runs and prints the record as JSON, nothing else. */
export function runPromptAsJson({ write, interrupts, execute }: PromptRun): Promise<AgentRun> {
  return withInterrupts(interrupts, async (signal) => {
    const run = await execute({ signal });
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
