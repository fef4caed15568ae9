/**
 * Reads what `doGenerate` gave.
 *
 * Wing adapters (models/ai-sdk). What does not have the agreed shape is an error, never an empty answer.
 */
import type { Reasoning, ToolCall } from "../../../contract/message.ts";
import type { ModelResponse } from "../../../contract/model.ts";
import { badResponse } from "../http/failures.ts";
import { isRecord, type JsonRecord, present, textOrNothing } from "../http/json.ts";
import { createCallId } from "../http/tool-calls.ts";
import { type AnswerContext, aboutAnswer, readUsage, toFinishReason } from "./answer.ts";
import { attached, keptPart, type LayoutPart, layoutBlock, REASONING_PROVIDER } from "./layout.ts";

/** @throws ModelError for what is no answer. */
export function readResult(result: unknown, context: AnswerContext): ModelResponse {
  if (!isRecord(result) || !Array.isArray(result["content"])) {
    throw badResponse("The AI SDK model's doGenerate gave no list `content`.");
  }
  const { content, toolCalls, thought, layout } = readContent(result["content"], context);
  const facts = { hasText: content !== "", hasCalls: toolCalls.length > 0 };
  const reasoning = readableBlock(thought, layoutBlock(layout, context.settings.provider));
  const response = isRecord(result["response"]) ? result["response"] : {};
  return {
    content,
    toolCalls,
    ...present("finishReason", toFinishReason(result["finishReason"], facts)),
    ...present("usage", readUsage(result["usage"])),
    ...present("reasoning", reasoning && [reasoning]),
    ...aboutAnswer(response, response["headers"]),
  };
}

/** One entry, as it also comes out of a stream: what is to be read, and what goes back. */
function readableBlock(text: string, block: Reasoning | undefined): Reasoning | undefined {
  if (block !== undefined) return { ...block, text };
  return text === "" ? undefined : { text, provider: REASONING_PROVIDER };
}

function readContent(parts: readonly unknown[], context: AnswerContext) {
  let content = "";
  let thought = "";
  const toolCalls: ToolCall[] = [];
  const layout: LayoutPart[] = [];
  for (const part of parts) {
    if (!isRecord(part) || typeof part["type"] !== "string") {
      throw badResponse("The AI SDK model's answer holds a part that is no object with a type.");
    }
    const more = attached(part["providerMetadata"]);
    if (part["type"] === "text") {
      const text = textOf(part);
      content += text;
      layout.push({ type: "text", chars: text.length, ...present("more", more) });
    } else if (part["type"] === "tool-call" && part["providerExecuted"] !== true) {
      toolCalls.push(readCall(part, context));
      layout.push({ type: "call", ...present("more", more) });
    } else {
      if (part["type"] === "reasoning") thought += textOf(part);
      const kept = keptPart({ ...part, type: part["type"] });
      if (kept !== undefined) layout.push({ type: "part", part: kept });
    }
  }
  return { content, thought, toolCalls, layout };
}

function textOf(part: JsonRecord): string {
  if (typeof part["text"] === "string") return part["text"];
  throw badResponse("The AI SDK model's answer holds a text part without text.");
}

/** @throws ModelError for a call without a name. */
export function readCall(part: JsonRecord, { names }: AnswerContext): ToolCall & { arguments: string } {
  const name = textOrNothing(part["toolName"]);
  if (name === undefined) throw badResponse("The model asked for a tool call without the name of a tool.");
  const { input } = part;
  return {
    id: textOrNothing(part["toolCallId"]) ?? createCallId(),
    name: names.fromWire(name),
    arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
  };
}
