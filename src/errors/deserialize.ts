/**
 * Makes an error again of what `serializeError` wrote.
 *
 * Floor 1 (errors): the record may come from a file or the network, so that nothing in it is believed
 * without a look and no key of it is copied by name.
 */

import { kindOf } from "./brand.ts";
import { type AnyHarnessError, ERROR_CLASSES } from "./harness-error.ts";
import { type ErrorKind, isErrorKind, RETRY_STATES, type RetryState } from "./kinds.ts";
import { errorMessage } from "./message.ts";
import { type HarnessErrorOptions, isDuration, isHttpStatus } from "./options.ts";
import { toPlainData } from "./plain-data.ts";
import { isList, isObject, read, readList, readText } from "./read.ts";

const MAX_DEPTH = 8;
const MAX_CHILDREN = 5;

/**
 * Revives an error from its JSON. Fields of a wrong type are ignored; an unknown code is kept.
 *
 * @returns An error of ours, or a plain `Error` when the record names no known kind.
 */
export function deserializeError(record: unknown): AnyHarnessError | Error {
  return kindOf(record) === undefined ? revive(record, 0) : (record as AnyHarnessError);
}

function revive(record: unknown, depth: number): AnyHarnessError | Error {
  const kind = read(record, "kind");
  const error = isErrorKind(kind) ? reviveOwn(kind, record, depth) : reviveForeign(record, depth);
  const name = readText(record, "name");
  if (name !== undefined) define(error, "name", name);
  // Where the error is revived says nothing; the place where it happened did not travel, or is in the record.
  define(error, "stack", readText(record, "stack") ?? `${error.name}: ${error.message}`);
  return error;
}

function reviveOwn(kind: ErrorKind, record: unknown, depth: number): AnyHarnessError {
  const retryable = read(record, "retryable");
  const detail = read(record, "detail");
  return new ERROR_CLASSES[kind](messageIn(record), {
    code: readText(record, "code"),
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    providerCode: textIn(record, "providerCode"),
    requestId: textIn(record, "requestId"),
    detail: isObject(detail) && !isList(detail) ? (toPlainData(detail) as Record<string, unknown>) : undefined,
    cause: reviveCause(record, depth),
    ...reviveFacts(record),
  });
}

function reviveFacts(record: unknown): HarnessErrorOptions {
  const status = read(record, "status");
  const retryAfterMs = read(record, "retryAfterMs");
  const attempts = read(record, "attempts");
  const retryState = read(record, "retryState");
  return {
    status: isHttpStatus(status) ? status : undefined,
    retryAfterMs: isDuration(retryAfterMs) ? retryAfterMs : undefined,
    attempts: Number.isSafeInteger(attempts) && (attempts as number) >= 1 ? (attempts as number) : undefined,
    retryState: (RETRY_STATES as readonly unknown[]).includes(retryState) ? (retryState as RetryState) : undefined,
  };
}

function reviveForeign(record: unknown, depth: number): Error {
  const cause = reviveCause(record, depth);
  const error = new Error(messageIn(record), cause === undefined ? undefined : { cause });
  const code = read(record, "code");
  const status = read(record, "status");
  const errors = depth < MAX_DEPTH ? readList(record, "errors", MAX_CHILDREN) : [];
  if (typeof code === "string" || typeof code === "number") define(error, "code", code);
  if (isHttpStatus(status)) define(error, "status", status);
  if (errors.length > 0)
    define(
      error,
      "errors",
      errors.map((child) => revive(child, depth + 1)),
    );
  return error;
}

function reviveCause(record: unknown, depth: number): Error | undefined {
  const cause = read(record, "cause");
  return isObject(cause) && depth < MAX_DEPTH ? revive(cause, depth + 1) : undefined;
}

function messageIn(record: unknown): string {
  return textIn(record, "message") ?? errorMessage(record);
}

function textIn(record: unknown, key: string): string | undefined {
  const text = read(record, key);
  return typeof text === "string" ? text : undefined;
}

function define(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: false });
}
