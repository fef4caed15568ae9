/**
 * Gathers what a failed call left behind: status, words, sentences, headers, whichever client it was.
 *
 * Floor 1 (errors).
 */

import { statusInCode, statusOf } from "./http-status.ts";
import type { Nodes } from "./nodes.ts";
import { constructorNameOf, isList, isObject, read, readList, readText } from "./read.ts";
import { readHeader } from "./retry-after.ts";

/** One error of the chain. */
export interface Fact {
  readonly value: object;
  readonly names: readonly string[];
  readonly message: string;
  readonly code: unknown;
}

/** All that is known of a failed call. */
export interface Evidence {
  /** The errors of the chain, outermost first. */
  readonly facts: readonly Fact[];
  /** The objects in which the provider's answer may stand, the errors themselves included. */
  readonly bodies: readonly object[];
  /** The HTTP status of 400 or more, else the first one there is. */
  readonly status: number | undefined;
  /** The words of the provider: codes, types, reasons. */
  readonly words: readonly string[];
  /** The names of the errors and of their classes. */
  readonly names: readonly string[];
  /** All sentences, one per line. */
  readonly text: string;
  readonly headers: readonly unknown[];
}

const MAX_TEXT_CHARS = 20_000;
const MAX_DETAILS = 8;
const WORD_KEYS = ["code", "type", "status", "__type"] as const;
const REQUEST_ID_HEADERS = ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id"] as const;

/** Gathers the evidence of a chain of foreign errors. */
export function gatherEvidence({ foreign }: Nodes): Evidence {
  const facts = foreign.map(toFact);
  const bodies = facts.flatMap(bodiesOf);
  const statuses = [...foreign.map(statusOf), ...bodies.map(statusInCode)].filter((status) => status !== undefined);
  return {
    facts,
    bodies,
    status: statuses.find((status) => status >= 400) ?? statuses[0],
    words: bodies.flatMap(wordsOf),
    names: facts.flatMap((fact) => fact.names),
    text: [...facts.map((fact) => fact.message), ...bodies.flatMap(sentencesOf)].join("\n").slice(0, MAX_TEXT_CHARS),
    headers: foreign.flatMap(headersOf),
  };
}

/** A header of the response, from the outermost error that has it. */
export function headerIn({ headers }: Evidence, name: string): string | undefined {
  for (const source of headers) {
    const value = readHeader(source, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The provider's id of the request, from where SDKs put it, from the body or from the headers. */
export function requestIdIn(evidence: Evidence): string | undefined {
  for (const body of evidence.bodies) {
    const id = readText(body, "requestID") ?? readText(body, "request_id") ?? readText(body, "requestId");
    const known = id ?? readText(read(body, "$metadata"), "requestId");
    if (known !== undefined) return known;
  }
  return REQUEST_ID_HEADERS.map((name) => headerIn(evidence, name)).find((id) => id !== undefined);
}

function toFact(value: object): Fact {
  const names = [readText(value, "name"), constructorNameOf(value)].filter((name) => name !== undefined);
  return {
    value,
    names,
    message: (readText(value, "message") ?? "").slice(0, MAX_TEXT_CHARS),
    code: read(value, "code"),
  };
}

/** The objects in which an error may keep the provider's answer, the error itself first. */
function bodiesOf({ value, message }: Fact): object[] {
  const answer = read(read(value, "response"), "data");
  const texts = [read(value, "responseBody"), read(value, "body"), answer, message];
  const bodies = [value];
  for (const body of [read(value, "error"), read(value, "data"), answer, ...texts.map(parseJson)])
    addBody(bodies, body, 2);
  return bodies;
}

/** Adds a body and the `error` objects inside it. */
function addBody(bodies: object[], body: unknown, depth: number): void {
  if (!isObject(body) || bodies.includes(body)) return;
  bodies.push(body);
  if (depth > 0) addBody(bodies, read(body, "error"), depth - 1);
}

/** The JSON inside a text: SDKs put the status in front of it. Google wraps it in a list. */
function parseJson(text: unknown): unknown {
  if (typeof text !== "string" || text.length > MAX_TEXT_CHARS) return undefined;
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start === -1 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}

function wordsOf(body: object): string[] {
  const details = readList(body, "details", MAX_DETAILS).map((detail) => read(detail, "reason"));
  const inner = read(read(body, "innererror"), "code");
  return [...WORD_KEYS.map((key) => read(body, key)), inner, ...details].filter(isWord);
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^\S{1,100}$/.test(value);
}

function sentencesOf(body: object): string[] {
  const delay = readList(body, "details", MAX_DETAILS).map((detail) => readText(detail, "retryDelay"));
  const info = delay.filter((text) => text !== undefined).map((text) => `"retryDelay":"${text}"`);
  const own = [readText(body, "message"), readText(body, "error"), readText(body, "details"), readText(body, "detail")];
  return [...own, readText(body, "rawMessage"), ...info].filter((text) => text !== undefined);
}

function headersOf(node: object): unknown[] {
  const sources = [read(node, "headers"), read(node, "responseHeaders"), read(read(node, "response"), "headers")];
  return sources.filter((source) => isObject(source) && !isList(source));
}
