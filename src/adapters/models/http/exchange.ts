/**
 * What an adapter gives for one call over HTTP: the request, and how its answer is read, whole or streamed.
 *
 * Wing adapters (models, shared base).
 */
import type { ModelEvent, ModelResponse } from "../../../contract/model.ts";
import type { JsonRecord } from "./json.ts";
import type { PostRequest } from "./post.ts";

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
  /** Appends what one event of the server amounts to. Throws a ModelError for an event that reports or is an error. */
  read(event: JsonRecord, events: ModelEvent[]): void;
  /** "whole" once nothing can be missing any more, "closed" once nothing more is to come. */
  readonly state: "open" | "whole" | "closed";
  /** The last events, "finish" among them. Throws MODEL_BAD_RESPONSE when the answer is not whole. */
  end(): ModelEvent[];
}
