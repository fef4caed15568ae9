/**
 * Lists what is on the disk by the heads of the files. What cannot be read is listed as such.
 *
 * Wing (store).
 */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RunSummary, SessionSummary } from "../../../contract/store.ts";
import { errorMessage } from "../../../errors/index.ts";
import { NO_START, unfinishedRun, unreadableRun } from "../records/summaries.ts";
import { isAbsent, storeDamaged } from "./failures.ts";
import { type Head, readHead } from "./head.ts";
import { lastEntryOf } from "./journal.ts";
import { ENDING, JOURNAL_FILE, RECORD_FILE } from "./layout.ts";
import { safeName } from "./safe-name.ts";

/** How many files are read at a time: the process stays responsive in a folder of thousands. */
const BATCH = 50;

/** The runs in the folder of all runs. */
export async function listRunFolders(folder: string): Promise<RunSummary[]> {
  const folders = entriesOf(folder).filter((entry) => entry.isDirectory());
  const found = await inBatches(folders, ({ name }) => summaryIn(join(folder, name), name));
  return found.filter((summary) => summary !== undefined);
}

/** The sessions in the folder of all sessions. */
export async function listSessionFiles(folder: string): Promise<SessionSummary[]> {
  const files = entriesOf(folder).filter((entry) => entry.isFile() && entry.name.endsWith(ENDING));
  const found = await inBatches(files, ({ name }) => sessionIn(join(folder, name), name.slice(0, -ENDING.length)));
  return found.filter((summary) => summary !== undefined);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function inBatches<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
    results.push(work(item));
  }
  return results;
}

function summaryIn(folder: string, name: string): RunSummary | undefined {
  const record = look<RunSummary>(join(folder, RECORD_FILE), name);
  if (record.status === "read") return record.summary && standingOf(record.summary, join(folder, JOURNAL_FILE));
  const journal = look<RunSummary>(join(folder, JOURNAL_FILE), name);
  if (record.status === "unreadable") return unreadableRun(knownOf(journal, folder, name), record.problem);
  if (journal.status === "read") {
    return journal.summary ?? unreadableRun({ id: journal.id, startedAt: changedAt(folder) }, NO_START);
  }
  return journal.status === "absent" ? undefined : unreadableRun(knownOf(journal, folder, name), journal.problem);
}

/** A paused run whose journal does not end with the pause goes on somewhere, or did so until its process died. */
function standingOf(summary: RunSummary, journal: string): RunSummary {
  if (summary.status !== "paused") return summary;
  try {
    const last = lastEntryOf(journal);
    return last === "absent" || last?.type === "run:end" ? summary : unfinishedRun(summary);
  } catch (error) {
    return unreadableRun(summary, errorMessage(error));
  }
}

function knownOf(journal: Looked<RunSummary>, folder: string, name: string): Pick<RunSummary, "id" | "startedAt"> {
  const known = journal.status === "read" ? journal : undefined;
  return known?.summary ?? { id: known?.id ?? name, startedAt: changedAt(folder) };
}

function sessionIn(path: string, name: string): SessionSummary | undefined {
  const looked = look<SessionSummary>(path, name);
  if (looked.status === "read") return looked.summary;
  if (looked.status === "absent") return undefined;
  const at = changedAt(path);
  return { id: name, title: "", createdAt: at, updatedAt: at, runs: 0, problem: looked.problem };
}

type Looked<Summary> =
  | { readonly status: "absent" }
  | { readonly status: "unreadable"; readonly problem: string }
  | { readonly status: "read"; readonly id: string; readonly summary: Summary | undefined };

/** Reads a head; a file that cannot be read must not hide the others. */
function look<Summary>(path: string, name: string): Looked<Summary> {
  try {
    const head = readHead(path) as Head<Summary> | undefined;
    if (head === undefined) return { status: "absent" };
    if (safeName(head.id) !== name) throw storeDamaged(path, `it is that of ${JSON.stringify(head.id)}.`);
    return { status: "read", id: head.id, summary: head.summary };
  } catch (error) {
    return { status: "unreadable", problem: errorMessage(error) };
  }
}

function changedAt(path: string): number {
  try {
    return Math.floor(statSync(path).mtimeMs);
  } catch {
    return 0;
  }
}
