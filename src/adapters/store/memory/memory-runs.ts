/**
 * Runs in memory: journals and records.
 *
 * Wing (store).
 */
import { type AgentRun, RUN_SCHEMA_VERSION } from "../../../contract/run.ts";
import { JOURNAL_VERSION, type JournalEntry, type RunSummary } from "../../../contract/store.ts";
import { checkId } from "../records/check-id.ts";
import { checkVersion } from "../records/check-version.ts";
import { fromText, toText } from "../records/json-text.ts";
import type { RunMethods } from "../records/methods.ts";
import { selectRuns } from "../records/select.ts";
import { NO_START, summaryOfRun, summaryOfStart, unfinishedRun, unreadableRun } from "../records/summaries.ts";

/** Makes the part of a memory store that keeps runs. */
export function memoryRuns(): RunMethods {
  const journals = new Map<string, string[]>();
  const records = new Map<string, string>();
  const summaries = new Map<string, RunSummary>();
  return {
    async append(runId, entries) {
      checkId(runId, "The id of a run");
      const added = entries.map((entry) => toText(entry, `an entry of the journal of run ${runId}`));
      const journal = journals.get(runId);
      if (entries.some(({ type }) => type === "run:resume")) goesOn(summaries, runId);
      if (journal !== undefined) journal.push(...added);
      else if (added.length > 0) {
        journals.set(runId, added);
        if (!records.has(runId)) summaries.set(runId, copyOf(startOf(runId, entries[0])));
      }
    },
    async readJournal(runId) {
      checkId(runId, "The id of a run");
      const journal = journals.get(runId);
      return journal === undefined ? undefined : readEntries(runId, journal);
    },
    async saveRun(run) {
      checkId(run?.id, "The id of a run");
      const text = toText(run, `the record of run ${run.id}`);
      summaries.set(run.id, copyOf(summaryOfRun(run)));
      records.set(run.id, text);
    },
    async loadRun(runId) {
      checkId(runId, "The id of a run");
      const text = records.get(runId);
      if (text === undefined) return undefined;
      const run = fromText<AgentRun>(text);
      checkVersion(run.schemaVersion, RUN_SCHEMA_VERSION, `The record of run ${runId}`);
      return run;
    },
    async listRuns(query) {
      return selectRuns([...summaries.values()], query);
    },
    async deleteRun(runId) {
      checkId(runId, "The id of a run");
      journals.delete(runId);
      records.delete(runId);
      return summaries.delete(runId);
    },
  };
}

function readEntries(runId: string, texts: readonly string[]) {
  const entries = texts.map((text) => fromText<JournalEntry>(text));
  const [first] = entries;
  if (first?.type === "run:start") checkVersion(first.schemaVersion, JOURNAL_VERSION, `The journal of run ${runId}`);
  return Object.freeze({ entries: Object.freeze(entries) });
}

function startOf(runId: string, first: JournalEntry | undefined): RunSummary {
  return summaryOfStart(runId, first) ?? unreadableRun({ id: runId, startedAt: first?.at ?? 0 }, NO_START);
}

/** A paused run that goes on waits for nobody. */
function goesOn(summaries: Map<string, RunSummary>, runId: string): void {
  const known = summaries.get(runId);
  if (known?.status === "paused") summaries.set(runId, copyOf(unfinishedRun(known)));
}

function copyOf(summary: RunSummary): RunSummary {
  return fromText(toText(summary, `the summary of run ${summary.id}`));
}
