/** Helpers of the Chat Completions tests: a request, an assembler of events, a `fetch` made of bytes. */
import { type OpenAIModelOptions, openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import type { Message } from "../../../../src/contract/message.ts";
import type { ModelEvent, ModelRequest, ToolDefinition } from "../../../../src/contract/model.ts";
import type { HarnessError } from "../../../../src/errors/index.ts";

export const KEY = "sk-test-0123456789abcdefghij";

export const addTool: ToolDefinition = {
  name: "add",
  description: "Add two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
};

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: "user", content: "What is 17 + 38?" }], tools: [], ...more };
}

export function asking(...messages: Message[]): ModelRequest {
  return request({ messages });
}

export function callContext(signal: AbortSignal = new AbortController().signal) {
  return { signal, attempt: 1, runId: "run_1" };
}

/** What a stream amounts to, put together by index as the runtime does it. */
export interface Assembled {
  text: string;
  reasoning: string;
  calls: { id: string | undefined; name: string | undefined; arguments: string }[];
  finishes: string[];
  usage: unknown;
}

export async function assemble(events: AsyncIterable<ModelEvent>): Promise<Assembled> {
  const whole: Assembled = { text: "", reasoning: "", calls: [], finishes: [], usage: undefined };
  for await (const event of events) take(whole, event);
  return whole;
}

function take(whole: Assembled, event: ModelEvent): void {
  switch (event.type) {
    case "text":
      whole.text += event.text;
      return;
    case "reasoning":
      whole.reasoning += event.text;
      return;
    case "usage":
      whole.usage = event.usage;
      return;
    case "finish":
      whole.finishes.push(event.finishReason);
      return;
    case "toolCall": {
      const call = whole.calls[event.index];
      if (call !== undefined) call.arguments += event.arguments ?? "";
      else whole.calls[event.index] = { id: event.id, name: event.name, arguments: event.arguments ?? "" };
    }
  }
}

export async function eventsOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Takes what it can from a stream, then the failure that ended it. */
export async function untilFailure(
  events: AsyncIterable<ModelEvent>,
): Promise<{ events: ModelEvent[]; error: HarnessError | undefined }> {
  const taken: ModelEvent[] = [];
  try {
    for await (const event of events) taken.push(event);
  } catch (error) {
    return { events: taken, error: error as HarnessError };
  }
  return { events: taken, error: undefined };
}

export async function failureOf(promise: Promise<unknown>): Promise<HarnessError> {
  return promise.then(
    () => {
      throw new Error("expected a failure, got an answer");
    },
    (error: unknown) => error as HarnessError,
  );
}

export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A `fetch` that answers with exactly these chunks; counts its calls and notices a cancelled body. */
export function fetchOf(
  chunks: readonly (Uint8Array | string)[],
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) {
  const seen = { calls: 0, cancelled: false, init: undefined as RequestInit | undefined };
  const fake = async (_input: unknown, init?: RequestInit): Promise<Response> => {
    seen.calls++;
    seen.init = init;
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks[next++];
        if (chunk === undefined) controller.close();
        else controller.enqueue(typeof chunk === "string" ? toBytes(chunk) : chunk);
      },
      cancel() {
        seen.cancelled = true;
      },
    });
    return new Response(body, { status, headers: { "content-type": "text/event-stream", ...headers } });
  };
  return { fetch: fake as typeof fetch, seen };
}

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
