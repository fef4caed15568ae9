/**
 * Kills what still runs when this process ends.
 *
 * Floor 2 (process). Commands have a session of their own, so Ctrl-C on the terminal does not reach
 * them, and a signal that ends Node runs no `exit` hook. Listeners are there only while a command
 * runs. SIGKILL to this process leaves its commands behind: nothing can be done about that here.
 */
import { killGroupNow } from "./kill-tree.ts";

interface LiveGroups {
  /** Remembers a running command; the function that comes back forgets it. */
  guard(pid: number): () => void;
}

const FATAL_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The part of `process` that is used here; tests pass their own. */
export type ExitHost = Pick<NodeJS.Process, "prependListener" | "off" | "listenerCount" | "kill" | "pid">;

export function createLiveGroups(host: ExitHost, killGroup: (pid: number) => void): LiveGroups {
  const live = new Set<number>();

  function killAll(): void {
    for (const pid of live) killGroup(pid);
  }

  function onFatalSignal(signal: NodeJS.Signals): void {
    host.off(signal, onFatalSignal);
    if (host.listenerCount(signal) === 0) {
      killAll();
      host.kill(host.pid, signal);
      return;
    }
    // The host decides what the signal means; if it ends the process, the exit hook runs.
    setImmediate(() => {
      host.off(signal, onFatalSignal);
      if (live.size > 0) host.prependListener(signal, onFatalSignal);
    });
  }

  function listen(): void {
    host.prependListener("exit", killAll);
    for (const signal of FATAL_SIGNALS) host.prependListener(signal, onFatalSignal);
  }

  function unlisten(): void {
    host.off("exit", killAll);
    for (const signal of FATAL_SIGNALS) host.off(signal, onFatalSignal);
  }

  return {
    guard(pid) {
      if (live.size === 0) listen();
      live.add(pid);
      return () => {
        if (live.delete(pid) && live.size === 0) unlisten();
      };
    },
  };
}

/** Two copies of this package (ESM and CJS) share one registry: else each would take the other for the host's. */
const SHARED = Symbol.for("harness-kit.process.liveGroups");
const shared = globalThis as { [SHARED]?: LiveGroups };

export function guardGroup(pid: number): () => void {
  shared[SHARED] ??= createLiveGroups(process, killGroupNow);
  return shared[SHARED].guard(pid);
}
