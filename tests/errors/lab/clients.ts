/**
 * The clients through which the lab's failures are seen, each with its own retries switched off.
 */

import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, streamText } from "ai";
import OpenAI from "openai";

/** One call through one client. It rejects with whatever that client throws. */
export interface LabClient {
  call(base: string, signal?: AbortSignal): Promise<unknown>;
  /** A streamed call; `onDelta` is called for each delta. */
  stream(base: string, onDelta: () => void, signal?: AbortSignal): Promise<unknown>;
  /** A call with the client's own timer set to `timeoutMs`. */
  callWithTimeout(base: string, timeoutMs: number): Promise<unknown>;
}

const prompt = [{ role: "user" as const, content: "hi" }];

class HttpFailure extends Error {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly responseBody: string,
  ) {
    super(`The server answered ${status}.`);
  }
}

async function fetchJson(base: string, signal: AbortSignal | null): Promise<unknown> {
  const response = await fetch(`${base}/chat/completions`, { method: "POST", body: "{}", signal });
  if (!response.ok) throw new HttpFailure(response.status, response.headers, await response.text());
  return response.json();
}

const fetchClient: LabClient = {
  call: (base, signal) => fetchJson(base, signal ?? null),
  callWithTimeout: (base, timeoutMs) => fetchJson(base, AbortSignal.timeout(timeoutMs)),
  async stream(base, onDelta, signal) {
    const response = await fetch(`${base}/chat/completions`, { method: "POST", body: "{}", signal: signal ?? null });
    for await (const chunk of response.body ?? []) {
      onDelta();
      const data = new TextDecoder().decode(chunk).replace(/^data: /, "");
      if (data.startsWith('{"error"')) throw JSON.parse(data);
    }
    return undefined;
  },
};

const openai = (baseURL: string, timeout = 60_000) => new OpenAI({ apiKey: "test", baseURL, maxRetries: 0, timeout });
const openaiClient: LabClient = {
  call: (base, signal) => openai(base).chat.completions.create({ model: "x", messages: prompt }, { signal }),
  callWithTimeout: (base, timeoutMs) =>
    openai(base, timeoutMs).chat.completions.create({ model: "x", messages: prompt }),
  async stream(base, onDelta, signal) {
    const chunks = await openai(base).chat.completions.create(
      { model: "x", messages: prompt, stream: true },
      { signal },
    );
    for await (const _ of chunks) onDelta();
    return undefined;
  },
};

const anthropic = (baseURL: string, timeout = 60_000) =>
  new Anthropic({ apiKey: "test", baseURL, maxRetries: 0, timeout });
const anthropicRequest = { model: "x", max_tokens: 9, messages: prompt };
const anthropicClient: LabClient = {
  call: (base, signal) => anthropic(base).messages.create(anthropicRequest, { signal }),
  callWithTimeout: (base, timeoutMs) => anthropic(base, timeoutMs).messages.create(anthropicRequest),
  async stream(base, onDelta, signal) {
    const events = await anthropic(base).messages.create({ ...anthropicRequest, stream: true }, { signal });
    for await (const _ of events) onDelta();
    return undefined;
  },
};

const aborted = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
const aiModel = (baseURL: string) => createOpenAI({ apiKey: "test", baseURL }).chat("x");
const aiClient: LabClient = {
  call: (base, signal) => generateText({ model: aiModel(base), prompt: "hi", maxRetries: 0, ...aborted(signal) }),
  callWithTimeout: (base, timeoutMs) => aiClient.call(base, AbortSignal.timeout(timeoutMs)),
  async stream(base, onDelta, signal) {
    const { fullStream } = streamText({
      model: aiModel(base),
      prompt: "hi",
      maxRetries: 0,
      ...aborted(signal),
      onError: () => undefined,
    });
    for await (const part of fullStream) {
      if (part.type === "text-delta") onDelta();
      if (part.type === "error") throw part.error;
    }
    return undefined;
  },
};

export const CLIENTS: Readonly<Record<string, LabClient>> = {
  fetch: fetchClient,
  openai: openaiClient,
  anthropic: anthropicClient,
  ai: aiClient,
};
