/**
 * Tells what the body of a streamed answer is, and reads server-sent events.
 *
 * Wing adapters (models, shared base). What the body *is* decides, not its `content-type`, which
 * gateways get wrong in both directions: no event stream starts with `{`, `[` or `<`.
 */
import { createParser } from "eventsource-parser";
import { badResponse } from "./failures.ts";

/** One server-sent event. */
export interface SseFrame {
  readonly event?: string | undefined;
  readonly data: string;
}

/** What a body that starts so is: events, or the whole document that some servers send instead. */
export type BodyKind = "unknown" | "events" | "document";

export function kindOf(head: string): BodyKind {
  const start = head.trimStart();
  if (start === "") return "unknown";
  return /^[{[<]/.test(start) ? "document" : "events";
}

/** The longest single event, in characters. */
const MAX_FRAME_CHARS = 16 * 1024 * 1024;

/**
 * Starts before the first piece of a body. The returned function calls `onFrame` for each event that a piece
 * completes; at the end of the body it takes {@link BODY_END}.
 */
export function createFrameReader(onFrame: (frame: SseFrame) => void): (piece: string) => void {
  const parser = createParser({
    maxBufferSize: MAX_FRAME_CHARS,
    onEvent: onFrame,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") {
        throw badResponse(`The model's stream sent a single event of more than ${MAX_FRAME_CHARS} characters.`);
      }
    },
  });
  return parser.feed;
}

/** Many servers leave out the empty line after their last event. What a cut body left of one comes as far as it came. */
export const BODY_END = "\n\n";
