/**
 * The journal of a run on the disk: lines that are only ever added.
 *
 * Wing (store). A process may die, or a disk be full, in the middle of a line. Such a line has no end; whoever
 * adds the next one closes it with a mark first. A line that has an end and does not fit its sum is damage.
 */
import { JOURNAL_VERSION, type JournalEntry, type StoredJournal } from "../../../contract/store.ts";
import { checkVersion } from "../records/check-version.ts";
import { toText } from "../records/json-text.ts";
import { summaryOfStart } from "../records/summaries.ts";
import { checkedLine, openPart, splitLines } from "./checked-line.ts";
import type { Disk } from "./disk.ts";
import { storeDamaged } from "./failures.ts";
import { appendText, readTail, readWhole } from "./files.ts";
import { checkOwner, headLine, openHead } from "./head.ts";

/**
 * Ends a line that was never written whole, with how many bytes of it there are: a line end in front of it that
 * is lost later on would otherwise make the line before a part of it.
 */
const cutMark = (bytes: number) => `#cut ${bytes}\n`;
const CUT_MARK = /#cut (\d{1,15})$/;
const MAX_MARK_CHARS = 20;

/** Where a journal is, and whose it is. */
export interface JournalPlace {
  readonly path: string;
  readonly runId: string;
}

/** Adds entries in one write. */
export async function appendEntries(disk: Disk, place: JournalPlace, entries: readonly JournalEntry[]): Promise<void> {
  const { path, runId } = place;
  const lines = entries.map((entry) => checkedLine("entry", toText(entry, `an entry of the journal of run ${runId}`)));
  if (lines.length === 0) return;
  await appendText(disk, path, (end) => {
    if (end === "whole") return lines.join("");
    // What was cut may have been the head.
    const head = headLine(runId, summaryOfStart(runId, entries[0]));
    return (end === "empty" ? "" : cutMark(end.cutBytes)) + head + lines.join("");
  });
}

/**
 * Reads a journal; `undefined` when there is none.
 *
 * @throws ContextError CONTEXT_STORE_DAMAGED with the line, CONTEXT_SNAPSHOT_VERSION.
 */
export function readEntries({ path, runId }: JournalPlace): StoredJournal | undefined {
  const bytes = readWhole(path);
  if (bytes === undefined) return undefined;
  const { lines, rest } = splitLines(bytes);
  const entries: JournalEntry[] = [];
  const cut: number[] = [];
  let hasHead = false;
  for (const [index, line] of lines.entries()) {
    const cutBytes = cutBytesOf(line);
    if (cutBytes !== undefined) {
      if (cutBytes > 0) cut.push(index + 1);
    } else if (readLine(line, { path, runId, number: index + 1, entries }) === "head") hasHead = true;
    else if (!hasHead) throw storeDamaged(path, "it does not begin with a head.", { line: index + 1 });
  }
  if (rest.length > 0) cut.push(lines.length + 1);
  return storedJournal(entries, cut);
}

/** Long enough for the shortest entries, of which the end of a run is one. */
const TAIL_BYTES = 512;

/** The last entry of a journal, when it is whole and short: all that a list has to know. */
export function lastEntryOf(path: string): JournalEntry | "absent" | undefined {
  const tail = readTail(path, TAIL_BYTES);
  if (tail === undefined) return "absent";
  const { lines, rest } = splitLines(tail);
  return rest.length > 0 ? undefined : openPart<JournalEntry>(lines.at(-1), "entry");
}

/** How many bytes of a line were written before it was cut and closed; `undefined` for all other lines. */
function cutBytesOf(line: Buffer): number | undefined {
  const [mark, counted] = CUT_MARK.exec(line.toString("latin1", Math.max(0, line.length - MAX_MARK_CHARS))) ?? [];
  if (mark === undefined) return undefined;
  const bytes = line.length - mark.length;
  // None: while somebody closed what looked cut, the one who was writing it came to the end of it.
  return bytes === 0 || bytes === Number(counted) ? bytes : undefined;
}

interface LinePlace extends JournalPlace {
  readonly number: number;
  /** Where an entry goes. */
  readonly entries: JournalEntry[];
}

function readLine(line: Buffer, { path, runId, number, entries }: LinePlace): "head" | "entry" {
  const entry = openPart<JournalEntry>(line, "entry");
  if (entry === undefined) {
    checkOwner(openHead(line, path, number), runId, path);
    return "head";
  }
  if (entry.type === "run:start") checkVersion(entry.schemaVersion, JOURNAL_VERSION, `The journal in ${path}`);
  entries.push(entry);
  return "entry";
}

function storedJournal(entries: readonly JournalEntry[], cut: readonly number[]): StoredJournal {
  Object.freeze(entries);
  if (cut.length === 0) return Object.freeze({ entries });
  const what = cut.length === 1 ? `Line ${cut[0]} was` : `The lines ${cut.join(", ")} were`;
  return Object.freeze({ entries, recovered: `${what} cut while being written, and left out.` });
}
