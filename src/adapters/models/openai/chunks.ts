/**
 * Turns the chunks of a streamed answer into events.
 *
 * Wing adapters (models/openai). One chunk in, its events out: no waiting happens here.
 */
import type { ModelEvent, Usage } from "../../../contract/model.ts";
import { badResponse, reportedError, reportedFailure, requestId } from "../http/failures.ts";
import { isRecord, type JsonRecord, textOrNothing } from "../http/json.ts";
import { failedFinish, present, readContent, readUsage, toFinishReason } from "./answer.ts";
import { assembleCalls } from "./call-assembly.ts";
import { type AnswerContext, factsOf, filtered } from "./completion.ts";
import { mergeDetails, opaqueBlock, readDetails, readReasoningText } from "./reasoning.ts";
import { noSplitter, type SplitText, thinkSplitter } from "./think-tags.ts";

/** Reads one streamed answer. */
export interface ChunkReader {
  /** The events of one chunk. Throws a ModelError for a chunk that reports an error or has a wrong shape. */
  read(chunk: JsonRecord): ModelEvent[];
  /** Whether a finish reason was seen, so that the answer is whole. */
  readonly isFinished: boolean;
  /** The last events, "finish" among them. Throws MODEL_BAD_RESPONSE when the answer is not whole. */
  end(): ModelEvent[];
}

/** Starts before the first chunk. */
export function createChunkReader(context: AnswerContext): ChunkReader {
  const facts = factsOf(context);
  const calls = assembleCalls(context.names);
  const splitter = context.settings.thinkTags ? thinkSplitter() : noSplitter;
  const details: JsonRecord[] = [];
  let finish: string | undefined;
  let usage: Usage | undefined;
  let model: string | undefined;
  let id: string | undefined;
  let hasText = false;
  let refused = false;

  const say = ({ reasoning, text }: SplitText, events: ModelEvent[]): void => {
    if (reasoning !== "") events.push({ type: "reasoning", text: reasoning });
    if (text === "") return;
    hasText = true;
    events.push({ type: "text", text });
  };

  const readDelta = (delta: JsonRecord, events: ModelEvent[]): void => {
    const content = readContent(delta["content"]);
    const thought = readReasoningText(delta) + content.reasoning;
    if (thought !== "") events.push({ type: "reasoning", text: thought });
    if (content.text !== "") say(splitter.push(content.text), events);
    const refusal = textOrNothing(delta["refusal"]);
    if (refusal !== undefined) {
      refused = true;
      say({ reasoning: "", text: refusal }, events);
    }
    if (delta["reasoning_details"] !== undefined) details.push(...readDetails(delta));
    const entries = delta["tool_calls"];
    if (entries === undefined || entries === null) return;
    if (!Array.isArray(entries)) throw badResponse("The model's tool calls are no list.", facts);
    for (const entry of entries) events.push(...calls.add(entry));
  };

  return {
    read(chunk) {
      const report = reportedError(chunk);
      if (report !== undefined) throw reportedFailure(report, facts);
      const choice = choiceOf(chunk, facts);
      usage = readUsage(chunk["usage"]) ?? readUsage(choice?.["usage"]) ?? usage;
      model ??= textOrNothing(chunk["model"]);
      id ??= textOrNothing(chunk["id"]);
      if (choice === undefined) return [];
      // Gateways that only pretend to stream send the whole message in one chunk.
      const delta = choice["delta"] ?? (hasText || calls.count > 0 ? undefined : choice["message"]);
      const events: ModelEvent[] = [];
      if (isRecord(delta)) readDelta(delta, events);
      const failure = failedFinish(choice);
      if (failure !== undefined) throw reportedFailure(failure, facts);
      finish = textOrNothing(choice["finish_reason"]) ?? finish;
      return events;
    },
    get isFinished() {
      return finish !== undefined;
    },
    end() {
      if (finish === undefined) {
        throw badResponse("The model's stream ended before the answer was finished: no finish reason came.", facts);
      }
      calls.check();
      const events: ModelEvent[] = [];
      say(splitter.end(), events);
      const opaque = opaqueBlock({ details: mergeDetails(details), extras: calls.extras }, context.settings.origin);
      if (opaque !== undefined) events.push({ type: "reasoning", ...opaque });
      const finishReason = toFinishReason(finish, { hasText, hasCalls: calls.count > 0, refused });
      if (finishReason === "filtered" && !hasText && calls.count === 0) throw filtered(context.response);
      if (usage !== undefined) events.push({ type: "usage", usage });
      const about = { ...present("model", model), ...present("requestId", requestId(context.response) ?? id) };
      return [...events, { type: "finish", finishReason, ...about }];
    },
  };
}

/** The first choice; others, which nobody asked for, are left out. */
function choiceOf(chunk: JsonRecord, facts: ReturnType<typeof factsOf>): JsonRecord | undefined {
  const { choices } = chunk;
  if (choices === undefined || choices === null) return undefined;
  if (!Array.isArray(choices))
    throw badResponse("A chunk of the model's stream has `choices` that are no list.", facts);
  const isFirst = (choice: unknown): choice is JsonRecord => isRecord(choice) && (choice["index"] ?? 0) === 0;
  return choices.find(isFirst);
}
