/**
 * How long and how far one search goes.
 *
 * Wing (adapters).
 */
import { systemClock } from "../../../../util/clock.ts";
import { formatCount } from "../../../../util/text.ts";

/** Most entries of folders that one search looks at. */
export const MAX_ENTRIES = 200_000;

export interface Budget {
  readonly signal: AbortSignal;
  /** Whether the search may go on. @throws The reason of the signal, once it has fired. */
  mayGoOn(): boolean;
  /** Takes one entry into account. */
  countEntry(): void;
  /** Notes a folder that could not be read. */
  countUnreadable(): void;
  /** What the result does not cover, in words. */
  notes(): string[];
}

export function createBudget(signal: AbortSignal, searchMs: number, clock = systemClock): Budget {
  const deadline = clock.now() + searchMs;
  let entries = 0;
  let unreadable = 0;
  let stopped: string | undefined;
  return {
    signal,
    mayGoOn() {
      signal.throwIfAborted();
      if (entries >= MAX_ENTRIES) stopped ??= `${formatCount(MAX_ENTRIES)} files and folders`;
      if (clock.now() > deadline) stopped ??= `${formatCount(searchMs)} ms`;
      return stopped === undefined;
    },
    countEntry() {
      entries++;
    },
    countUnreadable() {
      unreadable++;
    },
    notes() {
      const folders = unreadable === 1 ? "1 folder" : `${formatCount(unreadable)} folders`;
      return [
        ...(stopped === undefined
          ? []
          : [`stopped after ${stopped}: there may be more; narrow it with path or a glob`]),
        ...(unreadable === 0 ? [] : [`${folders} could not be read`]),
      ];
    },
  };
}
