/**
 * Remembers how an answer was laid out and what its provider attached, and lays it out again.
 *
 * Wing adapters (models/ai-sdk). Providers attach metadata to reasoning (signatures, encrypted content), to
 * texts and to calls (ids, thought signatures), and want it back on the same parts in the same order.
 */
import type { AssistantMessage, Reasoning, ToolCall } from "../../../contract/message.ts";
import { countOrNothing, isRecord, type JsonRecord } from "../http/json.ts";
import type { Part } from "./language-model.ts";

/** Marks reasoning of this adapter. */
export const REASONING_PROVIDER = "ai-sdk";

/** One part of an answer: so much of its text, its next call, or a part that is nothing but itself. */
export type LayoutPart =
  | { readonly type: "text"; readonly chars: number; readonly more?: JsonRecord | undefined }
  | { readonly type: "call"; readonly more?: JsonRecord | undefined }
  | { readonly type: "part"; readonly part: JsonRecord };

/** One part of a message that goes back. `more` holds `providerOptions`. */
export type LaidOutPart =
  | { readonly type: "text"; readonly text: string; readonly more?: JsonRecord | undefined }
  | { readonly type: "call"; readonly call: ToolCall; readonly more?: JsonRecord | undefined }
  | { readonly type: "part"; readonly part: JsonRecord };

/** What a provider attached, in the place where it takes it back. */
export function attached(metadata: unknown): JsonRecord | undefined {
  return isRecord(metadata) && Object.keys(metadata).length > 0 ? { providerOptions: metadata } : undefined;
}

/** A part of an answer that goes back as a whole: reasoning, and what the provider's own tools did. */
export function keptPart(part: Part): JsonRecord | undefined {
  const more = attached(part["providerMetadata"]);
  switch (part.type) {
    case "reasoning":
      return { type: "reasoning", text: part["text"], ...more };
    case "custom":
      return { type: "custom", kind: part["kind"], ...more };
    case "tool-call": {
      const { toolCallId, toolName, input } = part;
      return { type: "tool-call", toolCallId, toolName, input: parsed(input), providerExecuted: true, ...more };
    }
    case "tool-result": {
      const { toolCallId, toolName, result, isError } = part;
      const output = { type: isError === true ? "error-json" : "json", value: result ?? null };
      return { type: "tool-result", toolCallId, toolName, output, ...more };
    }
    default:
      return undefined;
  }
}

function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
}

/** The block that keeps a layout in the history, or none where there is nothing to remember. */
export function layoutBlock(parts: readonly LayoutPart[], provider: string): Reasoning | undefined {
  const isPlain = parts.every((part) => part.type !== "part" && part.more === undefined);
  return isPlain ? undefined : { text: "", provider: REASONING_PROVIDER, data: { from: provider, parts } };
}

/** The message in parts, as it was laid out where that is known; what is not known comes last. */
export function laidOutParts(message: AssistantMessage, provider: string): LaidOutPart[] {
  const { content, toolCalls = [] } = message;
  const pieces: LaidOutPart[] = [];
  let chars = 0;
  let calls = 0;
  for (const part of readLayout(message.reasoning, provider)) {
    if (part.type === "part") pieces.push(part);
    if (part.type === "text") {
      pieces.push({ type: "text", text: content.slice(chars, chars + part.chars), more: part.more });
      chars += part.chars;
    }
    const call = toolCalls[calls];
    if (part.type === "call" && call !== undefined) {
      pieces.push({ type: "call", call, more: part.more });
      calls++;
    }
  }
  if (chars < content.length) pieces.push({ type: "text", text: content.slice(chars) });
  return [...pieces, ...toolCalls.slice(calls).map((call): LaidOutPart => ({ type: "call", call }))];
}

function readLayout(reasoning: readonly Reasoning[] = [], provider: string): LayoutPart[] {
  const own = reasoning.find((block) => block.provider === REASONING_PROVIDER && isRecord(block.data));
  const data = own?.data;
  if (!isRecord(data) || data["from"] !== provider || !Array.isArray(data["parts"])) return [];
  return data["parts"].filter(isRecord).flatMap(readPart);
}

function readPart({ type, chars, more, part }: JsonRecord): LayoutPart[] {
  const known = isRecord(more) ? { more } : {};
  if (type === "text") return [{ type, chars: countOrNothing(chars) ?? 0, ...known }];
  if (type === "call") return [{ type, ...known }];
  return type === "part" && isRecord(part) ? [{ type, part }] : [];
}
