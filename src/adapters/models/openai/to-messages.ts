/**
 * Writes a history as Chat Completions messages.
 *
 * Wing adapters (models/openai). What servers refuse is never written: empty assistant messages, null
 * content, arguments that are no JSON object, images in tool results.
 */
import {
  type AssistantMessage,
  contentText,
  type ImagePart,
  type Message,
  type Part,
  type ToolMessage,
} from "../../../contract/message.ts";
import { assertNever } from "../../../util/assert-never.ts";
import { present } from "../http/json.ts";
import { hashText, type NameMap } from "../http/names.ts";
import { argumentsText } from "../http/tool-calls.ts";
import type { OpenAISettings } from "./options.ts";
import { callExtras, reasoningFields } from "./reasoning.ts";

/** One message as the wire has it. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** All messages, in order. */
export function toMessages(messages: readonly Message[], names: NameMap, settings: OpenAISettings): WireMessage[] {
  const wire: WireMessage[] = [];
  /** Images of tool results: they follow in a user message, once all results of the turn are written. */
  let images: ImagePart[] = [];
  for (const message of messages) {
    if (message.role !== "tool" && images.length > 0) {
      wire.push(imagesOfTools(images));
      images = [];
    }
    switch (message.role) {
      case "system":
        wire.push({ role: settings.systemRole, content: contentText(message.content) });
        break;
      case "user":
        wire.push({ role: "user", content: toUserContent(message.content) });
        break;
      case "assistant":
        wire.push(...toAssistant(message, names, settings));
        break;
      case "tool":
        images.push(...imagesOf(message.content));
        wire.push(toToolMessage(message));
        break;
      default:
        assertNever(message);
    }
  }
  if (images.length > 0) wire.push(imagesOfTools(images));
  return wire;
}

function imagesOf(content: string | readonly Part[]): ImagePart[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "image");
}

/** Text alone goes as a plain string, which every server takes. */
function toUserContent(content: string | readonly Part[]): unknown {
  if (imagesOf(content).length === 0) return contentText(content);
  return (content as readonly Part[]).map((part) => (part.type === "text" ? textPart(part.text) : imagePart(part)));
}

function textPart(text: string): WireMessage {
  return { type: "text", text };
}

function imagePart(part: ImagePart): WireMessage {
  return { type: "image_url", image_url: { url: part.url } };
}

function imagesOfTools(images: readonly ImagePart[]): WireMessage {
  return { role: "user", content: [textPart("Images from the tool results above:"), ...images.map(imagePart)] };
}

function toToolMessage(message: ToolMessage): WireMessage {
  const text = contentText(message.content);
  const instead = imagesOf(message.content).length > 0 ? "(see the image below)" : "(no output)";
  return { role: "tool", tool_call_id: wireId(message.toolCallId), content: text === "" ? instead : text };
}

function toAssistant(message: AssistantMessage, names: NameMap, settings: OpenAISettings): WireMessage[] {
  const calls = message.toolCalls ?? [];
  if (calls.length === 0 && message.content.trim() === "") return [];
  const extras = callExtras(message.reasoning ?? [], settings.origin);
  const wireCalls = calls.map((call) => ({
    id: wireId(call.id),
    type: "function",
    function: { name: names.toWire(call.name), arguments: argumentsText(call) },
    ...present("extra_content", extras.get(call.id)),
  }));
  return [
    {
      role: "assistant",
      // Next to calls the empty text is right: DeepSeek refuses a message without `content`, others refuse null.
      content: message.content,
      ...reasoningFields(message, settings),
      ...(wireCalls.length > 0 ? { tool_calls: wireCalls } : {}),
    },
  ];
}

/** OpenAI refuses ids of more than 40 characters, which histories of other providers hold. */
function wireId(id: string): string {
  return id.length <= 40 ? id : `call_${hashText(id)}${hashText(`${id}#`)}`;
}
