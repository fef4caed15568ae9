/**
 * Writes a history as an AI SDK prompt.
 *
 * Wing adapters (models/ai-sdk).
 */
import { type AssistantMessage, contentText, type Message, type ToolMessage } from "../../../contract/message.ts";
import { assertNever } from "../../../util/assert-never.ts";
import { cleanText } from "../../../util/text.ts";
import type { JsonRecord } from "../http/json.ts";
import type { NameMap } from "../http/names.ts";
import { argumentsObject } from "../http/tool-calls.ts";
import { imagePart, resultImage } from "./images.ts";
import type { CallSettings, SpecVersion } from "./language-model.ts";
import { laidOutParts } from "./layout.ts";

/** One message of a prompt. */
interface PromptMessage extends JsonRecord {
  readonly role: string;
  readonly content: string | JsonRecord[];
}

/** All messages, in order; the results of one turn become one message. */
export function toPrompt(history: readonly Message[], names: NameMap, settings: CallSettings): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  for (const message of history) {
    const last = prompt.at(-1);
    if (message.role === "tool" && last?.role === "tool" && typeof last.content !== "string") {
      last.content.push(toolResult(message, names, settings.version));
    } else {
      prompt.push(...toPromptMessage(message, names, settings));
    }
  }
  return prompt;
}

function toPromptMessage(message: Message, names: NameMap, settings: CallSettings): PromptMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: cleanText(contentText(message.content)) }];
    case "user":
      return [{ role: "user", content: userParts(message.content, settings.version) }];
    case "assistant":
      return assistantMessage(message, names, settings);
    case "tool":
      return [{ role: "tool", content: [toolResult(message, names, settings.version)] }];
    default:
      return assertNever(message);
  }
}

function userParts(content: Message["content"], version: SpecVersion): JsonRecord[] {
  if (typeof content === "string") return [textPart(content)];
  return content.map((part) => (part.type === "text" ? textPart(part.text) : imagePart(part, version)));
}

function textPart(text: string): JsonRecord {
  return { type: "text", text: cleanText(text) };
}

function assistantMessage(message: AssistantMessage, names: NameMap, { provider }: CallSettings): PromptMessage[] {
  const parts = laidOutParts(message, provider).flatMap((piece): JsonRecord[] => {
    switch (piece.type) {
      case "text":
        return piece.text.trim() === "" ? [] : [{ ...textPart(piece.text), ...piece.more }];
      case "call": {
        const { id, name } = piece.call;
        const input = argumentsObject(piece.call);
        return [{ type: "tool-call", toolCallId: id, toolName: names.toWire(name), input, ...piece.more }];
      }
      case "part":
        return [piece.part];
      default:
        return assertNever(piece);
    }
  });
  return parts.every((part) => part["type"] === "reasoning") ? [] : [{ role: "assistant", content: parts }];
}

function toolResult(message: ToolMessage, names: NameMap, version: SpecVersion): JsonRecord {
  const { toolCallId, name } = message;
  return { type: "tool-result", toolCallId, toolName: names.toWire(name), output: toOutput(message, version) };
}

function toOutput({ content, isError }: ToolMessage, version: SpecVersion): JsonRecord {
  const hasImage = typeof content !== "string" && content.some((part) => part.type === "image");
  if (!hasImage || isError === true) {
    const text = contentText(content);
    return { type: isError === true ? "error-text" : "text", value: text === "" ? "(no output)" : cleanText(text) };
  }
  const value = (content as Exclude<typeof content, string>).map((part) =>
    part.type === "text" ? textPart(part.text) : resultImage(part, version),
  );
  return { type: "content", value };
}
