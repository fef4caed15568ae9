/**
 * Refuses what a newer version of the package wrote.
 *
 * Wing (store). Whether an older or odd version can be read is for whoever reads the record itself.
 */
import { ContextError } from "../../../errors/index.ts";

/**
 * @param what - Begins the message: "The record of run r1 in /data/run.jsonl".
 * @throws ContextError CONTEXT_SNAPSHOT_VERSION with both versions.
 */
export function checkVersion(version: unknown, newest: number, what: string): void {
  if (typeof version !== "number" || version <= newest) return;
  throw new ContextError(
    `${what} has version ${version}, this package reads up to ${newest}. Update harness-kit to read it; nothing was changed.`,
    { code: "CONTEXT_SNAPSHOT_VERSION", detail: { version, newest } },
  );
}
