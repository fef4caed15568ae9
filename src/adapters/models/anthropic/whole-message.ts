/**
 * Reads a whole answer: the JSON document of a message.
 *
 * Wing adapters (models/anthropic). What does not have the agreed shape is an error, never an empty answer.
 */
import type { Reasoning, ToolCall } from "../../../contract/message.ts";
import type { ModelResponse } from "../../../contract/model.ts";
import { readDocument } from "../http/document.ts";
import { factsOf } from "../http/exchange.ts";
import { badResponse, type CallFacts } from "../http/failures.ts";
import { isRecord, type JsonRecord, present, textOrNothing } from "../http/json.ts";
import { keepBlock } from "../http/kept-blocks.ts";
import { createCallId } from "../http/tool-calls.ts";
import { aboutAnswer, type MessageContext, readUsage, toFinishReason } from "./answer.ts";
import { thinkingOf } from "./thinking.ts";

/** @throws ModelError: the provider's own error, MODEL_BAD_RESPONSE, or MODEL_CONTENT_FILTERED. */
export function readMessage(text: string, context: MessageContext): ModelResponse {
  const facts = factsOf(context);
  const message = readDocument(text, { what: "a message", facts });
  const blocks = message["content"];
  if (!Array.isArray(blocks)) {
    throw badResponse("The model's answer has no list `content`; the endpoint may speak another API.", facts);
  }
  let content = "";
  const toolCalls: ToolCall[] = [];
  const reasoning: Reasoning[] = [];
  for (const block of blocks as unknown[]) {
    if (!isRecord(block)) throw badResponse("The model's answer holds a block that is no object.", facts);
    if (block["type"] === "text") content += readText(block, facts);
    else if (block["type"] === "tool_use") toolCalls.push(readCall(block, context, facts));
    else {
      const after = { chars: content.length, calls: toolCalls.length };
      reasoning.push(keepBlock(context.settings.keeper, block, { text: thinkingOf(block), after }));
    }
  }
  const said = textOrNothing(message["stop_reason"]);
  const answer = { hasText: content !== "", hasCalls: toolCalls.length > 0, stopDetails: message["stop_details"] };
  return {
    content,
    toolCalls,
    ...present("finishReason", said === undefined ? undefined : toFinishReason(said, answer, context)),
    ...present("usage", readUsage(message["usage"])),
    ...present("reasoning", reasoning.length > 0 ? reasoning : undefined),
    ...aboutAnswer(message, context.response),
  };
}

function readText(block: JsonRecord, facts: CallFacts): string {
  if (typeof block["text"] === "string") return block["text"];
  throw badResponse("The model's answer holds a text block without text.", facts);
}

function readCall(block: JsonRecord, { names }: MessageContext, facts: CallFacts): ToolCall {
  const name = textOrNothing(block["name"]);
  if (name === undefined) throw badResponse("The model asked for a tool call without the name of a tool.", facts);
  const { input } = block;
  return {
    id: textOrNothing(block["id"]) ?? createCallId(),
    name: names.fromWire(name),
    arguments: input === undefined || input === null ? {} : input,
  };
}
