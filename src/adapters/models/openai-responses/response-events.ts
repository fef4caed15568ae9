/**
 * Turns the events of a streamed response into events of ours.
 *
 * Wing adapters (models/openai-responses). An answer is whole once its last event came: completed or incomplete.
 */
import type { ModelEvent } from "../../../contract/model.ts";
import { type EventReader, factsOf } from "../http/exchange.ts";
import { badResponse, reportedError } from "../http/failures.ts";
import { isRecord, type JsonRecord } from "../http/json.ts";
import { aboutAnswer, failureOf, type ResponseContext, readUsage, toFinishReason } from "./answer.ts";
import { ItemStream, type PieceKind } from "./item-stream.ts";

const PIECES = new Map<unknown, PieceKind>([
  ["response.output_text.delta", "text"],
  ["response.refusal.delta", "refusal"],
  ["response.reasoning_summary_text.delta", "reasoning"],
  ["response.reasoning_text.delta", "reasoning"],
  ["response.function_call_arguments.delta", "arguments"],
]);

/** The last event, by the status that it stands for. */
const ENDS = new Map<unknown, string>([
  ["response.completed", "completed"],
  ["response.incomplete", "incomplete"],
  ["response.failed", "failed"],
  ["response.cancelled", "cancelled"],
]);

/** Starts before the first event. */
export function createResponseReader(context: ResponseContext): EventReader {
  const items = new ItemStream(context);
  let answer: JsonRecord | undefined;

  const finish = (event: JsonRecord, status: string): ModelEvent[] => {
    const last = isRecord(event["response"]) ? event["response"] : {};
    answer = { ...last, status };
    const output = last["output"];
    // A server that only pretends to stream sends all of it at the end.
    return items.isEmpty && Array.isArray(output) ? output.flatMap((item, index) => items.done(index, item)) : [];
  };

  const read = (event: JsonRecord): ModelEvent[] => {
    const report = reportedError(event) ?? (event["type"] === "error" ? event : undefined);
    if (report !== undefined) throw failureOf(report, context);
    const { type } = event;
    const kind = PIECES.get(type);
    if (kind !== undefined) return items.extend(event, kind);
    const status = ENDS.get(type);
    if (status !== undefined) return finish(event, status);
    if (type === "response.output_item.added") return items.added(event["output_index"], event["item"]);
    if (type === "response.output_item.done") return items.done(event["output_index"], event["item"]);
    if (type !== "response.function_call_arguments.done") return [];
    return items.argumentsDone(event["output_index"], event["arguments"]);
  };

  return {
    read(event, events) {
      for (const piece of read(event)) events.push(piece);
    },
    get state() {
      return answer === undefined ? "open" : "closed";
    },
    end() {
      if (answer === undefined) {
        throw badResponse("The model's stream ended before its response was completed.", factsOf(context));
      }
      const { chars, calls } = items.place;
      const facts = { hasText: chars > 0, hasCalls: calls > 0, refused: items.refused };
      const finishReason = toFinishReason(answer, facts, context);
      const usage = readUsage(answer["usage"]);
      return [
        ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
        { type: "finish", finishReason, ...aboutAnswer(answer, context.response) },
      ];
    },
  };
}
