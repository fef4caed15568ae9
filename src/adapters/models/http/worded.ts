/**
 * Reads answers with the functions of a host, trusting neither them nor the server.
 *
 * Wing adapters (models/http).
 */
import type { ToolCall } from "../../../contract/message.ts";
import type { ModelEvent, ModelResponse } from "../../../contract/model.ts";
import { isHarnessError } from "../../../errors/index.ts";
import type { Connection } from "./connection.ts";
import { readDocument } from "./document.ts";
import { type AnswerContext, type EventReader, factsOf } from "./exchange.ts";
import { badResponse, reportedError, reportedFailure, requestId } from "./failures.ts";
import { isRecord, type JsonRecord, present } from "./json.ts";

/** How an API words its answers. */
export interface Wording {
  readonly toResponse: (answer: unknown) => ModelResponse;
  readonly toEvents: (event: unknown) => Iterable<ModelEvent>;
}

type Context = AnswerContext<Connection>;

/** Calls a host's function. What it throws means that the answer is not as the API describes it. */
function worded<Result>(read: () => Result, context: Context): Result {
  try {
    return read();
  } catch (error) {
    if (isHarnessError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw badResponse(`The model's answer does not look as the API describes it: ${why}.`, factsOf(context));
  }
}

/** @throws ModelError: the provider's own error, or MODEL_BAD_RESPONSE. */
export function readWorded(text: string, { toResponse }: Wording, context: Context): ModelResponse {
  const document = readDocument(text, { what: "an answer", facts: factsOf(context) });
  const answer: unknown = worded(() => toResponse(document), context);
  if (!isRecord(answer)) throw badResponse("`toResponse` gave no answer.", factsOf(context));
  const { toolCalls } = answer;
  return {
    ...present("requestId", requestId(context.response)),
    ...(answer as unknown as ModelResponse),
    ...(Array.isArray(toolCalls) && { toolCalls: toolCalls.map((call: ToolCall) => namedCall(call, context)) }),
  };
}

function namedCall(call: ToolCall, { names }: Context): ToolCall {
  return isRecord(call) ? { ...call, name: names.fromWire(call.name) } : call;
}

/** Reads one streamed answer. */
export class WordedReader implements EventReader {
  #finish: Extract<ModelEvent, { type: "finish" }> | undefined;

  constructor(
    private readonly wording: Wording,
    private readonly context: Context,
  ) {}

  get state(): EventReader["state"] {
    return this.#finish === undefined ? "open" : "whole";
  }

  read(event: JsonRecord, events: ModelEvent[]): void {
    const report = reportedError(event) ?? (event["type"] === "error" ? event : undefined);
    if (report !== undefined) throw reportedFailure(report, factsOf(this.context));
    for (const piece of worded(() => [...this.wording.toEvents(event)], this.context)) {
      if (piece.type === "finish") this.#finish = piece;
      else events.push(piece.type === "toolCall" ? this.#named(piece) : piece);
    }
  }

  end(): ModelEvent[] {
    if (this.#finish !== undefined) {
      return [{ ...present("requestId", requestId(this.context.response)), ...this.#finish }];
    }
    throw badResponse("The model's stream ended before the answer was finished.", factsOf(this.context));
  }

  #named(piece: Extract<ModelEvent, { type: "toolCall" }>): ModelEvent {
    return piece.name === undefined ? piece : { ...piece, name: this.context.names.fromWire(piece.name) };
  }
}
