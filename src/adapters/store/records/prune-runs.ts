/**
 * Retention: forgets old runs, and never what somebody may still go on with.
 *
 * Wing (store).
 */
import { lockOfRun, type RunSummary, type Store } from "../../../contract/store.ts";
import { systemClock } from "../../../util/clock.ts";
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";

/** Which runs {@link pruneRuns} forgets; a run must fit everything that is given. */
export interface PruneOptions {
  /** Only runs that ended longer ago than this, in milliseconds. */
  readonly olderThanMs?: number | undefined;
  /** Only runs beyond so many of the newest. */
  readonly keep?: number | undefined;
  /**
   * Only runs with one of these statuses. Paused, unfinished and unreadable runs are forgotten only when they
   * are named here. @defaultValue ["completed", "failed", "aborted"]
   */
  readonly status?: RunSummary["status"] | readonly RunSummary["status"][] | undefined;
  /** The present, in milliseconds since the epoch. @defaultValue the clock of the system */
  readonly now?: number | undefined;
}

const ENDED = ["completed", "failed", "aborted"] as const;

/**
 * Deletes old runs and gives their ids. A run that some process works on stays, and so does the last run of a
 * session, which holds the session's history, as long as there is the session.
 *
 * @throws TypeError RUNTIME_INVALID_CONFIG without `olderThanMs` and `keep`, which would delete everything.
 * @example
 * await pruneRuns(store, { olderThanMs: 30 * 86_400_000, keep: 1_000 });
 */
export async function pruneRuns(store: Store, options: PruneOptions): Promise<readonly string[]> {
  const { olderThanMs, keep, status = ENDED, now = systemClock.now() } = options;
  if (olderThanMs === undefined && keep === undefined) {
    throw misuse("pruneRuns needs `olderThanMs`, `keep` or both; without them it would delete everything.");
  }
  for (const [name, value] of Object.entries({ olderThanMs, keep })) {
    if (value !== undefined && !(typeof value === "number" && value >= 0)) {
      throw misuse(`pruneRuns: \`${name}\` must be a number from 0 up, got ${quoteValue(value)}.`);
    }
  }
  const runs = await store.listRuns({ status, limit: Number.POSITIVE_INFINITY });
  const isNeeded = await neededBySessions(store);
  const isOld = ({ startedAt, endedAt = startedAt }: RunSummary) => now - endedAt > (olderThanMs ?? -1);
  const ids = runs.filter((run, index) => index >= (keep ?? 0) && isOld(run) && !isNeeded(run)).map(({ id }) => id);
  const deleted: string[] = [];
  for (const id of ids) if (await deleteUnused(store, id)) deleted.push(id);
  return deleted;
}

async function deleteUnused(store: Store, id: string): Promise<boolean> {
  const unlock = await store.lock(lockOfRun(id));
  if (unlock === undefined) return false;
  try {
    return await store.deleteRun(id);
  } finally {
    await unlock();
  }
}

async function neededBySessions(store: Store): Promise<(run: RunSummary) => boolean> {
  const last = new Set<string | undefined>();
  const unreadable = new Set<string | undefined>();
  for (const { id, problem } of await store.listSessions()) {
    const session = problem === undefined ? await store.loadSession(id).catch(() => undefined) : undefined;
    // Which run of it is the last one nobody knows, so that all of them stay.
    if (session === undefined) unreadable.add(id);
    last.add(session?.runIds.at(-1));
  }
  return (run) => last.has(run.id) || (run.sessionId !== undefined && unreadable.has(run.sessionId));
}
