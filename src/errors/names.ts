/**
 * The names and sentences by which clients mark a timeout, an abort, a defect and an unreadable answer.
 *
 * Floor 1 (errors). Minified SDKs lose their class names, so that their fixed sentences count as well.
 */

import type { Fact } from "./evidence.ts";
import { isList, read } from "./read.ts";
import { isTimeoutCode } from "./system-codes.ts";
import { saysNotJson } from "./wording.ts";

const TIMEOUT_NAME =
  /^(?:AI_)?(?:Timeout|APIConnectionTimeout|ConnectTimeout|HeadersTimeout|BodyTimeout|RequestTimeout|ReadTimeout|ResponseTimeout|DeadlineExceeded)Error$|^ModelTimeoutException$/;
const ABORT_NAME =
  /^(?:AbortError|APIUserAbortError|CanceledError|CancelledError|RequestAbortedError|ResponseAborted)$/;
const ABORT_CODE = /^(?:ABORT_ERR|ERR_CANCELED|UND_ERR_ABORTED)$/;
const DEFECT_NAME = /^(?:TypeError|ReferenceError|RangeError|SyntaxError)$/;
const UNREADABLE_NAME = /^_?(?:AI_)?\$?(?:ZodError|JSONParseError|TypeValidationError)$/;

/** Tells whether a timer ran out. Asked before {@link isAbort}: a client's timer aborts its own request. */
export function isTimeout({ value, names, message, code }: Fact): boolean {
  return (
    names.some((name) => TIMEOUT_NAME.test(name)) ||
    message === "Request timed out." ||
    isTimeoutCode(code, message) ||
    read(value, "timedOut") === true
  );
}

/** Tells whether somebody stopped the operation. */
export function isAbort({ names, message, code }: Fact): boolean {
  return ABORT_CODE.test(code) || names.some((name) => ABORT_NAME.test(name)) || message === "Request was aborted.";
}

/** Tells whether data did not have the form that was expected. */
export function isUnreadable({ value, names, message }: Fact): boolean {
  if (names.some((name) => UNREADABLE_NAME.test(name)) || read(value, "type") === "invalid-json") return true;
  return names.includes("SyntaxError") && saysNotJson(message);
}

/** Tells whether a schema refused a value: zod's error, or any error with a list of issues. */
export function isSchemaFailure(fact: Fact): boolean {
  return isUnreadable(fact) || isList(read(fact.value, "issues"));
}

/** Tells whether the language reported a mistake in a program. */
export function isDefect({ names }: Fact): boolean {
  return names.some((name) => DEFECT_NAME.test(name));
}
