/**
 * Writes a history as input items of the Responses API.
 *
 * Wing adapters (models/openai-responses). Messages and calls go without the ids of their items: with
 * them, and without `store`, the API looks for items that it never kept.
 */
import {
  type AssistantMessage,
  contentText,
  type Message,
  type Part,
  type ToolCall,
  type ToolMessage,
} from "../../../contract/message.ts";
import { assertNever } from "../../../util/assert-never.ts";
import type { JsonRecord } from "../http/json.ts";
import { piecesOf } from "../http/kept-blocks.ts";
import { hashText, type NameMap } from "../http/names.ts";
import { argumentsText } from "../http/tool-calls.ts";
import type { OpenAIResponsesSettings } from "./options.ts";

/** The instructions and the conversation. */
export interface WireHistory {
  readonly instructions: string;
  readonly input: readonly JsonRecord[];
}

/** Splits the history. System messages behind the first other message stay in their place. */
export function toHistory(history: readonly Message[], names: NameMap, settings: OpenAIResponsesSettings): WireHistory {
  const start = history.findIndex((message) => message.role !== "system");
  const systemEnd = start === -1 ? history.length : start;
  const instructions = history.slice(0, systemEnd).map((message) => contentText(message.content));
  return {
    instructions: instructions.join("\n\n"),
    input: history.slice(systemEnd).flatMap((message) => toItems(message, names, settings)),
  };
}

function toItems(message: Message, names: NameMap, settings: OpenAIResponsesSettings): JsonRecord[] {
  switch (message.role) {
    case "system":
      return [{ role: "developer", content: contentText(message.content) }];
    case "user":
      return [{ role: "user", content: toContent(message.content) }];
    case "assistant":
      return assistantItems(message, names, settings);
    case "tool":
      return [callOutput(message)];
    default:
      return assertNever(message);
  }
}

/** Text alone goes as a plain string, which every server takes. */
function toContent(content: string | readonly Part[]): string | JsonRecord[] {
  if (typeof content === "string") return content;
  if (content.every((part) => part.type === "text")) return contentText(content);
  return content.map((part) =>
    part.type === "text" ? { type: "input_text", text: part.text } : { type: "input_image", image_url: part.url },
  );
}

function callOutput({ toolCallId, content }: ToolMessage): JsonRecord {
  const output = toContent(content);
  return { type: "function_call_output", call_id: wireId(toolCallId), output: output === "" ? "(no output)" : output };
}

/** Reasoning wants to be followed by what it led to: alone it is left out. */
function assistantItems(message: AssistantMessage, names: NameMap, settings: OpenAIResponsesSettings): JsonRecord[] {
  const items = piecesOf(message, settings.keeper).flatMap((piece): JsonRecord[] => {
    switch (piece.type) {
      case "text":
        return piece.text.trim() === "" ? [] : [{ role: "assistant", content: piece.text }];
      case "call":
        return [functionCall(piece.call, names)];
      case "block":
        return isUsable(piece.block, settings) ? [piece.block] : [];
      default:
        return assertNever(piece);
    }
  });
  return items.slice(0, items.findLastIndex((item) => !isReasoning(item)) + 1);
}

/** What the endpoint did not store it knows only by its encrypted form. */
function isUsable(item: JsonRecord, { store, keepReasoning }: OpenAIResponsesSettings): boolean {
  if (!isReasoning(item)) return true;
  return keepReasoning && (store || typeof item["encrypted_content"] === "string");
}

function isReasoning(item: JsonRecord): boolean {
  return item["type"] === "reasoning";
}

function functionCall(call: ToolCall, names: NameMap): JsonRecord {
  const { id, name } = call;
  return { type: "function_call", call_id: wireId(id), name: names.toWire(name), arguments: argumentsText(call) };
}

/** The API refuses ids of more than 64 characters, which histories of other providers hold. */
function wireId(id: string): string {
  return id.length <= 64 ? id : `call_${hashText(id)}${hashText(`${id}#`)}`;
}
