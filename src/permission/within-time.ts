/**
 * Waits for a foreign answer, but not for ever.
 *
 * Floor 4 (permission).
 */
import { clampTimer } from "../util/clock.ts";

/**
 * The answer of `work`, or a rejection when it takes longer than `timeoutMs` (0: no limit). The late
 * answer is dropped and its rejection swallowed.
 */
export function withinTime<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
  const answer = work();
  if (timeoutMs === 0) return answer;
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer came within ${timeoutMs} ms`));
    const timer = setTimeout(late, clampTimer(timeoutMs));
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
