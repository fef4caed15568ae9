/**
 * Makes commands findable: each test sleeps for a number of seconds that nobody else on this machine sleeps for.
 */
let count = 0;

/** A long sleep such as `sleep 87.1234007`, and the pattern that finds it. */
export function uniqueSleep(): { command: string; seconds: string; pattern: string } {
  count++;
  const seconds = `87.${process.pid}${String(count).padStart(3, "0")}`;
  return { command: `sleep ${seconds}`, seconds, pattern: `^sleep ${seconds.replace(".", "\\.")}$` };
}
