/**
 * Deals with what a finished command left running.
 *
 * Floor 2 (process).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isGroupAlive, killGroupNow } from "./kill-tree.ts";
import type { BackgroundOutcome } from "./result.ts";

/** `> >(tee log)` and the like outlive their shell by a moment; they are not cut off. */
const STRAGGLER_MS = 50;
const LOOK_MS = 10;

export interface BackgroundOptions {
  readonly mode: "kill" | "keep";
  /** Whether those that are still there get a moment to end by themselves. */
  readonly patient: boolean;
}

export async function endBackground(pid: number, { mode, patient }: BackgroundOptions): Promise<BackgroundOutcome> {
  let waited = 0;
  while (patient && waited < STRAGGLER_MS && isGroupAlive(pid)) {
    await sleep(LOOK_MS);
    waited += LOOK_MS;
  }
  return endBackgroundNow(pid, mode);
}

export function endBackgroundNow(pid: number, mode: "kill" | "keep"): BackgroundOutcome {
  if (!isGroupAlive(pid)) return "none";
  if (mode === "keep") return "left";
  killGroupNow(pid);
  return "killed";
}
