/**
 * Reads how long the other side asked to wait.
 *
 * Floor 1 (errors): no upper limit here, the retry planner has one. Junk counts as not said.
 *
 * @see RFC 9110 §10.2.3 for `Retry-After`, §5.6.7 for its dates
 */

import { isList, isObject, keysOf, read } from "./read.ts";

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
  const exact = readHeader(headers, "retry-after-ms")?.trim();
  if (exact !== undefined && NUMBER.test(exact)) return Number(exact);
  const text = readHeader(headers, "retry-after")?.trim();
  if (text === undefined) return undefined;
  return NUMBER.test(text) ? Math.round(Number(text) * 1000) : waitUntil(text, now);
}

/** The wait in a `google.rpc.RetryInfo` that stands as JSON in a text. */
export function parseRetryInfo(text: string): number | undefined {
  const seconds = RETRY_INFO.exec(text)?.[1];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

/** One header, in whatever form the headers are kept. */
export function readHeader(headers: unknown, name: string): string | undefined {
  const value = viaGet(headers, name) ?? viaKeys(headers, name);
  const first = isList(value) ? read(value, 0) : value;
  return typeof first === "string" || typeof first === "number" ? String(first) : undefined;
}

function waitUntil(date: string, now: () => number): number | undefined {
  // V8 reads a date into almost any text ("foo 1" is January 2001): only one with letters and a time counts.
  if (!/[a-z]/i.test(date) || !CLOCK_TIME.test(date)) return undefined;
  const moment = Date.parse(ZONE.test(date) ? date : `${date} GMT`);
  const wait = Math.max(0, moment - now());
  return Number.isNaN(wait) ? undefined : wait;
}

function viaGet(headers: unknown, name: string): unknown {
  if (typeof read(headers, "get") !== "function") return undefined;
  try {
    return (headers as { get(name: string): unknown }).get(name);
  } catch {
    return undefined;
  }
}

function viaKeys(headers: unknown, name: string): unknown {
  if (!isObject(headers)) return undefined;
  const exact = read(headers, name);
  if (exact !== undefined) return exact;
  const key = keysOf(headers).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : read(headers, key);
}
