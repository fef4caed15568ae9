/**
 * What an adapter over HTTP says of its API: the request, and how an answer is read, whole or streamed.
 *
 * Wing adapters (models, shared base).
 */
import type { ModelEvent, ModelRequest, ModelResponse } from "../../../contract/model.ts";
import type { Connection } from "./connection.ts";
import type { CallFacts } from "./failures.ts";
import type { JsonRecord } from "./json.ts";
import type { NameMap } from "./names.ts";

/** What reading an answer needs to know. */
export interface AnswerContext<Settings extends Connection> {
  readonly settings: Settings;
  readonly names: NameMap;
  readonly response: Response;
}

/** One API. */
export interface Api<Settings extends Connection> {
  /** The body of a request as JSON text. */
  requestBody(
    request: ModelRequest,
    settings: Settings,
    how: { readonly names: NameMap; readonly stream: boolean },
  ): string;
  /** Reads a whole answer. Throws a ModelError for what is none. */
  readWhole(text: string, context: AnswerContext<Settings>): ModelResponse;
  /** Starts reading a streamed answer. */
  openReader(context: AnswerContext<Settings>): EventReader;
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

/** The facts of a call for its errors. */
export function factsOf({ settings, response }: AnswerContext<Connection>): CallFacts {
  return { secrets: settings.secrets, response };
}
