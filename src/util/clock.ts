/**
 * Time as the package sees it: a reading and a timer that can be cancelled.
 *
 * Floor 0 (util). Everything that waits takes a `Clock`, so that tests never wait for real time.
 */

/** Reads the time and calls back later. Hosts pass their own only in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once after `ms` milliseconds, unless the returned function is called first. */
  setTimer(ms: number, callback: () => void): () => void;
}

/** The longest delay `setTimeout` honours; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Held here: behind its global name stands a getter, which costs as much as the reading. */
const { performance } = globalThis;

/** The epoch as it was when this module was loaded. */
const origin = Date.now() - performance.now();

/**
 * The real clock. It only moves forward: when the system's clock is set back, no deadline is postponed by
 * it, and no duration is negative.
 */
export const systemClock: Clock = {
  now: () => Math.round(origin + performance.now()),
  setTimer(ms, callback) {
    const handle = setTimeout(callback, clampTimer(ms));
    return () => clearTimeout(handle);
  },
};

/** Fits a delay into what a timer can hold: never negative, never above {@link MAX_TIMER_MS}. */
export function clampTimer(ms: number): number {
  return ms > 0 ? Math.min(Math.ceil(ms), MAX_TIMER_MS) : 0;
}
