/**
 * What may be said about an error when it is made, and the check of it.
 *
 * Floor 1 (errors).
 */

import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import type { ErrorCode } from "./codes.ts";
import { RETRY_STATES, type RetryState } from "./kinds.ts";

/** The second argument of every error class. */
export interface HarnessErrorOptions {
  /** What happened. Left out, it is the `…_UNKNOWN` code of the class (`TOOL_THREW` for tools). */
  code?: ErrorCode | undefined;
  /** Whether the same call may succeed unchanged. Left out, the code decides, then the class. */
  retryable?: boolean | undefined;
  /** The original error or value. */
  cause?: unknown;
  /** The HTTP status, 100 to 599. */
  status?: number | undefined;
  /** How long the other side asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The provider's own word for what happened, such as `insufficient_quota`. */
  providerCode?: string | undefined;
  /** The provider's id of the request, for its support. */
  requestId?: string | undefined;
  /** How many times the call was made, 1 or more. */
  attempts?: number | undefined;
  /** Plain JSON data that helps to act on the failure. It travels with the error. */
  detail?: Readonly<Record<string, unknown>> | undefined;
  /** Why no further attempt was made. */
  retryState?: RetryState | undefined;
}

/** The options that become properties only when they are given. */
export const FACTS = [
  "status",
  "retryAfterMs",
  "providerCode",
  "requestId",
  "attempts",
  "detail",
  "retryState",
] as const satisfies (keyof HarnessErrorOptions)[];

type Check = readonly [test: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): value is string => typeof value === "string";
const TEXT: Check = [isText, "a string"];

const CHECKS: Record<Exclude<keyof HarnessErrorOptions, "cause">, Check> = {
  code: [(value) => isText(value) && value !== "", 'a code such as "MODEL_TIMEOUT"'],
  retryable: [(value) => typeof value === "boolean", "true or false"],
  status: [isHttpStatus, "an HTTP status from 100 to 599"],
  retryAfterMs: [isDuration, "a number of milliseconds, 0 or more"],
  providerCode: TEXT,
  requestId: TEXT,
  attempts: [(value) => Number.isSafeInteger(value) && (value as number) >= 1, "a whole number from 1 up"],
  detail: [(value) => typeof value === "object" && !Array.isArray(value), "an object with plain JSON data"],
  retryState: [(value) => (RETRY_STATES as readonly unknown[]).includes(value), `one of ${RETRY_STATES.join(", ")}`],
};

const CHECK_LIST = Object.entries(CHECKS);

/** Refuses what cannot be the arguments of an error class. An explicit `undefined` counts as left out. */
export function checkErrorArguments(name: string, message: unknown, options: HarnessErrorOptions): void {
  if (typeof message !== "string") {
    throw misuse(`The message of a ${name} must be a string, got ${quoteValue(message)}. Say what happened.`);
  }
  if (typeof options !== "object" || options === null) {
    throw misuse(`The options of a ${name} must be an object such as { code, cause }, got ${quoteValue(options)}.`);
  }
  for (const [key, [test, expected]] of CHECK_LIST) {
    const value = options[key as keyof typeof CHECKS];
    if (value === undefined || (value !== null && test(value))) continue;
    throw misuse(`The option ${key} of a ${name} must be ${expected}, got ${quoteValue(value)}. Or leave it out.`);
  }
}

/** Tells whether a value is an HTTP status code. */
export function isHttpStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599;
}

/** Tells whether a value is a length of time: finite and not negative. */
export function isDuration(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}
