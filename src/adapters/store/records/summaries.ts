/**
 * What a list shows of a run or a session.
 *
 * Wing (store).
 */
import type { AgentRun } from "../../../contract/run.ts";
import type { JournalEntry, RunSummary, SessionRecord, SessionSummary } from "../../../contract/store.ts";
import { clipEnd } from "../../../util/text.ts";

const MAX_INPUT_CHARS = 200;

/** The summary of a run that has a record. */
export function summaryOfRun(run: AgentRun): RunSummary {
  const { id, status, stopReason, startedAt, endedAt, errorKind, errorCode, sessionId } = run;
  const input = clipEnd(run.input, MAX_INPUT_CHARS);
  return { id, input, status, stopReason, startedAt, endedAt, errorKind, errorCode, sessionId };
}

/** The summary of a run that has a journal only; `undefined` when that does not begin with the start of a run. */
export function summaryOfStart(id: string, first: JournalEntry | undefined): RunSummary | undefined {
  if (first?.type !== "run:start") return undefined;
  const { input, at, sessionId } = first;
  return { id, input: clipEnd(input, MAX_INPUT_CHARS), status: "unfinished", startedAt: at, sessionId };
}

/** The summary of a paused run that goes on behind its record. */
export function unfinishedRun({ id, input, startedAt, sessionId }: RunSummary): RunSummary {
  return { id, input, status: "unfinished", startedAt, sessionId };
}

/** Why a journal without a start is no use. */
export const NO_START = "The journal does not begin with the start of the run, so that nothing can go on from it.";

/** The summary of a run that cannot be read, with what is known of it. */
export function unreadableRun(
  known: Pick<RunSummary, "id" | "startedAt"> & Partial<RunSummary>,
  problem: string,
): RunSummary {
  const { id, startedAt, input = "", sessionId } = known;
  return { id, input, status: "unreadable", startedAt, sessionId, problem };
}

/** The summary of a session. */
export function summaryOfSession({ id, title, createdAt, updatedAt, runIds }: SessionRecord): SessionSummary {
  return { id, title, createdAt, updatedAt, runs: runIds.length };
}
