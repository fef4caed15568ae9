/**
 * Carries one model call over HTTP, whole or streamed; what the bytes mean is the adapter's to say.
 *
 * Wing adapters (models, shared base). One request per call, no retry, no timer: both are the runtime's.
 */
import type { ModelEvent, ModelResponse } from "../../../contract/model.ts";
import { answerEvents } from "./answer-events.ts";
import { openTextBody, readRest, type TextBody } from "./body.ts";
import { adoptFailure, badResponse, excerpt, reportedFailure } from "./failures.ts";
import { isRecord, type JsonRecord, tryParseJson } from "./json.ts";
import { type PostRequest, postJson } from "./post.ts";
import { openStreamedReply, type SseFrame } from "./sse.ts";

/** One call, ready to be made. */
export interface Exchange {
  readonly request: Pick<PostRequest, "url" | "headers" | "body" | "fetch" | "secrets">;
  /** Reads a whole answer. Throws a ModelError for what is none. */
  readWhole(text: string, response: Response): ModelResponse;
  /** Starts reading a streamed answer. */
  openReader(response: Response): EventReader;
}

/** Reads one streamed answer, event by event; no waiting happens here. */
export interface EventReader {
  /** What one event of the server amounts to. Throws a ModelError for an event that reports or is an error. */
  read(event: JsonRecord): ModelEvent[];
  /** "whole" once nothing can be missing any more, "closed" once nothing more is to come. */
  readonly state: "open" | "whole" | "closed";
  /** The last events, "finish" among them. Throws MODEL_BAD_RESPONSE when the answer is not whole. */
  end(): ModelEvent[];
}

/** What stops a call, and what its errors must not quote. */
export interface CallGuard {
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
}

/** Asks for a whole answer. Rejects with a ModelError, or with what the signal was aborted with. */
export async function askWhole(prepare: () => Exchange, { signal, secrets }: CallGuard): Promise<ModelResponse> {
  try {
    const exchange = prepare();
    const response = await postJson({ ...exchange.request, accept: "application/json", signal });
    return exchange.readWhole(await readRest(openTextBody(response, signal)), response);
  } catch (error) {
    throw adoptFailure(error, signal, secrets);
  }
}

/** Asks for a streamed answer. Leaving it early closes the connection. */
export async function* askStreamed(
  prepare: () => Exchange,
  { signal, secrets }: CallGuard,
): AsyncGenerator<ModelEvent, void, undefined> {
  let body: TextBody | undefined;
  try {
    const exchange = prepare();
    const response = await postJson({ ...exchange.request, accept: "text/event-stream, application/json", signal });
    body = openTextBody(response, signal);
    const reply = await openStreamedReply(body);
    if (reply.type === "document") {
      for (const event of answerEvents(exchange.readWhole(reply.text, response))) yield event;
      return;
    }
    const reader = exchange.openReader(response);
    while (!isClosed(reader)) {
      let frames: readonly SseFrame[] | undefined;
      try {
        frames = await reply.next();
      } catch (error) {
        // A connection that breaks behind the end of the answer takes nothing from it.
        if (reader.state === "open" || signal.aborted) throw error;
      }
      if (frames === undefined) break;
      let isDone = false;
      for (const frame of frames) {
        isDone = saysDone(frame);
        if (isDone) break;
        for (const event of readFrame(frame, reader, { secrets, response })) yield event;
        if (isClosed(reader)) break;
      }
      if (isDone) break;
    }
    const last = reader.end();
    // The answer is whole from here on; the rest of the body is nobody's business any more.
    body.drain();
    body = undefined;
    for (const event of last) yield event;
  } catch (error) {
    throw adoptFailure(error, signal, secrets);
  } finally {
    body?.cancel();
  }
}

function isClosed({ state }: EventReader): boolean {
  return state === "closed";
}

function saysDone({ data }: SseFrame): boolean {
  return data.length < 16 && data.trim() === "[DONE]";
}

function readFrame(
  { event, data }: SseFrame,
  reader: EventReader,
  facts: { readonly secrets: readonly string[]; readonly response: Response },
): ModelEvent[] {
  const parsed = tryParseJson(data);
  // The type stands in the data, too; some gateways drop it there.
  if (isRecord(parsed)) {
    const isBareError = event === "error" && parsed["type"] !== "error" && !isRecord(parsed["error"]);
    if (isBareError) return reader.read({ type: "error", error: parsed });
    const isTyped = event === undefined || typeof parsed["type"] === "string";
    return reader.read(isTyped ? parsed : { ...parsed, type: event });
  }
  if (data.trim() === "") return [];
  if (event === "error") throw reportedFailure({ message: data }, facts);
  throw badResponse(`The model's stream holds an event that is no JSON object: ${excerpt(data)}.`, facts);
}
