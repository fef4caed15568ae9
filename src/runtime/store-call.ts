/**
 * Calls the store of the host, for a bounded time.
 *
 * Floor 5 (runtime). Seam 3: the only place where an error from a store becomes a `ContextError`.
 */
import type { Store } from "../contract/store.ts";
import { ContextError, errorMessage, type HarnessError, isHarnessError } from "../errors/index.ts";
import type { Clock } from "../util/clock.ts";

/** The store of a runtime, and how long it is waited for. */
export interface StoreAccess {
  readonly store: Store;
  readonly clock: Clock;
  /** Longest wait for one call in milliseconds; `Infinity` for no limit. */
  readonly timeoutMs: number;
}

/**
 * Calls the store outside of a run, where nothing else would stop the wait.
 *
 * @throws ContextError whatever the store does wrong.
 */
export async function callStore<T>(
  { store, clock, timeoutMs }: StoreAccess,
  what: string,
  call: (store: Store) => Promise<T>,
): Promise<T> {
  let cancel = () => {};
  const tooLate = new Promise<never>((_, reject) => {
    if (Number.isFinite(timeoutMs)) cancel = clock.setTimer(timeoutMs, () => reject(storeTimeout(what, timeoutMs)));
  });
  try {
    return await Promise.race([call(store), tooLate]);
  } catch (error) {
    throw storeError(what, error);
  } finally {
    cancel();
  }
}

/** What a store threw, as an error that says what was being done. */
export function storeError(what: string, error: unknown): HarnessError {
  if (isHarnessError(error, "context")) return error;
  return new ContextError(`The store failed to ${what}: ${errorMessage(error)}`, {
    code: "CONTEXT_STORE_FAILED",
    cause: error,
  });
}

/** A store that does not answer. */
export function storeTimeout(what: string, timeoutMs: number): HarnessError {
  const message = `The store did not ${what} within ${timeoutMs} ms. Look at what it waits for, or raise storeTimeoutMs.`;
  return new ContextError(message, { code: "CONTEXT_STORE_FAILED" });
}
