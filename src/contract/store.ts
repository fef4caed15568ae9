/**
 * The store contract: where runs, their journals and the sessions that they belong to outlive the process.
 *
 * Floor 3 (contract). What passes is plain JSON. `storeContract` in `harness-kit/testing` proves a store.
 */
import type { ErrorCode, ErrorKind } from "../errors/index.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { Message } from "./message.ts";
import type { ModelSettings } from "./model.ts";
import type { AgentRun, RunStatus, StopReason } from "./run.ts";

/** The version of the journal's form. A newer one is refused. */
export const JOURNAL_VERSION = 1;

/** The version of a stored session's form. A newer one is refused. */
export const SESSION_VERSION = 1;

/** What happened in a run, in the order in which it happened. Times are milliseconds since the epoch. */
export type JournalEntry =
  | JournalStart
  | JournalResume
  /** An effect is about to start. One without its end was in flight when the process died. */
  | { readonly type: "effect:start"; readonly key: string; readonly at: number }
  /** What an effect gave, failures included. It is never repeated. */
  | { readonly type: "effect:end"; readonly key: string; readonly at: number; readonly value: unknown }
  /** The record of this part of the run is stored; nothing is left to do. */
  | { readonly type: "run:end"; readonly at: number; readonly status: RunStatus };

/** How a run began: all that is needed to do it again. */
export interface JournalStart {
  readonly type: "run:start";
  readonly schemaVersion: number;
  readonly at: number;
  readonly input: string;
  /** The whole context at the start, the input included. */
  readonly messages: readonly Message[];
  readonly system?: string | undefined;
  readonly settings?: ModelSettings | undefined;
  /** The run was asked for an answer of a certain form, which is no JSON and has to be given again. */
  readonly hasOutput?: true | undefined;
  readonly metadata?: unknown;
  readonly sessionId?: string | undefined;
}

/** A paused run goes on with these answers; what follows belongs to this part of the run. */
export interface JournalResume {
  readonly type: "run:resume";
  readonly at: number;
  /** The `eventCount` of the paused record that it goes on from. */
  readonly from: number;
  readonly decisions: readonly ApprovalDecision[];
  readonly system?: string | undefined;
  readonly settings?: ModelSettings | undefined;
}

/** A journal as it was read back. */
export interface StoredJournal {
  readonly entries: readonly JournalEntry[];
  /** What was left out because it was never written whole, in one sentence. */
  readonly recovered?: string | undefined;
}

/** A run in a list. */
export interface RunSummary {
  readonly id: string;
  /** The beginning of the input. */
  readonly input: string;
  /** "unfinished": the run goes on in some process, or its process died. "unreadable": `problem` says why. */
  readonly status: RunStatus | "unfinished" | "unreadable";
  readonly stopReason?: StopReason | undefined;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly errorKind?: ErrorKind | undefined;
  readonly errorCode?: ErrorCode | undefined;
  readonly sessionId?: string | undefined;
  /** Why the run is "unreadable", and what to do; the other fields are then what is known of it. */
  readonly problem?: string | undefined;
}

/** Which runs to list. Everything that is given must fit. */
export interface RunQuery {
  readonly status?: RunSummary["status"] | readonly RunSummary["status"][] | undefined;
  /** Started at this time or later, in milliseconds since the epoch. */
  readonly from?: number | undefined;
  /** Started before this time. */
  readonly to?: number | undefined;
  readonly sessionId?: string | undefined;
  /** Most runs, the newest first. @defaultValue 100 */
  readonly limit?: number | undefined;
}

/** A conversation of several runs. */
export interface SessionRecord {
  readonly schemaVersion: number;
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Its runs, the oldest first. The history of the session is the history of the last one. */
  readonly runIds: readonly string[];
}

/** A session in a list. */
export interface SessionSummary extends Pick<SessionRecord, "id" | "title" | "createdAt" | "updatedAt"> {
  /** How many runs it has. */
  readonly runs: number;
  /** Why the session cannot be read, and what to do; the other fields are then what is known of it. */
  readonly problem?: string | undefined;
}

/** The name of the lock on a run: whoever writes its journal or record, or takes it away, holds it meanwhile. */
export function lockOfRun(runId: string): string {
  return `run/${runId}`;
}

/** Gives a lock back. */
export type Unlock = () => Promise<void>;

/**
 * Keeps runs. Safe for several processes at once. A method that cannot do what it says rejects with a
 * ContextError: CONTEXT_STORE_FAILED when reading or writing failed, CONTEXT_STORE_DAMAGED when what is
 * stored is not what was written, CONTEXT_SNAPSHOT_VERSION when it is newer than this package. The message
 * says where and what to do.
 */
export interface Store {
  /** Adds entries to the journal of a run, which begins with the first of them. Resolves when they will survive the process. */
  append(runId: string, entries: readonly JournalEntry[]): Promise<void>;
  /** The journal of a run; `undefined` when there is none. An entry that was cut at the very end is left out, and said. */
  readJournal(runId: string): Promise<StoredJournal | undefined>;
  /** Keeps the record of a run in place of the one before, all or nothing. */
  saveRun(run: AgentRun): Promise<void>;
  /** The record of a run as it was saved; `undefined` when there is none. */
  loadRun(runId: string): Promise<AgentRun | undefined>;
  /**
   * The runs that fit, the newest first. A run with a journal and no record, or with a "run:resume" behind
   * its record, is "unfinished", one that is damaged or newer is "unreadable"; it does not hide the others.
   */
  listRuns(query?: RunQuery): Promise<readonly RunSummary[]>;
  /** Forgets a run, its journal included; false when there was none. */
  deleteRun(runId: string): Promise<boolean>;
  /**
   * Takes a key for a holder, once and for all: true for the first holder that asks and whenever that one
   * asks again, false for every other one. Two that ask at the same moment never both get true.
   */
  claim(key: string, holder: string): Promise<boolean>;
  /**
   * Locks a name until it is given back or the process that holds it dies; `undefined` when it is held.
   * A holder that died must not keep the lock for more than a minute.
   */
  lock(name: string): Promise<Unlock | undefined>;
  /** Keeps a session in place of the one before, all or nothing. */
  saveSession(session: SessionRecord): Promise<void>;
  /** Gives back the session, or nothing where there is none. */
  loadSession(id: string): Promise<SessionRecord | undefined>;
  /** All sessions, the latest changed first. */
  listSessions(): Promise<readonly SessionSummary[]>;
  /** Forgets a session; its runs stay. False when there was none. */
  deleteSession(id: string): Promise<boolean>;
}
