/**
 * Copies any value as small plain JSON, reading only and calling nothing.
 *
 * Floor 1 (errors): `JSON.stringify` would call the value's `toJSON` and its getters could throw.
 */

import { isList, isObject, keysOf, read, readList } from "./read.ts";
import { REDACTED, type RedactOptions } from "./redact.ts";
import { safeText } from "./safe-text.ts";

const MAX_DEPTH = 4;
const MAX_ENTRIES = 24;
const MAX_TEXT_CHARS = 500;
const SECRET_KEY =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|.{0,40}(?:api[-_]?key|secret|password|passwd|private[-_]?key)|.{0,40}[-_a-z]token)$/i;

/** A JSON copy of `value`; what JSON cannot hold is left out, and secrets are replaced. */
export function toPlainData(value: unknown, options: RedactOptions = {}, depth = 0): unknown {
  if (typeof value === "string") return safeText(value, options, MAX_TEXT_CHARS);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "boolean" || value === null) return value;
  if (!isObject(value) || depth >= MAX_DEPTH) return undefined;
  return isList(value) ? copyList(value, options, depth) : copyRecord(value, options, depth);
}

function copyList(list: readonly unknown[], options: RedactOptions, depth: number): unknown[] {
  return readList({ list }, "list", MAX_ENTRIES).map((entry) => toPlainData(entry, options, depth + 1) ?? null);
}

function copyRecord(record: object, options: RedactOptions, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of keysOf(record).slice(0, MAX_ENTRIES)) {
    const value = toPlainData(read(record, key), options, depth + 1);
    // Assigning to __proto__ would change the copy's prototype instead of adding a property.
    if (value === undefined || key === "__proto__") continue;
    copy[safeText(key, options, MAX_TEXT_CHARS)] = typeof value === "string" && SECRET_KEY.test(key) ? REDACTED : value;
  }
  return copy;
}
