/**
 * Where everything lies in the folder of a file store.
 *
 * Wing (store).
 */
import { join, resolve } from "node:path";
import { safeName } from "./safe-name.ts";

/** The version of the form in which files are written. It stands in the head of each. */
export const FORM_VERSION = 1;

/** The files in the folder of a run. */
export const JOURNAL_FILE = "journal.jsonl";
export const RECORD_FILE = "run.jsonl";

/** The ending of files outside of the folder of a run. */
export const ENDING = ".jsonl";

/** The paths of a store. */
export interface Layout {
  readonly runs: string;
  readonly sessions: string;
  /** Files that are not in place yet, and folders that are being deleted. */
  readonly temps: string;
  runFolder(id: string): string;
  journal(id: string): string;
  record(id: string): string;
  session(id: string): string;
  claim(key: string): string;
  lock(name: string): string;
}

/** @param folder - The folder of the store; it need not exist. */
export function layoutOf(folder: string): Layout {
  const root = resolve(folder);
  const runs = join(root, "runs");
  const sessions = join(root, "sessions");
  return {
    runs,
    sessions,
    temps: join(root, "tmp"),
    runFolder: (id) => join(runs, safeName(id)),
    journal: (id) => join(runs, safeName(id), JOURNAL_FILE),
    record: (id) => join(runs, safeName(id), RECORD_FILE),
    session: (id) => join(sessions, safeName(id) + ENDING),
    claim: (key) => join(root, "claims", safeName(key) + ENDING),
    lock: (name) => join(root, "locks", safeName(name) + ENDING),
  };
}
