/** Helpers of the Chat Completions tests: answers as documents and as event streams. */
import { type OpenAIModelOptions, openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import { callContext, fetchOf, KEY, request } from "../support.ts";

export function modelOf(chunks: readonly (Uint8Array | string)[], options: Partial<OpenAIModelOptions> = {}) {
  return openaiModel({ model: "m", apiKey: KEY, fetch: fetchOf(chunks).fetch, ...options });
}

/** Streams the answer that these chunks are. */
export function streamOf(chunks: readonly (Uint8Array | string)[], options: Partial<OpenAIModelOptions> = {}) {
  return modelOf(chunks, options).stream(request(), callContext());
}

/** Generates from a document. */
export function generateFrom(document: unknown, options: Partial<OpenAIModelOptions> = {}) {
  const body = typeof document === "string" ? document : JSON.stringify(document);
  return modelOf([body], options).generate(request(), callContext());
}

/** Writes chunks as an event stream. */
export function sse(...events: unknown[]): string {
  return events.map((data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`).join("");
}

export function delta(piece: object, finishReason: string | null = null): object {
  return { id: "chatcmpl-1", model: "m-1", choices: [{ index: 0, delta: piece, finish_reason: finishReason }] };
}

/** A streamed answer that consists of these entries of `tool_calls`, one per chunk. */
export function callStream(...entries: object[]): string {
  return sse(...entries.map((entry) => delta({ tool_calls: [entry] })), delta({}, "tool_calls"), "[DONE]");
}

export function completion(message: object, finishReason: string | null = "stop", more: object = {}): object {
  return { id: "chatcmpl-1", model: "m-1", choices: [{ index: 0, message, finish_reason: finishReason }], ...more };
}
