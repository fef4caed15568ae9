/**
 * Reads the body of an HTTP answer as text, piece by piece, under a signal.
 *
 * Wing adapters (models, shared base). A custom `fetch` may ignore its signal, and a body may never end:
 * cancelling the reader settles the read that is waiting, whoever wrote the stream.
 */
import { onAbort } from "../../../util/abort.ts";

/** A body being read. Pieces never split a character. */
export interface TextBody {
  /** The next piece, or `undefined` after the last one. Rejects with the signal's reason when it fires. */
  next(): Promise<string | undefined>;
  /** Gives up the rest: the connection is closed. */
  cancel(): void;
  /** Reads away what is left, so that the connection can be used again; gives up after {@link DRAIN_MS}. */
  drain(): void;
}

/** How long the end of a finished answer may take. */
export const DRAIN_MS = 100;

/** Opens the body of `response`; one without a body reads as empty. */
export function openTextBody(response: Response, signal: AbortSignal): TextBody {
  const stream = response.body;
  if (stream === null) return EMPTY_BODY;
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let ended = false;
  const cancel = () => {
    end();
    reader.cancel(signal.reason).catch(() => {});
  };
  const stopListening = onAbort(signal, cancel);
  const end = () => {
    ended = true;
    stopListening();
  };
  const read = async () => {
    try {
      return await reader.read();
    } catch (error) {
      end();
      throw error;
    }
  };
  const next = async (): Promise<string | undefined> => {
    while (!ended) {
      const { done, value } = await read();
      signal.throwIfAborted();
      if (done) end();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (text !== "") return text;
    }
    signal.throwIfAborted();
    return undefined;
  };
  if (signal.aborted) cancel();
  return { next, cancel: () => (ended ? undefined : cancel()), drain: () => (ended ? undefined : drain(next, cancel)) };
}

function drain(next: () => Promise<string | undefined>, cancel: () => void): void {
  const timer = setTimeout(cancel, DRAIN_MS);
  const readAll = async () => {
    while ((await next()) !== undefined);
  };
  readAll()
    .catch(() => {})
    .finally(() => clearTimeout(timer));
}

const EMPTY_BODY: TextBody = { next: async () => undefined, cancel: () => {}, drain: () => {} };

/**
 * Reads the rest of a body into one text.
 *
 * @param start - What was read already.
 * @param maxChars - Reading stops, and the connection closes, once the text is this long.
 */
export async function readRest(body: TextBody, start = "", maxChars = MAX_BODY_CHARS): Promise<string> {
  const pieces = [start];
  let length = start.length;
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
    pieces.push(piece);
    length += piece.length;
    if (length >= maxChars) {
      body.cancel();
      break;
    }
  }
  return pieces.join("");
}

/** Longer answers are cut there: no model writes as much. */
export const MAX_BODY_CHARS = 64 * 1024 * 1024;
