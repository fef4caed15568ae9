/**
 * Finds words for any value that was thrown.
 *
 * Floor 1 (errors).
 */

import { clipEnd } from "../util/text.ts";
import { toPlainData } from "./plain-data.ts";
import { isObject, read, readList, readText, typeNameOf } from "./read.ts";
import type { RedactOptions } from "./redact.ts";
import { safeText } from "./safe-text.ts";

const MAX_JSON_CHARS = 500;
const MAX_CHILDREN = 5;
const MAX_DEPTH = 2;

/**
 * The message of any value: never empty, at most 2,000 characters, without secrets. Never throws.
 *
 * @example
 * errorMessage(null); // "null"
 */
export function errorMessage(value: unknown, options: RedactOptions = {}): string {
  return safeText(messageOf(value), options);
}

/** The message as the value has it, neither redacted nor bounded. */
export function messageOf(value: unknown, depth = 0): string {
  if (typeof value === "function") return "[a function was thrown]";
  if (!isObject(value)) return String(value).trim() === "" ? "[an empty string was thrown]" : String(value);
  const own = readWords(value, "message") ?? readWords(value, "error") ?? readWords(read(value, "error"), "message");
  return own ?? joinChildren(value, depth) ?? nameWithoutMessage(value) ?? describe(value);
}

/** `new Error(object)` says only that it was an object, which is nobody's message. */
function readWords(value: unknown, key: string): string | undefined {
  const text = readText(value, key);
  return text === "[object Object]" ? undefined : text;
}

function joinChildren(value: object, depth: number): string | undefined {
  const children = depth < MAX_DEPTH ? readList(value, "errors", MAX_CHILDREN) : [];
  return children.length === 0 ? undefined : children.map((child) => messageOf(child, depth + 1)).join("; ");
}

function nameWithoutMessage(value: object): string | undefined {
  const isError = typeof read(value, "message") === "string";
  return isError ? `${typeNameOf(value) ?? "Error"} without a message` : undefined;
}

function describe(value: object): string {
  const text = JSON.stringify(toPlainData(value));
  return text === "{}" || text === "[]" ? "[object without a message was thrown]" : clipEnd(text, MAX_JSON_CHARS);
}
