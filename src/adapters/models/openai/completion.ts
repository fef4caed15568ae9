/**
 * Reads a whole answer: the JSON document of a `chat.completion`.
 *
 * Wing adapters (models/openai). What does not have the agreed shape is an error, never an empty answer.
 */
import type { Reasoning, ToolCall } from "../../../contract/message.ts";
import type { FinishReason, ModelResponse } from "../../../contract/model.ts";
import { ModelError } from "../../../errors/index.ts";
import { readDocument } from "../http/document.ts";
import { type AnswerContext, factsOf } from "../http/exchange.ts";
import { badResponse, type CallFacts, reportedFailure, requestId } from "../http/failures.ts";
import { isRecord, type JsonRecord, present, textOrNothing } from "../http/json.ts";
import type { NameMap } from "../http/names.ts";
import { createCallId } from "../http/tool-calls.ts";
import { failedFinish, readContent, readUsage, toFinishReason } from "./answer.ts";
import { readArguments } from "./call-assembly.ts";
import type { OpenAISettings } from "./options.ts";
import { opaqueBlock, readDetails, readReasoningText } from "./reasoning.ts";
import { noSplitter, thinkSplitter } from "./think-tags.ts";

type Context = AnswerContext<OpenAISettings>;

/** @throws ModelError: the provider's own error, MODEL_BAD_RESPONSE, or MODEL_CONTENT_FILTERED without any text. */
export function readCompletion(text: string, context: Context): ModelResponse {
  const facts = factsOf(context);
  const document = readDocument(text, { what: "a chat completion", facts });
  const choice = firstChoice(document, facts);
  const message = choice["message"];
  if (!isRecord(message)) throw badResponse("The model's answer has a choice without a message.", facts);
  const { calls: toolCalls, extras } = readCalls(message["tool_calls"], context.names, facts);
  const { content, thought } = readWords(message, context.settings);
  const refusal = textOrNothing(message["refusal"]);
  const said = textOrNothing(choice["finish_reason"]);
  const hasText = content !== "" || refusal !== undefined;
  const answer = { hasText, hasCalls: toolCalls.length > 0, refused: refusal !== undefined };
  const finishReason = finishOf(said, answer);
  if (finishReason === "filtered" && !hasText && !answer.hasCalls) throw filtered(context.response);
  const opaque = opaqueBlock({ details: readDetails(message), extras }, context.settings.origin);
  const reasoning: Reasoning[] = [...(thought === "" ? [] : [{ text: thought }]), ...(opaque ? [opaque] : [])];
  return {
    content: content === "" ? (refusal ?? "") : content,
    toolCalls,
    ...present("finishReason", finishReason),
    ...present("usage", readUsage(document["usage"])),
    ...present("reasoning", reasoning.length > 0 ? reasoning : undefined),
    ...present("model", textOrNothing(document["model"])),
    ...present("requestId", requestId(context.response) ?? textOrNothing(document["id"])),
  };
}

/** An answer of which a filter left nothing. */
export function filtered(response: Response): ModelError {
  return new ModelError("The provider's content filter withheld the whole answer. Change what is asked.", {
    code: "MODEL_CONTENT_FILTERED",
    requestId: requestId(response),
  });
}

function firstChoice(document: JsonRecord, facts: CallFacts): JsonRecord {
  const { choices } = document;
  if (!Array.isArray(choices)) {
    throw badResponse("The model's answer has no `choices`; the endpoint may speak another API.", facts);
  }
  const choice: unknown = choices[0];
  if (!isRecord(choice)) throw badResponse("The model's answer has no choice in it.", facts);
  const failure = failedFinish(choice);
  if (failure !== undefined) throw reportedFailure(failure, facts);
  return choice;
}

/** A whole document without a finish reason is still whole: then nothing is said about the reason. */
function finishOf(said: string | undefined, answer: Parameters<typeof toFinishReason>[1]): FinishReason | undefined {
  if (said !== undefined || answer.refused || answer.hasCalls) return toFinishReason(said ?? "", answer);
  return undefined;
}

function readWords(message: JsonRecord, settings: OpenAISettings): { content: string; thought: string } {
  const parts = readContent(message["content"]);
  const splitter = settings.thinkTags ? thinkSplitter() : noSplitter;
  const [first, last] = [splitter.push(parts.text), splitter.end()];
  const thought = [readReasoningText(message), parts.reasoning, first.reasoning, last.reasoning].join("");
  return { content: first.text + last.text, thought };
}

function readCalls(
  entries: unknown,
  names: NameMap,
  facts: CallFacts,
): { calls: ToolCall[]; extras: Record<string, unknown> } {
  if (entries === undefined || entries === null) return { calls: [], extras: {} };
  if (!Array.isArray(entries)) throw badResponse("The model's tool calls are no list.", facts);
  const extras: Record<string, unknown> = {};
  const taken = new Set<string>();
  const calls = entries.map((entry: unknown): ToolCall => {
    const target = isRecord(entry) ? entry["function"] : undefined;
    const name = isRecord(target) ? textOrNothing(target["name"]) : undefined;
    if (!isRecord(entry) || !isRecord(target) || name === undefined) {
      throw badResponse("The model asked for a tool call without the name of a tool.", facts);
    }
    const given = textOrNothing(entry["id"]);
    const id = given === undefined || taken.has(given) ? createCallId() : given;
    taken.add(id);
    if (isRecord(entry["extra_content"])) extras[id] = entry["extra_content"];
    return { id, name: names.fromWire(name), arguments: readArguments(target["arguments"]) };
  });
  return { calls, extras };
}
