/**
 * A store that lives as long as the process: for tests, and for hosts that need no more.
 *
 * Wing (store). It keeps JSON text, so that nothing that a caller changes later is seen.
 */
import type { Store } from "../../../contract/store.ts";
import { checkId } from "../records/check-id.ts";
import { memoryRuns } from "./memory-runs.ts";
import { memorySessions } from "./memory-sessions.ts";

/**
 * Makes a store in memory. What is in it ends with the process; locks hold among those who share the store.
 *
 * @example
 * const runtime = createRuntime({ model, store: memoryStore() });
 */
export function memoryStore(): Store {
  const locked = new Set<string>();
  const holders = new Map<string, string>();
  return {
    ...memoryRuns(),
    ...memorySessions(),
    async claim(key, holder) {
      checkId(key, "A key");
      checkId(holder, "A holder");
      if (!holders.has(key)) holders.set(key, holder);
      return holders.get(key) === holder;
    },
    async lock(name) {
      checkId(name, "The name of a lock");
      if (locked.has(name)) return undefined;
      locked.add(name);
      let isHeld = true;
      return async () => {
        if (isHeld) locked.delete(name);
        isHeld = false;
      };
    },
  };
}
