/**
 * Reads answers with the functions of a host, trusting neither them nor the server.
 *
 * Wing adapters (models/http).
 */
import type { ToolCall } from "../../../contract/message.ts";
import type { ModelEvent, ModelResponse } from "../../../contract/model.ts";
import { isHarnessError, type ModelError } from "../../../errors/index.ts";
import type { Connection } from "./connection.ts";
import { readDocument } from "./document.ts";
import { type AnswerContext, type EventReader, factsOf } from "./exchange.ts";
import { badResponse, reportedFailure, requestId } from "./failures.ts";
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

/** Only what can be nothing else: `code` and `message` may be part of any answer of an API that nobody here knows. */
function failureIn(answer: JsonRecord, context: Context): ModelError | undefined {
  const { error, type } = answer;
  if (typeof error === "string" && error !== "") return reportedFailure({ message: error }, factsOf(context));
  if (isRecord(error) && Object.keys(error).length > 0) return reportedFailure(error, factsOf(context));
  return type === "error" ? reportedFailure(answer, factsOf(context)) : undefined;
}

/** @throws ModelError: the provider's own error, or MODEL_BAD_RESPONSE. */
export function readWorded(text: string, { toResponse }: Wording, context: Context): ModelResponse {
  const facts = factsOf(context);
  const document = readDocument(text, { what: "an answer", facts, failureOf: (read) => failureIn(read, context) });
  const answer: unknown = worded(() => toResponse(document), context);
  if (!isRecord(answer)) throw badResponse("`toResponse` gave no answer.", facts);
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
    const failure = failureIn(event, this.context);
    if (failure !== undefined) throw failure;
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
