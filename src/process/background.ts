/**
 * Deals with what a finished command left running.
 *
 * Floor 2 (process).
 */
import { systemClock } from "../util/clock.ts";
import { isGroupAlive, type KillHost, killGroupNow, systemKillHost } from "./kill-tree.ts";
import type { BackgroundOutcome } from "./result.ts";

/** `> >(tee log)` and the like outlive their shell by a moment; they are not cut off. */
const STRAGGLER_MS = 50;
const LOOK_MS = 10;

/** @param patient - Whether those that are still there get a moment to end by themselves. */
export async function endBackground(
  pid: number,
  mode: "kill" | "keep",
  patient: boolean,
  host: KillHost = systemKillHost,
): Promise<BackgroundOutcome> {
  let isAlive = isGroupAlive(pid, host);
  for (let waited = 0; isAlive && patient && waited < STRAGGLER_MS; waited += LOOK_MS) {
    await moment();
    isAlive = isGroupAlive(pid, host);
  }
  return isAlive ? endLiving(pid, mode, host) : "none";
}

/** As {@link endBackground}, for a caller that cannot wait. */
export function endBackgroundNow(
  pid: number,
  mode: "kill" | "keep",
  host: KillHost = systemKillHost,
): BackgroundOutcome {
  return isGroupAlive(pid, host) ? endLiving(pid, mode, host) : "none";
}

function endLiving(pid: number, mode: "kill" | "keep", host: KillHost): BackgroundOutcome {
  if (mode === "keep") return "left";
  killGroupNow(pid, host);
  return "killed";
}

function moment(): Promise<void> {
  return new Promise((resolve) => {
    systemClock.setTimer(LOOK_MS, resolve);
  });
}
