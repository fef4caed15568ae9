/** Helpers of the Messages tests: answers as documents and as event streams, and what was asked. */
import { type AnthropicModelOptions, anthropicModel } from "../../../../src/adapters/models/anthropic/index.ts";
import type { ModelRequest, ModelResponse } from "../../../../src/contract/model.ts";
import { callContext, fetchOf, KEY, request } from "../support.ts";

export function modelOf(chunks: readonly (Uint8Array | string)[], options: Partial<AnthropicModelOptions> = {}) {
  return anthropicModel({ model: "m", apiKey: KEY, fetch: fetchOf(chunks).fetch, ...options });
}

export function streamOf(chunks: readonly (Uint8Array | string)[], asked: ModelRequest = request()) {
  return modelOf(chunks).stream(asked, callContext());
}

export function generateFrom(document: unknown, asked: ModelRequest = request()): Promise<ModelResponse> {
  const body = typeof document === "string" ? document : JSON.stringify(document);
  return modelOf([body]).generate(asked, callContext());
}

/** The body and headers of the request that a model makes. */
export async function sent(asked: ModelRequest, options: Partial<AnthropicModelOptions> = {}) {
  const { fetch, seen } = fetchOf([JSON.stringify(message([{ type: "text", text: "ok" }]))]);
  await modelOf([], { fetch, ...options }).generate(asked, callContext());
  return {
    body: JSON.parse(String(seen.init?.body)) as Record<string, unknown>,
    headers: seen.init?.headers as Record<string, string>,
  };
}

export function message(content: unknown, stopReason: string | null = "end_turn", more: object = {}): object {
  return { id: "msg_1", type: "message", role: "assistant", model: "m-1", content, stop_reason: stopReason, ...more };
}

export function sse(...events: { type: string; [member: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export const start = (usage: object = { input_tokens: 7, output_tokens: 1 }) => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "m-1", content: [], stop_reason: null, usage },
});

/** The events of one block. */
export function block(index: number, content: object, ...deltas: object[]) {
  return [
    { type: "content_block_start", index, content_block: content },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

export const text = (index: number, ...pieces: string[]) =>
  block(index, { type: "text", text: "" }, ...pieces.map((piece) => ({ type: "text_delta", text: piece })));

export const call = (index: number, id: string, name: string, ...pieces: string[]) =>
  block(
    index,
    { type: "tool_use", id, name, input: {} },
    ...pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  );

export const end = (stopReason: string, usage: object = { output_tokens: 5 }) => [
  { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage },
  { type: "message_stop" },
];
