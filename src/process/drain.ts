/**
 * Waits for the rest of the output after a command has ended, but not for ever.
 *
 * Floor 2 (process). The pipes close when the last process that holds them is gone, and that may be a
 * server in the background. So a while without new output is taken as the end.
 */
import { onAbort } from "../util/abort.ts";
import { systemClock } from "../util/clock.ts";

/** Output that never pauses ends the wait after this long. */
const HARD_END_MS = 2_000;

export interface DrainOptions {
  /** Settles when every pipe is closed. */
  readonly closed: Promise<void>;
  /** How many chunks have been read. */
  reads(): number;
  readonly drainMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Resolves with whether the pipes were closed; `false`: something still holds them. */
export async function drain(options: DrainOptions): Promise<boolean> {
  const { signal } = options;
  const cleanups: (() => void)[] = [];
  try {
    return await Promise.race([
      options.closed.then(() => true),
      untilQuiet(options, cleanups),
      new Promise<false>((resolve) => {
        if (signal?.aborted) resolve(false);
        else if (signal) cleanups.push(onAbort(signal, () => resolve(false)));
      }),
    ]);
  } finally {
    for (const cleanup of cleanups) cleanup();
  }
}

function untilQuiet({ reads, drainMs }: DrainOptions, cleanups: (() => void)[]): Promise<false> {
  return new Promise((resolve) => {
    let seen = reads();
    let left = Math.max(HARD_END_MS, drainMs);

    function wait(): void {
      const ms = Math.min(drainMs, left);
      left -= ms;
      // One turn for pending events: when our own loop was blocked, output may be waiting behind the timer.
      cleanups.push(systemClock.setTimer(ms, () => setImmediate(look)));
    }

    function look(): void {
      if (reads() === seen || left <= 0) {
        resolve(false);
        return;
      }
      seen = reads();
      wait();
    }

    wait();
  });
}
