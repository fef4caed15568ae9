/** What the tests of all adapters share: requests, readers of answers, a `fetch` made of bytes. */
import type { Message } from "../../../src/contract/message.ts";
import type { ModelEvent, ModelRequest, ModelResponse, ToolDefinition } from "../../../src/contract/model.ts";
import { StreamCollector } from "../../../src/contract/stream-collector.ts";
import type { HarnessError } from "../../../src/errors/index.ts";

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

/** A stream put together as the runtime does it. */
export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelResponse> {
  const collector = new StreamCollector({ onText: () => {}, onReasoning: () => {} });
  for await (const event of events) collector.take(event);
  return collector.response();
}

/** All events but heartbeats, which depend on how the bytes are split. */
export async function eventsOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) if (event.type !== "heartbeat") all.push(event);
  return all;
}

/** Takes what it can from a stream, but for heartbeats, then the failure that ended it. */
export async function untilFailure(
  events: AsyncIterable<ModelEvent>,
): Promise<{ events: ModelEvent[]; error: HarnessError | undefined }> {
  const taken: ModelEvent[] = [];
  try {
    for await (const event of events) if (event.type !== "heartbeat") taken.push(event);
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

/** The bytes of `content`, cut at these positions. */
export function cutAt(content: string, positions: readonly number[]): Uint8Array[] {
  const bytes = toBytes(content);
  const borders = [0, ...[...positions].sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((border, index) => bytes.slice(borders[index], border));
}

/** A `fetch` that answers with exactly these chunks; counts its calls and notices a cancelled body. */
export function fetchOf(
  chunks: readonly (Uint8Array | string)[],
  {
    status = 200,
    headers = {},
    ends = true,
  }: { status?: number; headers?: Record<string, string>; ends?: boolean } = {},
) {
  const seen = { calls: 0, cancelled: false, init: undefined as RequestInit | undefined };
  const fake = async (_input: unknown, init?: RequestInit): Promise<Response> => {
    seen.calls++;
    seen.init = init;
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks[next++];
        if (chunk !== undefined) controller.enqueue(typeof chunk === "string" ? toBytes(chunk) : chunk);
        else if (ends) controller.close();
      },
      cancel() {
        seen.cancelled = true;
      },
    });
    return new Response(body, { status, headers: { "content-type": "text/event-stream", ...headers } });
  };
  return { fetch: fake as typeof fetch, seen };
}
