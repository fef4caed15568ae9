/**
 * Where runs and sessions are kept: "harness-kit/store", listed by hand.
 *
 * Adapters wing (Node).
 *
 * @module harness-kit/store
 */
export type {
  JournalEntry,
  JournalResume,
  JournalStart,
  RunQuery,
  RunSummary,
  SessionRecord,
  SessionSummary,
  Store,
  StoredJournal,
  Unlock,
} from "../../contract/store.ts";
export type { Durability } from "./file/disk.ts";
export { type FileStoreOptions, fileStore } from "./file/file-store.ts";
export { memoryStore } from "./memory/memory-store.ts";
export { type PruneOptions, pruneRuns } from "./records/prune-runs.ts";
