/**
 * Reads values out of JSON that a server sent, trusting none of it; writes JSON that any server takes.
 *
 * Wing adapters (models, shared base).
 */
import { cleanText } from "../../../util/text.ts";

/** A JSON object of unknown content. */
export type JsonRecord = { readonly [key: string]: unknown };

/** Says whether a value is a JSON object (not null, not a list). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text, or `undefined` for anything else and for the empty text. */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A count as servers report it; anything else is `undefined`. */
export function countOrNothing(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A member, or nothing where there is no value. */
export function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

/** Parses JSON; `undefined` when it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What `JSON.stringify` writes for a lone surrogate or a NUL; also matches text that merely looks so. */
const SUSPECT = /\\u(?:d[89a-f]|0000)/i;

/** Says whether JSON text may hold a lone surrogate or a NUL. */
export function isSuspect(json: string): boolean {
  return SUSPECT.test(json);
}

/**
 * Writes JSON without lone surrogates and NUL, which make strict servers refuse the whole request.
 * Values without them, nearly all, are walked once.
 */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return isSuspect(text) ? JSON.stringify(value, cleanMember) : text;
}

function cleanMember(_key: string, item: unknown): unknown {
  if (typeof item === "string") return cleanText(item);
  if (!isRecord(item)) return item;
  return Object.fromEntries(Object.entries(item).map(([key, member]) => [cleanText(key), member]));
}
