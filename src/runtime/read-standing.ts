/**
 * Finds out how a stored run stands: over, waiting for answers, or interrupted in the middle.
 *
 * Floor 5 (runtime). Record and journal may tell of different moments, since a process can die between the
 * two: the later one counts.
 */
import { AgentContext } from "../context/agent-context.ts";
import type { Message } from "../contract/message.ts";
import type { AgentRun } from "../contract/run.ts";
import { JOURNAL_VERSION, type JournalEntry, type JournalResume, type JournalStart } from "../contract/store.ts";
import { ContextError, isHarnessError } from "../errors/index.ts";
import { quoteValue } from "../util/text.ts";
import { parseRun } from "./parse-run.ts";
import { callStore, type StoreAccess } from "./store-call.ts";

/** How a stored run stands. */
export type Standing =
  | { readonly type: "ended"; readonly run: AgentRun }
  | { readonly type: "paused"; readonly run: AgentRun }
  | Interruption;

/** A run whose process died, and what its journal has of the part that was interrupted. */
export interface Interruption {
  readonly type: "interrupted";
  readonly id: string;
  readonly opening: JournalStart | JournalResume;
  /** The paused record that the part goes on from, when it does. */
  readonly base: AgentRun | undefined;
  readonly known: ReadonlyMap<string, unknown>;
  readonly inFlight: ReadonlyMap<string, number>;
}

/** Reads how a run stands. @throws ContextError when it is missing, damaged or newer than this package. */
export async function readStanding(access: StoreAccess, id: string): Promise<Standing> {
  const saved = await callStore(access, "load the run", (store) => store.loadRun(id));
  const run = saved === undefined ? undefined : parseRun(saved);
  if (run !== undefined && run.status !== "paused") return { type: "ended", run };
  const journal = await callStore(access, "read the journal", (store) => store.readJournal(id));
  if (journal === undefined) {
    if (run !== undefined) return { type: "paused", run };
    throw new ContextError(`The store has no run ${quoteValue(id)}. Look for its id in store.listRuns().`, {
      code: "CONTEXT_NOT_FOUND",
    });
  }
  if (journal.entries.length === 0 && run === undefined) throw neverBegun(id);
  return standingOf(id, journal.entries, run);
}

/** A process may die between making the file of a journal and writing into it. */
function neverBegun(id: string): ContextError {
  const message =
    `The journal of the run ${quoteValue(id)} holds nothing: its process died before the start was written down. ` +
    "Nothing is known of it; start it anew, also with the same id.";
  return new ContextError(message, { code: "CONTEXT_NOT_FOUND" });
}

function standingOf(id: string, entries: readonly JournalEntry[], base: AgentRun | undefined): Standing {
  const at = entries.findLastIndex((entry) => entry.type === "run:start" || entry.type === "run:resume");
  const opening = entries[at];
  if (opening?.type !== "run:start" && opening?.type !== "run:resume") {
    throw damaged(id, "it does not say how the run began");
  }
  // A record that was made after the part began is what the part came to.
  if (base !== undefined && (opening.type === "run:start" || (base.eventCount ?? 0) > opening.from)) {
    return { type: "paused", run: base };
  }
  if (opening.type === "run:start") checkVersion(id, opening);
  else if (base === undefined) throw damaged(id, "the paused record that it goes on from is missing");
  return { type: "interrupted", id, opening, base, ...foldEffects(entries.slice(at + 1)) };
}

function foldEffects(entries: readonly JournalEntry[]): Pick<Interruption, "known" | "inFlight"> {
  const known = new Map<string, unknown>();
  const inFlight = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type === "effect:start") inFlight.set(entry.key, entry.at);
    if (entry.type === "effect:end") {
      inFlight.delete(entry.key);
      known.set(entry.key, entry.value);
    }
  }
  return { known, inFlight };
}

/** Whether an error says that the store has no such run. */
export function isNotFound(error: unknown): boolean {
  return isHarnessError(error, "context") && error.code === "CONTEXT_NOT_FOUND";
}

/** A context of messages out of a store. @throws ContextError for messages that are none. */
export function contextOf(messages: readonly Message[]): AgentContext {
  const context = new AgentContext();
  for (const message of messages) context.add(message);
  return context;
}

function checkVersion(id: string, { schemaVersion }: JournalStart): void {
  if (schemaVersion === JOURNAL_VERSION) return;
  if (typeof schemaVersion === "number" && schemaVersion > JOURNAL_VERSION) {
    throw new ContextError(
      `The journal of the run ${quoteValue(id)} has version ${schemaVersion}, this package reads up to ${JOURNAL_VERSION}. Update harness-kit to resume it.`,
      { code: "CONTEXT_SNAPSHOT_VERSION" },
    );
  }
  throw damaged(id, `it has the version ${quoteValue(schemaVersion)}`);
}

function damaged(id: string, why: string): ContextError {
  return new ContextError(
    `The journal of the run ${quoteValue(id)} cannot be used: ${why}. Restore it from a backup, or start a new run.`,
    { code: "CONTEXT_STORE_DAMAGED" },
  );
}
