/**
 * Reads how long the other side asked to wait.
 *
 * Floor 1 (errors): no upper limit here, the retry planner has one. Junk counts as not said.
 *
 * @see RFC 9110 §10.2.3 for `Retry-After`, §5.6.7 for its dates
 */

import { attempt, isList, keysOf, read } from "./read.ts";

/** How to read the time when a date has to be turned into a wait. */
export interface RetryAfterOptions {
  /** Milliseconds since the epoch. @defaultValue Date.now */
  now?: (() => number) | undefined;
}

const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;
const CLOCK_TIME = /\d:\d{2}:\d{2}(?!\d)/;
const ZONE = /(?:GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i;
const RETRY_INFO = /"retryDelay"\s{0,4}:\s{0,4}"(\d{1,9}(?:\.\d{1,9})?)s"/;

/**
 * The wait that response headers ask for, in milliseconds: `retry-after-ms`, else `retry-after` as
 * seconds or as a date. A date in the past is 0.
 *
 * @param headers - A `Headers` object or a plain object with names in any case.
 */
export function parseRetryAfter(headers: unknown, { now = Date.now }: RetryAfterOptions = {}): number | undefined {
  const exact = toNumber(readHeader(headers, "retry-after-ms"));
  if (exact !== undefined) return exact;
  const text = readHeader(headers, "retry-after");
  const seconds = toNumber(text);
  return seconds === undefined ? waitUntil(String(text), now) : Math.round(seconds * 1000);
}

/** The wait in a `google.rpc.RetryInfo` that stands as JSON in a text. */
export function parseRetryInfo(text: string): number | undefined {
  const seconds = RETRY_INFO.exec(text)?.[1];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

/** One header without the blanks around it, in whatever form the headers are kept. */
export function readHeader(headers: unknown, name: string): string | undefined {
  const value = viaGet(headers, name) ?? viaKeys(headers, name);
  const first = isList(value) ? read(value, 0) : value;
  return typeof first === "string" || typeof first === "number" ? String(first).trim() : undefined;
}

function toNumber(text: string | undefined): number | undefined {
  return NUMBER.test(String(text)) ? Number(text) : undefined;
}

function waitUntil(date: string, now: () => number): number | undefined {
  // V8 reads a date into almost any text ("foo 1" is January 2001): only one with letters and a time counts.
  if (!/[a-z]/i.test(date) || !CLOCK_TIME.test(date)) return undefined;
  const moment = Date.parse(ZONE.test(date) ? date : `${date} GMT`);
  const wait = Math.max(0, moment - now());
  return Number.isNaN(wait) ? undefined : wait;
}

function viaGet(headers: unknown, name: string): unknown {
  return attempt(() => (headers as { get?(name: string): unknown }).get?.(name));
}

function viaKeys(headers: unknown, name: string): unknown {
  for (const key of keysOf(headers)) {
    if (key.toLowerCase() === name) return read(headers, key);
  }
  return undefined;
}
