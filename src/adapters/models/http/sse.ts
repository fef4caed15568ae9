/**
 * Reads a streamed answer: server-sent events, or the whole document that some servers send instead.
 *
 * Wing adapters (models, shared base). What the body *is* decides, not its `content-type`, which
 * gateways get wrong in both directions: no event stream starts with `{`, `[` or `<`.
 */
import { createParser } from "eventsource-parser";
import { readRest, type TextBody } from "./body.ts";
import { badResponse } from "./failures.ts";

/** One server-sent event. */
export interface SseFrame {
  readonly event?: string | undefined;
  readonly data: string;
}

/** What a server answered to a request for a stream. */
export type StreamedReply =
  | { readonly type: "events"; readonly next: () => Promise<readonly SseFrame[] | undefined> }
  | { readonly type: "document"; readonly text: string };

/** The longest single event, in characters. */
const MAX_FRAME_CHARS = 16 * 1024 * 1024;

/**
 * Looks at the first character of the body and opens it as what it is.
 *
 * @returns For events, `next` gives all events that one piece of the body completed, possibly none, and
 *   `undefined` at the end. An event cut off by the end of the body is given as far as it came.
 */
export async function openStreamedReply(body: TextBody): Promise<StreamedReply> {
  let head = "";
  while (head.trimStart() === "") {
    const piece = await body.next();
    if (piece === undefined) return { type: "document", text: "" };
    head += piece;
  }
  if (/^[{[<]/.test(head.trimStart())) return { type: "document", text: await readRest(body, head) };
  return { type: "events", next: frameReader(body, head) };
}

function frameReader(body: TextBody, head: string): () => Promise<readonly SseFrame[] | undefined> {
  let frames: SseFrame[] = [];
  let state: "head" | "body" | "ended" = "head";
  const parser = createParser({
    maxBufferSize: MAX_FRAME_CHARS,
    onEvent: (frame) => frames.push(frame),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") {
        throw badResponse(`The model's stream sent a single event of more than ${MAX_FRAME_CHARS} characters.`);
      }
    },
  });
  const take = (piece: string): readonly SseFrame[] => {
    frames = [];
    parser.feed(piece);
    return frames;
  };
  const continueWith = (piece: string | undefined): readonly SseFrame[] => {
    if (piece !== undefined) return take(piece);
    state = "ended";
    // Many servers leave out the empty line after their last event.
    return take("\n\n");
  };
  return async () => {
    if (state === "body") return continueWith(await body.next());
    if (state === "ended") return undefined;
    state = "body";
    return take(head);
  };
}
