/**
 * Brings a message that a host, a snapshot or a stored record handed over into the one form that the
 * package uses: known fields only, well-formed text, plain JSON, frozen.
 *
 * Floor 4 (context).
 */
import type { Message, Part, Reasoning, ToolCall } from "../contract/message.ts";
import { ContextError, isContextError } from "../errors/index.ts";
import { fitsJsonBounds, freezeJson, toJson } from "../util/json.ts";
import { cleanText, quoteValue } from "../util/text.ts";

/** @throws ContextError CONTEXT_INVALID_MESSAGE that says which part is wrong; never another error. */
export function normalizeMessage(message: unknown): Message {
  try {
    return normalize(message);
  } catch (error) {
    if (isContextError(error)) throw error;
    throw new ContextError("A message cannot be read. Give plain objects.", {
      code: "CONTEXT_INVALID_MESSAGE",
      cause: error,
    });
  }
}

function normalize(message: unknown): Message {
  if (typeof message !== "object" || message === null) {
    throw invalidMessage(`A message must be an object with role and content, got ${quoteValue(message)}.`);
  }
  const { role } = message as Partial<Message>;
  switch (role) {
    case "system":
    case "user":
      return Object.freeze({ role, content: normalizeContent(role, Reflect.get(message, "content")) });
    case "assistant":
      return normalizeAssistant(message);
    case "tool":
      return normalizeToolMessage(message);
    default:
      throw invalidMessage(
        `A message has the role ${quoteValue(role)}; write "system", "user", "assistant" or "tool" instead.`,
      );
  }
}

/** The error for a message, or an order of messages, that no provider would take. */
export function invalidMessage(text: string): ContextError {
  return new ContextError(text, { code: "CONTEXT_INVALID_MESSAGE" });
}

function normalizeContent(role: string, content: unknown): string | readonly Part[] {
  if (typeof content === "string") return cleanText(content);
  if (Array.isArray(content) && content.length > 0) {
    return Object.freeze(Array.from(content, (part) => normalizePart(role, part)));
  }
  throw invalidMessage(
    `The content of a ${role} message must be text or a non-empty list of parts, got ${quoteValue(content)}.`,
  );
}

function normalizePart(role: string, part: unknown): Part {
  const { type, text, url } = (part ?? {}) as { type?: unknown; text?: unknown; url?: unknown };
  if (type === "text" && typeof text === "string") return Object.freeze({ type, text: cleanText(text) });
  if (type === "image" && typeof url === "string") return Object.freeze({ type, url: cleanText(url) });
  throw invalidMessage(
    `A part of a ${role} message must be { type: "text", text } or { type: "image", url }, got ${quoteValue(part)}.`,
  );
}

function normalizeAssistant(message: object): Message {
  const { content, toolCalls, reasoning } = message as Record<string, unknown>;
  const calls =
    toolCalls === undefined || toolCalls === null ? [] : Array.from(listOf("toolCalls", toolCalls), normalizeCall);
  const thoughts =
    reasoning === undefined || reasoning === null ? [] : Array.from(listOf("reasoning", reasoning), normalizeReasoning);
  const text = content === undefined || content === null ? "" : content;
  if (typeof text !== "string") {
    throw invalidMessage(`The content of an assistant message must be text, got ${quoteValue(content)}.`);
  }
  return Object.freeze({
    role: "assistant",
    content: cleanText(text),
    ...(calls.length > 0 && { toolCalls: Object.freeze(calls) }),
    ...(thoughts.length > 0 && { reasoning: Object.freeze(thoughts) }),
  });
}

function listOf(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidMessage(`${field} of an assistant message must be a list, got ${quoteValue(value)}.`);
}

function normalizeCall(call: unknown): ToolCall {
  const { id, name, arguments: args } = (call ?? {}) as Record<string, unknown>;
  if (typeof id !== "string" || id === "" || typeof name !== "string" || name === "") {
    throw invalidMessage(`A tool call needs a non-empty id and name, got ${quoteValue(call)}.`);
  }
  return Object.freeze({ id: cleanText(id), name: cleanText(name), arguments: objectArguments(args) });
}

/** Arguments in the history are objects, so that every provider takes them back. */
function objectArguments(args: unknown): unknown {
  const value = typeof args === "string" ? parsedOrText(args) : args;
  if (!fitsJsonBounds(value)) throw invalidMessage("The arguments of a tool call are too deep or too large.");
  const json = toJson(value ?? {});
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return freezeJson(json);
  return freezeJson({ unparsedArguments: typeof json === "string" ? json : JSON.stringify(json) });
}

function parsedOrText(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function normalizeReasoning(entry: unknown): Reasoning {
  const { text, provider, data } = (entry ?? {}) as Record<string, unknown>;
  if (typeof text !== "string") throw invalidMessage(`A reasoning entry needs text, got ${quoteValue(entry)}.`);
  return Object.freeze({
    text: cleanText(text),
    ...(typeof provider === "string" && { provider: cleanText(provider) }),
    ...(data !== undefined && { data: freezeJson(toJson(data)) }),
  });
}

function normalizeToolMessage(message: object): Message {
  const { toolCallId, name, content, isError } = message as Record<string, unknown>;
  if (typeof toolCallId !== "string" || toolCallId === "") {
    throw invalidMessage(
      `A tool message needs the toolCallId of the call that it answers, got ${quoteValue(toolCallId)}.`,
    );
  }
  return Object.freeze({
    role: "tool",
    toolCallId: cleanText(toolCallId),
    name: typeof name === "string" ? cleanText(name) : "",
    content: normalizeContent("tool", content),
    ...(isError === true && { isError: true }),
  });
}
