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

/** @param patient - Whether those that are still there get a moment to end by themselves. */
export async function endBackground(pid: number, mode: "kill" | "keep", patient: boolean): Promise<BackgroundOutcome> {
  let alive = isGroupAlive(pid);
  for (let waited = 0; alive && patient && waited < STRAGGLER_MS; waited += LOOK_MS) {
    await sleep(LOOK_MS);
    alive = isGroupAlive(pid);
  }
  return alive ? endLiving(pid, mode) : "none";
}

export function endBackgroundNow(pid: number, mode: "kill" | "keep"): BackgroundOutcome {
  return isGroupAlive(pid) ? endLiving(pid, mode) : "none";
}

function endLiving(pid: number, mode: "kill" | "keep"): BackgroundOutcome {
  if (mode === "keep") return "left";
  killGroupNow(pid);
  return "killed";
}
