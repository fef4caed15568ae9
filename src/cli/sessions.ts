/**
 * Where the command line keeps sessions, and how it lists them.
 *
 * Command line. Nothing is written unless a session, a run to resume or a store was asked for.
 */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileStore } from "../adapters/store/file/file-store.ts";
import type { AgentRun } from "../contract/run.ts";
import type { Store } from "../contract/store.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import type { CliIo } from "./io.ts";
import type { CliOptions } from "./options.ts";
import { visibleLine } from "./visible.ts";

/** The folder of the store when neither `--store` nor HARNESS_STORE names one, in the home directory. */
export const DEFAULT_STORE = ".harness-kit";

/** The store that the options ask for; `undefined` when they ask for none. */
export function storeFor({ env, cwd }: CliIo, options: CliOptions): Store | undefined {
  const { store, session, sessions, resume } = options;
  if (store === undefined && session === undefined && sessions !== true && resume === undefined) return undefined;
  const named = store ?? env["HARNESS_STORE"];
  return fileStore(named ? resolve(cwd, named) : join(env["HOME"] || homedir(), DEFAULT_STORE));
}

/** The sessions as a table, or as JSON. */
export async function listSessions(store: Store, asJson: boolean): Promise<string> {
  const sessions = await store.listSessions();
  if (asJson) return `${JSON.stringify(sessions, undefined, 2)}\n`;
  if (sessions.length === 0) return 'No sessions yet. Start one with harness-kit --session NAME "…".\n';
  const rows = sessions.map(({ id, title, updatedAt, runs }) => [
    visibleLine(id, 60),
    new Date(updatedAt).toISOString().slice(0, 16).replace("T", " "),
    `${runs} ${runs === 1 ? "run" : "runs"}`,
    visibleLine(title, 60),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`).join("");
}

/** Goes on with the last run of a session, or with a run. */
export async function resumeById(
  runtime: Runtime,
  store: Store,
  id: string,
  options: { readonly signal: AbortSignal },
): Promise<AgentRun> {
  const session = await store.loadSession(id);
  return session === undefined ? runtime.resume(id, [], options) : runtime.session(id).resume([], options);
}
