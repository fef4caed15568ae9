/**
 * Listens to abort signals without piling listeners up on them.
 *
 * Floor 0 (util). Node warns at the eleventh listener of one signal, and a host may give the same
 * signal to a thousand runs: all of them share one listener here.
 */

type OnAbort = (reason: unknown) => void;

const subscribers = new WeakMap<AbortSignal, Set<OnAbort>>();

/**
 * Calls `callback` once when `signal` fires. A signal that has fired already calls nothing: look at
 * `signal.aborted` first.
 *
 * @returns A function that stops listening; after the last one the signal holds no listener of ours.
 */
export function onAbort(signal: AbortSignal, callback: OnAbort): () => void {
  const known = subscribers.get(signal);
  const all = known ?? new Set<OnAbort>();
  // A wrapper of its own, so that the same function can subscribe twice.
  const entry: OnAbort = (reason) => callback(reason);
  all.add(entry);
  if (known === undefined) subscribeOnce(signal, all);
  return () => {
    all.delete(entry);
    if (all.size === 0) release(signal, all);
  };
}

const detach = new WeakMap<Set<OnAbort>, () => void>();

function subscribeOnce(signal: AbortSignal, all: Set<OnAbort>): void {
  const fire = () => {
    release(signal, all);
    const failures: unknown[] = [];
    // The set itself, not a copy: whoever is unsubscribed by an earlier one is not called any more.
    for (const callback of all) {
      try {
        callback(signal.reason);
      } catch (error) {
        failures.push(error);
      }
    }
    // Told only now, so that it does not keep the later ones from stopping.
    if (failures.length > 0) throw failures[0];
  };
  subscribers.set(signal, all);
  detach.set(all, () => signal.removeEventListener("abort", fire));
  signal.addEventListener("abort", fire, { once: true });
}

function release(signal: AbortSignal, all: Set<OnAbort>): void {
  detach.get(all)?.();
  detach.delete(all);
  if (subscribers.get(signal) === all) subscribers.delete(signal);
}

/** Tells an AbortSignal by what it can do: that of another realm, as in a test environment, is one, too. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  if (typeof value !== "object" || value === null) return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}
