/**
 * Talks to any endpoint that speaks OpenAI's Chat Completions, whole answers and streams.
 *
 * Wing adapters (models/openai).
 */
import type { Model, ModelCallContext, ModelEvent, ModelRequest, ModelResponse } from "../../../contract/model.ts";
import { openTextBody, readRest, type TextBody } from "../http/body.ts";
import { adoptFailure, badResponse, excerpt } from "../http/failures.ts";
import { isRecord, tryParseJson } from "../http/json.ts";
import { postJson } from "../http/post.ts";
import { openStreamedReply, type SseFrame } from "../http/sse.ts";
import { type ChunkReader, createChunkReader } from "./chunks.ts";
import { type AnswerContext, completionEvents, factsOf, readCompletion } from "./completion.ts";
import { type OpenAIModelOptions, type OpenAISettings, resolveOptions } from "./options.ts";
import { requestBody, requestNames } from "./to-request.ts";

/**
 * A model behind an OpenAI-compatible endpoint.
 *
 * Every failure is a `ModelError`, or what the signal was aborted with; nothing malformed passes as an
 * answer. It makes one request per call and never retries: that is the runtime's part.
 *
 * @throws TypeError when an option is not valid, saying what to write instead.
 * @example
 * const model = openaiModel({ model: "gpt-5", apiKey: process.env["OPENAI_API_KEY"] });
 * const local = openaiModel({ model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434/v1" });
 */
export function openaiModel(options: OpenAIModelOptions): Model & Required<Pick<Model, "name" | "stream">> {
  const settings = resolveOptions(options);
  return {
    name: settings.name,
    generate: (request, context) => generate(request, context, settings),
    stream: (request, context) => stream(request, context, settings),
  };
}

async function generate(
  request: ModelRequest,
  { signal }: ModelCallContext,
  settings: OpenAISettings,
): Promise<ModelResponse> {
  try {
    const answer = await call(request, settings, { signal, stream: false });
    return readCompletion(await readRest(openTextBody(answer.response, signal)), answer);
  } catch (error) {
    throw adoptFailure(error, signal, settings.secrets);
  }
}

async function* stream(
  request: ModelRequest,
  { signal }: ModelCallContext,
  settings: OpenAISettings,
): AsyncGenerator<ModelEvent, void, undefined> {
  let body: TextBody | undefined;
  try {
    const answer = await call(request, settings, { signal, stream: true });
    body = openTextBody(answer.response, signal);
    const reply = await openStreamedReply(body);
    if (reply.type === "document") {
      for (const event of completionEvents(readCompletion(reply.text, answer))) yield event;
      return;
    }
    const reader = createChunkReader(answer);
    for (let isOpen = true; isOpen; ) {
      const frames = await nextFrames(reply.next, reader, signal);
      isOpen = frames !== undefined;
      for (const frame of frames ?? []) {
        if (frame.data.startsWith("[DONE]")) {
          isOpen = false;
          break;
        }
        for (const event of readFrame(frame, reader, answer)) yield event;
      }
    }
    // The answer is whole from here on; the rest of the body is nobody's business any more.
    const last = reader.end();
    body.drain();
    body = undefined;
    for (const event of last) yield event;
  } catch (error) {
    throw adoptFailure(error, signal, settings.secrets);
  } finally {
    body?.cancel();
  }
}

async function call(
  request: ModelRequest,
  settings: OpenAISettings,
  { signal, stream }: { readonly signal: AbortSignal; readonly stream: boolean },
): Promise<AnswerContext> {
  const names = requestNames(request);
  const response = await postJson({
    url: settings.url,
    headers: settings.headers,
    body: requestBody(request, settings, { names, stream }),
    accept: stream ? "text/event-stream, application/json" : "application/json",
    fetch: settings.fetch,
    signal,
    secrets: settings.secrets,
  });
  return { settings, names, response };
}

/** A connection that breaks after the finish reason takes nothing from the answer. */
async function nextFrames(
  next: () => Promise<readonly SseFrame[] | undefined>,
  reader: ChunkReader,
  signal: AbortSignal,
): Promise<readonly SseFrame[] | undefined> {
  try {
    return await next();
  } catch (error) {
    if (reader.isFinished && !signal.aborted) return undefined;
    throw error;
  }
}

function readFrame({ event, data }: SseFrame, reader: ChunkReader, answer: AnswerContext): ModelEvent[] {
  const chunk = tryParseJson(data);
  if (isRecord(chunk)) return reader.read(event === "error" && !isRecord(chunk["error"]) ? { error: chunk } : chunk);
  if (data.trim() === "") return [];
  if (event === "error") return reader.read({ error: data });
  throw badResponse(`The model's stream holds an event that is no JSON object: ${excerpt(data)}.`, factsOf(answer));
}
