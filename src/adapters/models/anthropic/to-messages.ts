/**
 * Writes a history as Messages API messages.
 *
 * Wing adapters (models/anthropic). Users and assistants take turns: the results of one turn's calls, and
 * what the user says after them, become one message. What the API refuses is never written: empty text,
 * ids with other characters, arguments that are no object.
 */
import {
  type AssistantMessage,
  contentText,
  type ImagePart,
  type Message,
  type Part,
  type ToolCall,
  type ToolMessage,
} from "../../../contract/message.ts";
import { ModelError } from "../../../errors/index.ts";
import { assertNever } from "../../../util/assert-never.ts";
import type { JsonRecord } from "../http/json.ts";
import { type Keeper, piecesOf } from "../http/kept-blocks.ts";
import { hashText, type NameMap } from "../http/names.ts";
import { argumentsObject } from "../http/tool-calls.ts";
import { isThinking } from "./thinking.ts";

/** One message as the wire has it. */
export interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonRecord[];
}

/** The system prompt and the conversation. */
export interface WireHistory {
  readonly system: readonly JsonRecord[];
  readonly messages: readonly WireMessage[];
}

/** Splits the history. System messages behind the first other message stay in their place, as the user's words. */
export function toHistory(history: readonly Message[], names: NameMap, keeper: Keeper): WireHistory {
  const start = history.findIndex((message) => message.role !== "system");
  const systemEnd = start === -1 ? history.length : start;
  const system = history.slice(0, systemEnd).flatMap((message) => textBlocks(contentText(message.content)));
  const turns: { role: WireMessage["role"]; content: JsonRecord[] }[] = [];
  for (const message of history.slice(systemEnd)) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = toBlocks(message, names, keeper);
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  // A history that was cut short may begin with an answer, which the API refuses.
  if (turns[0]?.role === "assistant") turns.unshift({ role: "user", content: textBlocks("(continued)") });
  return { system, messages: turns };
}

function toBlocks(message: Message, names: NameMap, keeper: Keeper): JsonRecord[] {
  switch (message.role) {
    case "system":
      return textBlocks(`<system>\n${contentText(message.content)}\n</system>`);
    case "user":
      return contentBlocks(message.content);
    case "assistant":
      return assistantBlocks(message, names, keeper);
    case "tool":
      return [toolResult(message)];
    default:
      return assertNever(message);
  }
}

/** Text without a visible character is refused. */
function textBlocks(text: string): JsonRecord[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function contentBlocks(content: string | readonly Part[]): JsonRecord[] {
  if (typeof content === "string") return textBlocks(content);
  return content.flatMap((part) => (part.type === "text" ? textBlocks(part.text) : [imageBlock(part)]));
}

function imageBlock({ url }: ImagePart): JsonRecord {
  if (/^https?:/i.test(url)) return { type: "image", source: { type: "url", url } };
  const [, mediaType, data] = /^data:([^;,]+)(?:;[^;,]+)*;base64,([\s\S]*)$/i.exec(url) ?? [];
  if (mediaType === undefined) {
    throw new ModelError("An image of the history is neither an https: address nor a data: URL in base64.", {
      code: "MODEL_INVALID_REQUEST",
    });
  }
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

function toolResult(message: ToolMessage): JsonRecord {
  const blocks = contentBlocks(message.content);
  const isText = blocks.every((block) => block["type"] === "text");
  return {
    type: "tool_result",
    tool_use_id: wireId(message.toolCallId),
    content: isText ? textOf(message) : blocks,
    ...(message.isError === true ? { is_error: true } : {}),
  };
}

function textOf(message: ToolMessage): string {
  const text = contentText(message.content);
  return text.trim() === "" ? "(no output)" : text;
}

/** Thinking alone is no message. */
function assistantBlocks(message: AssistantMessage, names: NameMap, keeper: Keeper): JsonRecord[] {
  const blocks = piecesOf(message, keeper).flatMap((piece): JsonRecord[] => {
    switch (piece.type) {
      case "text":
        return textBlocks(piece.text);
      case "call":
        return [toolUse(piece.call, names)];
      case "block":
        return [piece.block];
      default:
        return assertNever(piece);
    }
  });
  return blocks.every(isThinking) ? [] : blocks;
}

function toolUse(call: ToolCall, names: NameMap): JsonRecord {
  return { type: "tool_use", id: wireId(call.id), name: names.toWire(call.name), input: argumentsObject(call) };
}

/** Ids of other providers hold characters that the API refuses. */
function wireId(id: string): string {
  return /^[a-zA-Z0-9_-]{1,128}$/.test(id) ? id : `toolu_${hashText(id)}${hashText(`${id}#`)}`;
}
