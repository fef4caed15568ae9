/**
 * Whether `spawnSync` gives back what a wrapper writes on descriptor 3. Bun's and Deno's do not.
 *
 * Floor 2 (process). To be known before a command runs: without its report, one that ran looks like one that
 * never began.
 */
import { spawnSync } from "node:child_process";
import { REPORT_FD } from "./follow-wrapper.ts";

let answer: boolean | undefined;

/** Tries it, once for all. */
export function canReadReportSync(): boolean {
  answer ??= tryReport();
  return answer;
}

function tryReport(): boolean {
  const { output } = spawnSync("/bin/sh", ["-c", `echo >&${REPORT_FD}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  return (output?.[REPORT_FD]?.length ?? 0) > 0;
}
