/**
 * Kills what still runs when this process ends.
 *
 * Floor 2 (process). Commands have a session of their own, so Ctrl-C on the terminal does not reach
 * them, and a signal that ends Node runs no `exit` hook. Listeners go soon after the last command.
 * SIGKILL to this process leaves its commands behind: nothing can be done about that here.
 */
import { killGroupNow } from "./kill-tree.ts";

interface LiveGroups {
  /** Remembers a running command; the function that comes back forgets it. */
  guard(pid: number): () => void;
}

/** Adding and removing signal listeners costs more than all the rest of a short command: so not each time. */
const IDLE_MS = 100;

const FATAL_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The part of `process` that is used here; tests pass their own. */
export type ExitHost = Pick<NodeJS.Process, "prependListener" | "off" | "listenerCount" | "kill" | "pid">;

export function createLiveGroups(host: ExitHost, killGroup: (pid: number) => void): LiveGroups {
  const live = new Set<number>();
  let listening = false;
  let sweeping = false;

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
      if (listening) host.prependListener(signal, onFatalSignal);
    });
  }

  function listen(): void {
    listening = true;
    host.prependListener("exit", killAll);
    for (const signal of FATAL_SIGNALS) host.prependListener(signal, onFatalSignal);
  }

  function unlisten(): void {
    listening = false;
    host.off("exit", killAll);
    for (const signal of FATAL_SIGNALS) host.off(signal, onFatalSignal);
  }

  function sweepLater(): void {
    if (sweeping) return;
    sweeping = true;
    const sweep = () => {
      sweeping = false;
      if (live.size === 0) unlisten();
    };
    setTimeout(sweep, IDLE_MS).unref();
  }

  return {
    guard(pid) {
      if (!listening) listen();
      live.add(pid);
      return () => {
        live.delete(pid);
        if (live.size === 0) sweepLater();
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
