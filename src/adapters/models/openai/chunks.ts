/**
 * Turns the chunks of a streamed answer into events.
 *
 * Wing adapters (models/openai). One chunk in, its events out: no waiting happens here.
 */
import type { ModelEvent, Usage } from "../../../contract/model.ts";
import { type AnswerContext, type EventReader, factsOf } from "../http/exchange.ts";
import { badResponse, type CallFacts, reportedError, reportedFailure, requestId } from "../http/failures.ts";
import { isRecord, type JsonRecord, present, textOrNothing } from "../http/json.ts";
import { failedFinish, readUsage, toFinishReason } from "./answer.ts";
import { filtered } from "./completion.ts";
import { createDeltaReader, type DeltaReader } from "./deltas.ts";
import type { OpenAISettings } from "./options.ts";

/** Starts before the first chunk. */
export function createChunkReader(context: AnswerContext<OpenAISettings>): EventReader {
  const facts = factsOf(context);
  const deltas = createDeltaReader(context);
  let finish: string | undefined;
  let usage: Usage | undefined;
  let model: string | undefined;
  let id: string | undefined;

  const readChoice = (choice: JsonRecord, events: ModelEvent[]): void => {
    const delta = deltaOf(choice, deltas);
    if (delta !== undefined) deltas.read(delta, events);
    const failure = failedFinish(choice);
    if (failure !== undefined) throw reportedFailure(failure, facts);
    finish = textOrNothing(choice["finish_reason"]) ?? finish;
  };

  return {
    read(chunk, events) {
      const report = chunk["type"] === "error" && !isRecord(chunk["error"]) ? chunk : reportedError(chunk);
      if (report !== undefined) throw reportedFailure(report, facts);
      const choice = choiceOf(chunk, facts);
      usage = readUsage(chunk["usage"]) ?? readUsage(choice?.["usage"]) ?? usage;
      model ??= textOrNothing(chunk["model"]);
      id ??= textOrNothing(chunk["id"]);
      if (choice !== undefined) readChoice(choice, events);
    },
    get state() {
      return finish === undefined ? "open" : "whole";
    },
    end() {
      if (finish === undefined) {
        throw badResponse("The model's stream ended before the answer was finished: no finish reason came.", facts);
      }
      const events: ModelEvent[] = [];
      deltas.end(events);
      const answer = deltas.facts();
      const finishReason = toFinishReason(finish, answer);
      if (finishReason === "filtered" && !answer.hasText && !answer.hasCalls) throw filtered(context.response);
      if (usage !== undefined) events.push({ type: "usage", usage });
      const about = { ...present("model", model), ...present("requestId", requestId(context.response) ?? id) };
      return [...events, { type: "finish", finishReason, ...about }];
    },
  };
}

/** The first choice; others, which nobody asked for, are left out. */
function choiceOf(chunk: JsonRecord, facts: CallFacts): JsonRecord | undefined {
  const { choices } = chunk;
  if (choices === undefined || choices === null) return undefined;
  if (!Array.isArray(choices))
    throw badResponse("A chunk of the model's stream has `choices` that are no list.", facts);
  return choices.find((choice): choice is JsonRecord => isRecord(choice) && (choice["index"] ?? 0) === 0);
}

/** The delta; where there is none, the whole message of gateways that only pretend to stream. */
function deltaOf(choice: JsonRecord, { facts }: DeltaReader): JsonRecord | undefined {
  const { delta } = choice;
  if (isRecord(delta)) return delta;
  const { hasText, hasCalls } = facts();
  const { message } = choice;
  return (delta ?? undefined) === undefined && !hasText && !hasCalls && isRecord(message) ? message : undefined;
}
