/**
 * Reads a whole answer: the JSON document of a response.
 *
 * Wing adapters (models/openai-responses). What does not have the agreed shape is an error, never an empty answer.
 */
import type { Reasoning, ToolCall } from "../../../contract/message.ts";
import type { ModelResponse } from "../../../contract/model.ts";
import type { ModelError } from "../../../errors/index.ts";
import { readDocument } from "../http/document.ts";
import { factsOf } from "../http/exchange.ts";
import { badResponse, type CallFacts, reportedError } from "../http/failures.ts";
import { isRecord, type JsonRecord, present } from "../http/json.ts";
import { keepBlock } from "../http/kept-blocks.ts";
import { aboutAnswer, failureOf, type ResponseContext, readUsage, toFinishReason } from "./answer.ts";
import { readCallItem, readMessageItem, reasoningText } from "./output-items.ts";

/** @throws ModelError: the provider's own error, MODEL_BAD_RESPONSE, or MODEL_CONTENT_FILTERED. */
export function readResponse(text: string, context: ResponseContext): ModelResponse {
  const facts = factsOf(context);
  const answer = readDocument(text, {
    what: "a response",
    facts,
    failureOf: (document) => failureIn(document, context),
  });
  const items = answer["output"];
  if (!Array.isArray(items)) {
    throw badResponse("The model's answer has no list `output`; the endpoint may speak another API.", facts);
  }
  const { content, toolCalls, reasoning, refused } = readItems(items, context, facts);
  const parts = { hasText: content !== "", hasCalls: toolCalls.length > 0, refused };
  return {
    content,
    toolCalls,
    finishReason: toFinishReason(answer, parts, context),
    ...present("usage", readUsage(answer["usage"])),
    ...present("reasoning", reasoning.length > 0 ? reasoning : undefined),
    ...aboutAnswer(answer, context.response),
  };
}

function failureIn(document: JsonRecord, context: ResponseContext): ModelError | undefined {
  const report = reportedError(document);
  return report && failureOf(report, context);
}

function readItems(items: readonly unknown[], { names, settings }: ResponseContext, facts: CallFacts) {
  let content = "";
  let refused = false;
  const toolCalls: ToolCall[] = [];
  const reasoning: Reasoning[] = [];
  for (const item of items) {
    if (!isRecord(item)) throw badResponse("The model's answer holds an item that is no object.", facts);
    if (item["type"] === "message") {
      const message = readMessageItem(item, facts);
      content += message.text;
      refused ||= message.refused;
    } else if (item["type"] === "function_call") {
      toolCalls.push(readCallItem(item, names, facts));
    } else {
      const after = { chars: content.length, calls: toolCalls.length };
      reasoning.push(keepBlock(settings.keeper, item, { text: reasoningText(item), after }));
    }
  }
  return { content, refused, toolCalls, reasoning };
}
