/**
 * The effects seam: the one place through which a run touches the world.
 *
 * Floor 3 (contract). A run is deterministic given what its effects returned, so a journal behind this
 * interface can resume or replay it, and a durable engine can carry it.
 */

/** Carries out, or remembers, what a run does. What passes is JSON, failures included. */
export interface Effects {
  /**
   * Runs one effect under a key that is stable within the run: `2/model`, `2/tool/call_7`.
   * May return a remembered value instead of running it.
   */
  step<T>(key: string, run: () => Promise<T>): Promise<T>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new id, unique among runs. */
  id(): string;
}
