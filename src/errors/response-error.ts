/**
 * Makes the error of an HTTP answer, for adapters that speak to a provider without its SDK.
 *
 * Floor 1 (errors): the same classification as for the errors of SDKs, so that both give one verdict.
 */

import { clipEnd } from "../util/text.ts";
import { toHarnessError } from "./adopt.ts";
import type { ModelError } from "./harness-error.ts";
import { messageOf } from "./message.ts";
import { attempt, isObject, readText } from "./read.ts";
import type { RedactOptions } from "./redact.ts";

/** An answer of a provider that is an error, or holds one. */
export interface ProviderResponse extends RedactOptions {
  /** The HTTP status. An error inside a 200 is classified by its words. */
  status: number;
  /** A `Headers` object or a plain object. */
  headers?: unknown;
  /** The body as text, or as parsed JSON. */
  body?: unknown;
  /** What happened, in place of the provider's own sentence. */
  message?: string | undefined;
  /** How many deltas of the answer a consumer has seen. @defaultValue 0 */
  delivered?: number | undefined;
  /** Milliseconds since the epoch. @defaultValue Date.now */
  now?: (() => number) | undefined;
}

const MAX_SENTENCE_CHARS = 1_000;

/**
 * The `ModelError` for an answer: status, provider code, request id and `Retry-After` included, secrets not.
 *
 * @example
 * if (!response.ok) {
 *   throw modelErrorFromResponse({ status: response.status, headers: response.headers, body: await response.text() });
 * }
 */
export function modelErrorFromResponse(response: ProviderResponse): ModelError {
  const { status, headers, body, message, ...options } = response;
  const parsed = parseBody(body);
  const failure = Object.assign(new Error(message ?? describeAnswer(status, parsed, body)), {
    name: status >= 400 ? "HttpError" : "JSONParseError",
    status,
    headers,
    data: parsed,
    responseBody: body,
  });
  return toHarnessError(failure, "model", options) as ModelError;
}

function parseBody(body: unknown): unknown {
  if (typeof body !== "string") return isObject(body) ? body : undefined;
  const parsed: unknown = attempt(() => JSON.parse(body));
  // Google wraps the error of a stream in a list.
  return Array.isArray(parsed) ? parsed[0] : parsed;
}

function describeAnswer(status: number, parsed: unknown, body: unknown): string {
  const sentence = isObject(parsed) ? sentenceIn(parsed) : sentenceInText(typeof body === "string" ? body : "");
  return sentence === ""
    ? `The provider answered ${status} without a body.`
    : `The provider answered ${status}: ${sentence}`;
}

function sentenceIn(parsed: object): string {
  return clipEnd(readText(parsed, "detail") ?? messageOf(parsed), MAX_SENTENCE_CHARS);
}

function sentenceInText(body: string): string {
  const text = body.trim();
  if (!/^<(?:!doctype|html)/i.test(text)) return clipEnd(text, MAX_SENTENCE_CHARS);
  const title = /<title>([^<]{1,200})/i.exec(text)?.[1]?.trim();
  return title === undefined ? "a web page where JSON was due." : `a web page "${title}" where JSON was due.`;
}
