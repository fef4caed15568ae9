/**
 * Gathers what a failed call left behind: status, words, sentences, headers, whichever client it was.
 *
 * Floor 1 (errors). In one pass with plain loops: this is where adoption spends its time.
 */

import { isFailedStatus, statusInCode, statusOf } from "./http-status.ts";
import type { Nodes } from "./nodes.ts";
import { attempt, constructorNameOf, isObject, read, readList, readText } from "./read.ts";
import { readHeader } from "./retry-after.ts";

/** One error of the chain. */
export interface Fact {
  readonly value: object;
  readonly names: readonly string[];
  readonly message: string;
  /** The code when it is a text, else "". */
  readonly code: string;
}

/** All that is known of a failed call. */
export interface Evidence {
  /** The errors of the chain, outermost first. */
  readonly facts: readonly Fact[];
  /** The objects in which the provider's answer may stand, the errors themselves included. */
  readonly bodies: ReadonlySet<object>;
  /** The HTTP status of 400 or more, else the first one there is. */
  readonly status: number | undefined;
  /** The words of the provider: codes, types, reasons. */
  readonly words: readonly string[];
  /** The names of the errors and of their classes, without "Error". */
  readonly names: readonly string[];
  /** All sentences, one per line. */
  readonly text: string;
  readonly headers: readonly object[];
}

const MAX_TEXT_CHARS = 20_000;
const MAX_DETAILS = 8;
/** A body holds the error of the provider, and that may hold the one of the model behind it. */
const MAX_BODY_DEPTH = 3;
const WORD = /^\S{1,100}$/;
const WORD_KEYS = ["code", "type", "status", "__type"] as const;
const SENTENCE_KEYS = ["message", "error", "details", "detail", "rawMessage"] as const;
const REQUEST_ID_HEADERS = ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id"] as const;

/** Gathers the evidence of a chain of foreign errors. */
export function gatherEvidence({ foreign }: Nodes): Evidence {
  const facts = foreign.map(toFact);
  const bodies = new Set<object>();
  const headers: object[] = [];
  const sentences = facts.map((fact) => fact.message);
  for (const fact of facts) {
    addBodies(bodies, fact);
    addHeaders(headers, fact.value);
  }
  const words: string[] = [];
  for (const body of bodies) {
    addWords(words, body);
    addSentences(sentences, body);
  }
  const names = facts.flatMap((fact) => fact.names);
  const text = sentences.join("\n").slice(0, MAX_TEXT_CHARS);
  return { facts, bodies, status: statusIn(foreign, bodies), words, names, text, headers };
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

/** The HTTP parser of Node 24 and later gives its errors no code any more: it reads one from where none is. */
function codeOfName(names: readonly string[]): string {
  return names.includes("HTTPParserError") ? "UND_ERR_HTTP_PARSER" : "";
}

/** The first failure, the outermost error first; without any, the first status there is. */
function statusIn(foreign: readonly object[], bodies: ReadonlySet<object>): number | undefined {
  let first: number | undefined;
  for (const node of foreign) {
    const status = statusOf(node);
    if (isFailedStatus(status)) return status;
    first ??= status;
  }
  for (const body of bodies) {
    const status = statusInCode(body);
    if (status !== undefined) return status;
  }
  return first;
}

function toFact(value: object): Fact {
  const names = [readText(value, "name"), constructorNameOf(value)].filter(saysSomething);
  const message = (readText(value, "message") ?? "").slice(0, MAX_TEXT_CHARS);
  return { value, names, message, code: readText(value, "code") ?? codeOfName(names) };
}

/** Nearly every error is called "Error". */
function saysSomething(name: string | undefined): name is string {
  return name !== undefined && name !== "Error";
}

/** Adds the objects in which an error may keep the provider's answer, the error itself first. */
function addBodies(bodies: Set<object>, { value, message }: Fact): void {
  const answer = read(read(value, "response"), "data");
  bodies.add(value);
  for (const body of [read(value, "error"), read(value, "data"), answer]) addBody(bodies, body);
  for (const text of [read(value, "responseBody"), read(value, "body"), answer, message]) {
    addBody(bodies, parseJson(text));
  }
}

/** Adds a body and the `error` objects inside it. */
function addBody(bodies: Set<object>, outermost: unknown): void {
  let body = outermost;
  for (let depth = 0; depth < MAX_BODY_DEPTH && isObject(body); depth++) {
    bodies.add(body);
    body = read(body, "error");
  }
}

/** The JSON inside a text: SDKs put the status in front of it. Google wraps it in a list. */
function parseJson(text: unknown): unknown {
  if (typeof text !== "string" || text.length > MAX_TEXT_CHARS) return undefined;
  const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return json === "" ? undefined : attempt(() => JSON.parse(json));
}

function addWords(words: string[], body: object): void {
  for (const key of WORD_KEYS) addWord(words, read(body, key));
  addWord(words, read(read(body, "innererror"), "code"));
  for (const detail of readList(body, "details", MAX_DETAILS)) addWord(words, read(detail, "reason"));
}

function addWord(words: string[], value: unknown): void {
  if (typeof value === "string" && !words.includes(value) && WORD.test(value)) words.push(value);
}

function addSentences(sentences: string[], body: object): void {
  for (const key of SENTENCE_KEYS) {
    const sentence = readText(body, key);
    if (sentence !== undefined) sentences.push(sentence);
  }
  for (const detail of readList(body, "details", MAX_DETAILS)) {
    const delay = readText(detail, "retryDelay");
    if (delay !== undefined) sentences.push(`"retryDelay":"${delay}"`);
  }
}

function addHeaders(headers: object[], node: object): void {
  for (const source of [
    read(node, "headers"),
    read(node, "responseHeaders"),
    read(read(node, "response"), "headers"),
  ]) {
    if (isObject(source)) headers.push(source);
  }
}
