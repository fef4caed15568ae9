/**
 * Which runs and sessions a list holds, and in which order.
 *
 * Wing (store).
 */
import type { RunQuery, RunSummary, SessionSummary } from "../../../contract/store.ts";
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";

const DEFAULT_LIMIT = 100;

/**
 * The runs that fit, the newest first.
 *
 * @throws TypeError RUNTIME_INVALID_CONFIG for a limit or a time that is no number.
 */
export function selectRuns(runs: readonly RunSummary[], query: RunQuery = {}): readonly RunSummary[] {
  const limit = numberOf("limit", query.limit, DEFAULT_LIMIT);
  const from = numberOf("from", query.from, Number.NEGATIVE_INFINITY);
  const to = numberOf("to", query.to, Number.POSITIVE_INFINITY);
  const statuses = query.status === undefined ? undefined : [query.status].flat();
  const fits = (run: RunSummary) =>
    run.startedAt >= from &&
    run.startedAt < to &&
    (statuses === undefined || statuses.includes(run.status)) &&
    (query.sessionId === undefined || run.sessionId === query.sessionId);
  return Object.freeze(
    runs
      .filter(fits)
      .sort((a, b) => b.startedAt - a.startedAt || byId(a, b))
      .slice(0, limit),
  );
}

/** All sessions, the latest changed first. */
export function sortSessions(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  return Object.freeze([...sessions].sort((a, b) => b.updatedAt - a.updatedAt || byId(a, b)));
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}

function numberOf(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && !Number.isNaN(value) && (name !== "limit" || value >= 0)) return value;
  throw misuse(
    `listRuns: \`${name}\` must be a number${name === "limit" ? " from 0 up" : ""}, got ${quoteValue(value)}.`,
  );
}
