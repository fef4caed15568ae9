/** Helpers of the Responses tests: answers as documents and as event streams, and what was asked. */
import {
  type OpenAIResponsesModelOptions,
  openaiResponsesModel,
} from "../../../../src/adapters/models/openai-responses/index.ts";
import type { ModelRequest, ModelResponse } from "../../../../src/contract/model.ts";
import { callContext, fetchOf, KEY, request } from "../support.ts";

type Options = Partial<OpenAIResponsesModelOptions>;
interface Event {
  readonly type: string;
  readonly [member: string]: unknown;
}

export function modelOf(chunks: readonly (Uint8Array | string)[], options: Options = {}) {
  return openaiResponsesModel({ model: "m", apiKey: KEY, fetch: fetchOf(chunks).fetch, ...options });
}

export function streamOf(chunks: readonly (Uint8Array | string)[], asked: ModelRequest = request()) {
  return modelOf(chunks).stream(asked, callContext());
}

export function generateFrom(document: unknown, asked: ModelRequest = request()): Promise<ModelResponse> {
  const body = typeof document === "string" ? document : JSON.stringify(document);
  return modelOf([body]).generate(asked, callContext());
}

/** The body and headers of the request that a model makes. */
export async function sent(asked: ModelRequest, options: Options = {}) {
  const { fetch, seen } = fetchOf([JSON.stringify(response([message("ok")]))]);
  await modelOf([], { fetch, ...options }).generate(asked, callContext());
  return {
    body: JSON.parse(String(seen.init?.body)) as Record<string, unknown>,
    headers: seen.init?.headers as Record<string, string>,
  };
}

export function response(output: unknown, more: object = {}): object {
  return { id: "resp_1", object: "response", status: "completed", error: null, model: "m-1", output, ...more };
}

export const message = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

export const refusal = (text: string) => ({
  type: "message",
  id: "msg_1",
  content: [{ type: "refusal", refusal: text }],
});

export const call = (id: string, name: string, text: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: text,
});

export const thought = (id: string, ...summary: string[]) => ({
  type: "reasoning",
  id,
  summary: summary.map((text) => ({ type: "summary_text", text })),
  encrypted_content: `sealed ${id}`,
});

export function sse(...events: Event[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export const created: Event = {
  type: "response.created",
  response: { id: "resp_1", status: "in_progress", output: [] },
};

/** The events of one item: how it starts, its pieces, how it ends. */
export function item(index: number, whole: object, ...pieces: Event[]): Event[] {
  const start = { ...whole, content: [], summary: [], arguments: "" };
  return [
    { type: "response.output_item.added", output_index: index, item: start },
    ...pieces.map((piece) => ({ output_index: index, ...piece })),
    { type: "response.output_item.done", output_index: index, item: whole },
  ];
}

export const piece = (kind: string, delta: unknown, more: object = {}): Event => ({
  type: `response.${kind}.delta`,
  delta,
  ...more,
});

/** A piece of the first part of a summary. */
export const summaryPiece = (delta: string): Event => piece("reasoning_summary_text", delta, { summary_index: 0 });

export const completed = (output: object[] = [], more: object = {}): Event => ({
  type: "response.completed",
  response: response(output, more),
});
