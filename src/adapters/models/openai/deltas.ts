/**
 * Turns the `delta` of streamed chunks into events and remembers what the answer consists of.
 *
 * Wing adapters (models/openai).
 */
import type { ModelEvent } from "../../../contract/model.ts";
import { type AnswerContext, factsOf } from "../http/exchange.ts";
import { badResponse } from "../http/failures.ts";
import { type JsonRecord, textOrNothing } from "../http/json.ts";
import { type AnswerFacts, readContent } from "./answer.ts";
import { assembleCalls } from "./call-assembly.ts";
import type { OpenAISettings } from "./options.ts";
import { mergeDetails, opaqueBlock, readDetails, readReasoningText } from "./reasoning.ts";
import { noSplitter, type SplitText, thinkSplitter } from "./think-tags.ts";

/** Reads the deltas of one answer; events are appended to the list that is given. */
export interface DeltaReader {
  read(delta: JsonRecord, events: ModelEvent[]): void;
  /** What was held back. Throws MODEL_BAD_RESPONSE for a tool call without a name. */
  end(events: ModelEvent[]): void;
  /** What came so far. */
  facts(): AnswerFacts;
}

/** Starts before the first delta. */
export function createDeltaReader(context: AnswerContext<OpenAISettings>): DeltaReader {
  const calls = assembleCalls(context.names);
  const splitter = context.settings.thinkTags ? thinkSplitter() : noSplitter;
  const details: JsonRecord[] = [];
  let hasText = false;
  let refused = false;

  const say = ({ reasoning, text }: SplitText, events: ModelEvent[]): void => {
    if (reasoning !== "") events.push({ type: "reasoning", text: reasoning });
    if (text === "") return;
    hasText = true;
    events.push({ type: "text", text });
  };
  const refuse = (refusal: string | undefined, events: ModelEvent[]): void => {
    if (refusal === undefined) return;
    refused = true;
    say({ reasoning: "", text: refusal }, events);
  };
  const call = (entries: unknown, events: ModelEvent[]): void => {
    if (entries === undefined || entries === null) return;
    if (!Array.isArray(entries)) throw badResponse("The model's tool calls are no list.", factsOf(context));
    for (const entry of entries) events.push(...calls.add(entry));
  };

  return {
    read(delta, events) {
      const content = readContent(delta["content"]);
      const thought = readReasoningText(delta) + content.reasoning;
      if (thought !== "") events.push({ type: "reasoning", text: thought });
      if (content.text !== "") say(splitter.push(content.text), events);
      refuse(textOrNothing(delta["refusal"]), events);
      if (delta["reasoning_details"] !== undefined) details.push(...readDetails(delta));
      call(delta["tool_calls"], events);
    },
    end(events) {
      calls.check();
      say(splitter.end(), events);
      const opaque = opaqueBlock({ details: mergeDetails(details), extras: calls.extras }, context.settings.origin);
      if (opaque !== undefined) events.push({ type: "reasoning", ...opaque });
    },
    facts: () => ({ hasText, hasCalls: calls.count > 0, refused }),
  };
}
