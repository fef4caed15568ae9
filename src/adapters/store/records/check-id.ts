/**
 * Refuses what is no name of a run, session, key or lock.
 *
 * Wing (store).
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";

/** @throws TypeError RUNTIME_INVALID_CONFIG when it is no string. Every string is an id. */
export function checkId(id: unknown, what: string): void {
  if (typeof id !== "string") throw misuse(`${what} must be a string, got ${quoteValue(id)}.`);
}
