/**
 * Brings tool calls into a form that providers take, whatever a history holds.
 *
 * Wing adapters (models, shared base).
 */
import type { ToolCall } from "../../../contract/message.ts";
import type { ModelRequest } from "../../../contract/model.ts";
import { isRecord, isSuspect, type JsonRecord, tryParseJson, writeJson } from "./json.ts";
import { mapNames, type NameMap } from "./names.ts";

/** The names of one request: definitions first, then what the history speaks of. */
export function namesOf(request: ModelRequest): NameMap {
  return mapNames([...request.tools.map((tool) => tool.name), ...calledNames(request)]);
}

/** The tools that the history speaks of, each once. */
export function calledNames(request: ModelRequest): string[] {
  const called = request.messages.flatMap((message) =>
    message.role === "assistant" ? (message.toolCalls ?? []).map((call) => call.name) : [],
  );
  return [...new Set(called)];
}

/** A unique id for a call to which the server gave none. */
export function createCallId(): string {
  const random = () => Math.random().toString(36).slice(2, 12).padEnd(10, "0");
  return `call_${random()}${random()}`;
}

/** The arguments as an object, whatever the record holds. */
export function argumentsObject({ arguments: given }: ToolCall): JsonRecord {
  if (given === "" || given === undefined || given === null) return {};
  const parsed = typeof given === "string" ? tryParseJson(given) : given;
  if (isRecord(parsed)) return parsed;
  if (parsed === null) return {};
  // The model should see what it wrote, as its tool result speaks of it.
  return { _unparsed: typeof given === "string" ? given : JSON.stringify(given) };
}

/** The arguments as JSON text of an object; the original text where it is that. */
export function argumentsText(call: ToolCall): string {
  const given = call.arguments;
  const isFine = typeof given === "string" && !isSuspect(given) && isRecord(tryParseJson(given));
  return isFine ? given : writeJson(argumentsObject(call));
}
