/**
 * Reads a body that is to be one JSON document.
 *
 * Wing adapters (models, shared base).
 */
import type { ModelError } from "../../../errors/index.ts";
import { badResponse, type CallFacts, excerpt, reportedError, reportedFailure } from "./failures.ts";
import { isRecord, type JsonRecord, tryParseJson } from "./json.ts";

/** What is told when it is none. */
export interface DocumentOptions {
  /** Named in the message, for example "a message". */
  readonly what: string;
  readonly facts: CallFacts;
  /** The failure that a document reports, if it reports one. @defaultValue as the vendors word it */
  readonly failureOf?: ((document: JsonRecord) => ModelError | undefined) | undefined;
}

/** @throws ModelError: the provider's own error, or MODEL_BAD_RESPONSE for what is no document. */
export function readDocument(text: string, { what, facts, failureOf }: DocumentOptions): JsonRecord {
  const document = tryParseJson(text);
  if (isRecord(document)) {
    const failure = failureOf === undefined ? vendorFailure(document, facts) : failureOf(document);
    if (failure !== undefined) throw failure;
    return document;
  }
  if (text.trim() === "") throw badResponse("The model's answer is empty.", facts);
  throw badResponse(
    `The model's answer is not the JSON of ${what}, it starts with ${excerpt(text)}. ` +
      "Check that `baseUrl` is that of an API.",
    facts,
  );
}

function vendorFailure(document: JsonRecord, facts: CallFacts): ModelError | undefined {
  const report = reportedError(document);
  return report && reportedFailure(report, facts);
}
