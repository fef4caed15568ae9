/**
 * A clock that never waits for real time.
 *
 * Testing wing.
 */
import type { Clock } from "../util/clock.ts";

/** A clock under the control of a test. */
export interface RecordingClock extends Clock {
  /** The delays of all timers that fired, in the order in which they did. */
  readonly waits: readonly number[];
  /** How many timers are set. */
  readonly pending: number;
  /** Moves time on by `ms`, firing what is due on the way, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
}

interface FakeTimer {
  readonly at: number;
  readonly ms: number;
  readonly callback: () => void;
}

/** How a recording clock behaves. */
export interface RecordingClockOptions {
  /** The time at the start, in milliseconds since the epoch. @defaultValue 1_000_000 */
  readonly start?: number | undefined;
  /**
   * Moves on by itself to the next timer whenever nothing else is going on, so that waits are over at
   * once. With `false` time moves only by `advance`. @defaultValue true
   */
  readonly auto?: boolean | undefined;
}

/** Makes a clock for a test. */
export function recordingClock(options: RecordingClockOptions = {}): RecordingClock {
  const timers = new Set<FakeTimer>();
  const waits: number[] = [];
  let now = options.start ?? 1_000_000;
  let isIdling = false;

  const fireNext = (until: number): boolean => {
    let next: FakeTimer | undefined;
    for (const timer of timers) if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    if (next === undefined) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    waits.push(next.ms);
    next.callback();
    return true;
  };

  const idle = async (): Promise<void> => {
    if (isIdling || options.auto === false) return;
    isIdling = true;
    while (timers.size > 0) {
      await settled();
      if (!fireNext(Number.POSITIVE_INFINITY)) break;
    }
    isIdling = false;
  };

  return {
    waits,
    now: () => now,
    get pending() {
      return timers.size;
    },
    setTimer(ms, callback) {
      const timer = { at: now + Math.max(0, ms), ms, callback };
      timers.add(timer);
      void idle();
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const until = now + ms;
      await settled();
      while (fireNext(until)) await settled();
      now = until;
      await settled();
    },
  };
}

/** Lets everything that needs no real waiting happen first. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}
