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
export function drain({ closed, reads, drainMs, signal }: DrainOptions): Promise<boolean> {
  return new Promise((resolve) => {
    let seen = reads();
    let left = Math.max(HARD_END_MS, drainMs);
    let over = false;
    let cancelTimer = wait();
    const stopListening = signal && onAbort(signal, () => settle(false));

    function settle(wasClosed: boolean): void {
      over = true;
      cancelTimer();
      stopListening?.();
      resolve(wasClosed);
    }

    function wait(): () => void {
      const ms = Math.min(drainMs, left);
      left -= ms;
      // One turn for pending events: when our own loop was blocked, output may be waiting behind the timer.
      return systemClock.setTimer(ms, () => setImmediate(look));
    }

    function look(): void {
      if (over) return;
      if (reads() === seen || left <= 0) {
        settle(false);
        return;
      }
      seen = reads();
      cancelTimer = wait();
    }

    void closed.then(() => settle(true));
    if (signal?.aborted) settle(false);
  });
}
