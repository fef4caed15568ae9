/**
 * The parts that a store is put together from.
 *
 * Wing (store).
 */
import type { Store } from "../../../contract/store.ts";

/** What a store does with runs. */
export type RunMethods = Pick<Store, "append" | "readJournal" | "saveRun" | "loadRun" | "listRuns" | "deleteRun">;

/** What a store does with sessions. */
export type SessionMethods = Pick<Store, "saveSession" | "loadSession" | "listSessions" | "deleteSession">;
