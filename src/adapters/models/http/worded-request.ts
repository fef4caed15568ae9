/**
 * Brings a request into a form in which only names of fields are left to be changed.
 *
 * Wing adapters (models/http).
 */
import type { Message } from "../../../contract/message.ts";
import type { ModelRequest, ModelSettings } from "../../../contract/model.ts";
import { flatSchema } from "./flat-schema.ts";
import type { NameMap } from "./names.ts";
import { argumentsText } from "./tool-calls.ts";

/** Wire names, arguments as text, no empty assistant message and no empty list of calls, which APIs refuse. */
export function wordedRequest({ messages, tools, settings }: ModelRequest, names: NameMap): ModelRequest {
  return {
    messages: messages.flatMap((message) => wordedMessage(message, names)),
    tools: tools.map(({ name, description, parameters }) => {
      return { name: names.toWire(name), description, parameters: flatSchema(parameters) };
    }),
    settings: settings && wordedSettings(settings, names),
  };
}

function wordedMessage(message: Message, names: NameMap): Message[] {
  if (message.role === "tool") return [{ ...message, name: names.toWire(message.name) }];
  if (message.role !== "assistant") return [message];
  const { toolCalls = [], ...words } = message;
  if (toolCalls.length === 0) return words.content.trim() === "" ? [] : [words];
  const calls = toolCalls.map((call) => {
    return { id: call.id, name: names.toWire(call.name), arguments: argumentsText(call) };
  });
  return [{ ...words, toolCalls: calls }];
}

function wordedSettings(settings: ModelSettings, names: NameMap): ModelSettings {
  const { toolChoice } = settings;
  if (typeof toolChoice !== "object") return settings;
  return { ...settings, toolChoice: { tool: names.toWire(toolChoice.tool) } };
}
