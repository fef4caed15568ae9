/**
 * What the cases of the store contract have in common: a store, a second way to it, and things to keep.
 *
 * Testing wing (Node).
 */
import { type AgentRun, RUN_SCHEMA_VERSION } from "../contract/run.ts";
import {
  JOURNAL_VERSION,
  type JournalEntry,
  type JournalStart,
  SESSION_VERSION,
  type SessionRecord,
  type Store,
} from "../contract/store.ts";
import { type HarnessError, isHarnessError } from "../errors/index.ts";
import type { ContractExpect } from "./model-contract-kit.ts";

/** A store to test. */
export interface StoreUnderTest {
  /** Empty. */
  readonly store: Store;
  /** Opens what `store` keeps once more, as another process would; left out by a store that only it can read. */
  readonly reopen?: (() => Store | Promise<Store>) | undefined;
  /** Takes the store away when its case is over. */
  readonly dispose?: (() => unknown) | undefined;
}

/** What a case works with. */
export interface StoreKit {
  readonly store: Store;
  /** The same store opened once more, or `store` itself where it cannot be. */
  readonly other: Store;
  readonly expect: ContractExpect;
}

/** One case: a sentence about stores, and its proof. */
export interface StoreCase {
  readonly sentence: string;
  run(kit: StoreKit): Promise<void>;
}

/** Ids that look alike, or like something else. Every text is an id. */
export const ODD_IDS: readonly string[] = [
  ...["a", "A", "a ", "a/b", "a\\b", "a.b", "a\u0000b", "../a", "..", ".", "", "~", "con", "nul.txt", "-rf"],
  ...["caf\u00e9", "cafe\u0301", "\ud83d\ude00", "\ud800", "\ud801", "%2e%2e", "a\nb", "x".repeat(2_000)],
];

/** The start of a run. */
export function startOf(input: string, more: Partial<JournalStart> = {}): JournalStart {
  const messages = [{ role: "user", content: input }] as const;
  return { type: "run:start", schemaVersion: JOURNAL_VERSION, at: 1_000, input, messages, ...more };
}

/** An effect that was done. */
export function effectOf(key: string, value: unknown): readonly JournalEntry[] {
  return [
    { type: "effect:start", key, at: 1_001 },
    { type: "effect:end", key, at: 1_002, value },
  ];
}

/** A record of a run that completed. */
export function recordOf(id: string, more: Partial<AgentRun> = {}): AgentRun {
  return {
    schemaVersion: RUN_SCHEMA_VERSION,
    id,
    input: "What is 17 + 38?",
    status: "completed",
    stopReason: "finished",
    answer: "It is 55.",
    history: [
      { role: "user", content: "What is 17 + 38?" },
      { role: "assistant", content: "It is 55." },
    ],
    steps: [{ type: "finish", index: 0, startedAt: 1_000, durationMs: 1, stopReason: "finished", answer: "It is 55." }],
    iterations: 1,
    startedAt: 1_000,
    endedAt: 1_001,
    usage: { inputTokens: 11, outputTokens: 7 },
    ...more,
  };
}

/** A session. */
export function sessionOf(id: string, more: Partial<SessionRecord> = {}): SessionRecord {
  const times = { createdAt: 1_000, updatedAt: 2_000 };
  return { schemaVersion: SESSION_VERSION, id, title: `About ${id}`, runIds: [], ...times, ...more };
}

/** The error with which a store refuses. Throws when it does not, and when the error is none of the context. */
export async function refusalOf(answer: Promise<unknown>): Promise<HarnessError> {
  const error: unknown = await answer.then(
    (value) => new Error(`expected a refusal, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!isHarnessError(error, "context")) throw error;
  return error;
}
