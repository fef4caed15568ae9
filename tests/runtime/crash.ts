/** A store that dies in the middle, as a process does: what was written stays, nothing else is written any more. */
import type { Store } from "harness-kit";

const never = () => new Promise<never>(() => {});

/** When the store dies: at its n-th append, before or after that one is written. */
export interface Death {
  readonly at: number;
  readonly isWritten: boolean;
}

/** Wraps a store so that it dies. Locks die with it. */
export function dying(store: Store, death: Death): { store: Store; appends: () => number } {
  let appends = 0;
  let isDead = false;
  const alive =
    <Given extends readonly unknown[], Value>(call: (...given: Given) => Promise<Value>) =>
    (...given: Given): Promise<Value> =>
      isDead ? never() : call(...given);
  const wrapped: Store = {
    append: alive(async (runId, entries) => {
      if (++appends === death.at) {
        isDead = true;
        if (death.isWritten) await store.append(runId, entries);
        return never();
      }
      return store.append(runId, entries);
    }),
    readJournal: alive((id) => store.readJournal(id)),
    saveRun: alive((run) => store.saveRun(run)),
    loadRun: alive((id) => store.loadRun(id)),
    listRuns: alive((query) => store.listRuns(query)),
    deleteRun: alive((id) => store.deleteRun(id)),
    claim: alive((key, holder) => store.claim(key, holder)),
    lock: alive(async () => async () => {}),
    saveSession: alive((session) => store.saveSession(session)),
    loadSession: alive((id) => store.loadSession(id)),
    listSessions: alive(() => store.listSessions()),
    deleteSession: alive((id) => store.deleteSession(id)),
  };
  return { store: wrapped, appends: () => appends };
}
