/**
 * Ends a command for the first cause that comes up: timeout, abort or too much output.
 *
 * Floor 2 (process). SIGTERM to the whole tree, SIGKILL after the grace period, and a last resort for
 * a process that even SIGKILL does not end (uninterruptible sleep): we stop waiting.
 */
import { onAbort } from "../util/abort.ts";
import { systemClock } from "../util/clock.ts";
import type { StopReason } from "./classify.ts";
import { isGroupDeaf, type Killable, killTree } from "./kill-tree.ts";

/** How long after SIGKILL an exit is waited for. */
const LAST_RESORT_MS = 2_000;

const DEAFNESS_LOOK_MS = 100;

export interface StopperOptions {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal | undefined;
  /** Called when the process does not even answer to SIGKILL. */
  onGiveUp(): void;
}

export interface Stopper {
  /** The first cause, once there is one. */
  readonly reason: StopReason | undefined;
  /** SIGTERM was not enough. */
  readonly escalated: boolean;
  stop(reason: StopReason): void;
  /** Clears every timer and listener. */
  dispose(): void;
}

export function createStopper(child: Killable & { readonly pid: number }, options: StopperOptions): Stopper {
  const cleanups: (() => void)[] = [];
  let reason: StopReason | undefined;
  let escalated = false;
  let disposed = false;
  const later = (ms: number, callback: () => void) => cleanups.push(systemClock.setTimer(ms, callback));

  function kill(): void {
    killTree(child, "SIGKILL");
    later(LAST_RESORT_MS, options.onGiveUp);
  }

  function escalate(): void {
    if (escalated || disposed) return;
    escalated = true;
    kill();
  }

  /** The grace period is for those that clean up; nobody is waited for who does not even hear. */
  function watchDeafness(): void {
    later(DEAFNESS_LOOK_MS, () => {
      if (isGroupDeaf(child.pid)) escalate();
      else if (!escalated) watchDeafness();
    });
  }

  function stop(cause: StopReason): void {
    if (disposed || reason !== undefined) return;
    reason = cause;
    if (options.graceMs === 0) {
      kill();
      return;
    }
    killTree(child, "SIGTERM");
    later(options.graceMs, escalate);
    watchDeafness();
  }

  if (options.timeoutMs > 0) {
    // One turn for pending events: when our own loop was blocked, the exit may be waiting behind the timer.
    later(options.timeoutMs, () => setImmediate(stop, "timeout"));
  }
  if (options.signal) cleanups.push(onAbort(options.signal, () => stop("aborted")));

  return {
    get reason() {
      return reason;
    },
    get escalated() {
      return escalated;
    },
    stop,
    dispose() {
      disposed = true;
      for (const cleanup of cleanups) cleanup();
    },
  };
}
