/**
 * Turns the events of a streamed message into events of ours.
 *
 * Wing adapters (models/anthropic). An answer is whole once its stop reason came, behind all its blocks.
 */
import type { ModelEvent } from "../../../contract/model.ts";
import { type EventReader, factsOf } from "../http/exchange.ts";
import { badResponse, reportedError, reportedFailure } from "../http/failures.ts";
import { isRecord, type JsonRecord, textOrNothing } from "../http/json.ts";
import { aboutAnswer, type MessageContext, readUsage, toFinishReason } from "./answer.ts";
import { createBlockStream } from "./block-stream.ts";

/** Starts before the first event. */
export function createMessageReader(context: MessageContext): EventReader {
  const facts = factsOf(context);
  const blocks = createBlockStream(context.names, context.settings.keeper, facts);
  let state: EventReader["state"] = "open";
  let message: JsonRecord = {};
  let usage: JsonRecord = {};
  let delta: JsonRecord = {};

  const read = (event: JsonRecord): ModelEvent[] => {
    const report = reportedError(event) ?? (event["type"] === "error" ? event : undefined);
    if (report !== undefined) throw reportedFailure(report, facts);
    switch (event["type"]) {
      case "message_start":
        if (!isRecord(event["message"])) throw badResponse("The model's stream starts without a message.", facts);
        message = event["message"];
        usage = { ...usage, ...known(message["usage"]) };
        return [];
      case "content_block_start":
        return blocks.start(event["index"], event["content_block"]);
      case "content_block_delta":
        return blocks.extend(event["index"], event["delta"]);
      case "content_block_stop":
        return blocks.stop(event["index"]);
      case "message_delta":
        usage = { ...usage, ...known(event["usage"]) };
        if (isRecord(event["delta"])) delta = { ...delta, ...event["delta"] };
        if (textOrNothing(delta["stop_reason"]) !== undefined) state = "whole";
        return [];
      case "message_stop":
        state = "closed";
        return [];
      default:
        // "ping", and what the API may add: its rules ask clients to pass over unknown events.
        return [];
    }
  };

  return {
    read(event, events) {
      for (const piece of read(event)) events.push(piece);
    },
    get state() {
      return state;
    },
    end() {
      const said = textOrNothing(delta["stop_reason"]);
      if (said === undefined) {
        throw badResponse("The model's stream ended before the answer was finished: no stop reason came.", facts);
      }
      const last = blocks.end();
      const { chars, calls } = blocks.place;
      const answer = { hasText: chars > 0, hasCalls: calls > 0, stopDetails: delta["stop_details"] };
      const finishReason = toFinishReason(said, answer, context);
      const counted = readUsage(usage);
      return [
        ...last,
        ...(counted === undefined ? [] : [{ type: "usage", usage: counted } as const]),
        { type: "finish", finishReason, ...aboutAnswer(message, context.response) },
      ];
    },
  };
}

/** The later event repeats counts, some of them as null. */
function known(report: unknown): JsonRecord {
  const members = Object.entries(isRecord(report) ? report : {});
  return Object.fromEntries(members.filter(([, value]) => value !== null && value !== undefined));
}
