/**
 * Writes the body of a Messages request.
 *
 * Wing adapters (models/anthropic).
 */
import type { ModelRequest, ModelSettings } from "../../../contract/model.ts";
import { closedSchema, flatSchema } from "../http/flat-schema.ts";
import { type JsonRecord, present, writeJson } from "../http/json.ts";
import type { NameMap } from "../http/names.ts";
import { calledNames } from "../http/tool-calls.ts";
import type { AnthropicSettings } from "./options.ts";
import { isThinking } from "./thinking.ts";
import { toHistory, type WireMessage } from "./to-messages.ts";

/** The body as JSON text. */
export function requestBody(
  request: ModelRequest,
  settings: AnthropicSettings,
  { names, stream }: { readonly names: NameMap; readonly stream: boolean },
): string {
  const asked = request.settings ?? {};
  const { system, messages } = toHistory(request.messages, names, settings.keeper);
  const instructions = [...system, ...replyInstruction(asked, settings)];
  const isForced =
    request.tools.length > 0 && (asked.toolChoice === "required" || typeof asked.toolChoice === "object");
  const thinking = isForced ? undefined : settings.thinking;
  return writeJson({
    model: settings.model,
    max_tokens:
      (asked.maxOutputTokens ?? settings.maxTokens) + (typeof thinking === "object" ? thinking.budgetTokens : 0),
    ...(instructions.length > 0 ? { system: withHint(instructions, settings) } : {}),
    messages: withMessageHints(messages, settings),
    ...toolFields(request, asked, { settings, names }),
    ...present("thinking", toThinking(thinking)),
    ...samplingFields(asked, thinking),
    ...outputConfig(asked, settings),
    ...(stream ? { stream: true } : {}),
    ...settings.extraBody,
  });
}

function toThinking(thinking: AnthropicSettings["thinking"]): JsonRecord | undefined {
  return typeof thinking === "object"
    ? { type: "enabled", budget_tokens: thinking.budgetTokens }
    : thinking && { type: thinking };
}

function samplingFields(asked: ModelSettings, thinking: AnthropicSettings["thinking"]): object {
  const thinks = thinking !== undefined && thinking !== "disabled";
  return {
    ...(thinks ? {} : { temperature: asked.temperature, top_p: asked.topP }),
    stop_sequences: asked.stop === undefined || asked.stop.length === 0 ? undefined : asked.stop,
  };
}

function outputConfig(asked: ModelSettings, settings: AnthropicSettings): object {
  const { responseFormat } = asked;
  const format =
    responseFormat !== undefined && settings.jsonMode === "json_schema"
      ? { type: "json_schema", schema: closedSchema(responseFormat.schema) }
      : undefined;
  const config = { ...present("effort", settings.effort), ...present("format", format) };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

function replyInstruction({ responseFormat }: ModelSettings, settings: AnthropicSettings): JsonRecord[] {
  if (responseFormat === undefined || settings.jsonMode === "json_schema") return [];
  const schema = JSON.stringify(responseFormat.schema);
  return [
    {
      type: "text",
      text: `Answer with one JSON object and nothing else, no code fence. It must fit this JSON Schema:\n${schema}`,
    },
  ];
}

function toolFields(
  request: ModelRequest,
  asked: ModelSettings,
  { settings, names }: { readonly settings: AnthropicSettings; readonly names: NameMap },
): object {
  if (request.tools.length === 0) return pastTools(request, names);
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name: names.toWire(name),
    description,
    input_schema: flatSchema(parameters),
  }));
  const choice = toToolChoice(asked.toolChoice, names);
  const isSingle = !settings.parallelToolCalls && choice?.["type"] !== "none";
  const toolChoice = isSingle ? { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true } : choice;
  return { tools: withHint(tools, settings), ...present("tool_choice", toolChoice) };
}

/** A history with calls is refused without tools, so that the tools of the past are named. */
function pastTools(request: ModelRequest, names: NameMap): object {
  const called = calledNames(request);
  if (called.length === 0) return {};
  const tools = called.map((name) => ({
    name: names.toWire(name),
    description: "No longer available.",
    input_schema: { type: "object" },
  }));
  return { tools, tool_choice: { type: "none" } };
}

function toToolChoice(choice: ModelSettings["toolChoice"], names: NameMap): JsonRecord | undefined {
  if (choice === undefined) return undefined;
  if (typeof choice === "object") return { type: "tool", name: names.toWire(choice.tool) };
  return { type: choice === "required" ? "any" : choice };
}

/** Marks the last block: what precedes it, and the block itself, may be cached. */
function withHint(blocks: readonly JsonRecord[], { cache }: AnthropicSettings): readonly JsonRecord[] {
  const at = blocks.findLastIndex((block) => !isThinking(block));
  const block = blocks[at];
  if (cache === undefined || block === undefined) return blocks;
  const hint = { type: "ephemeral", ...(cache === "1h" ? { ttl: cache } : {}) };
  return blocks.with(at, { ...block, cache_control: hint });
}

/** The API looks back only 20 blocks from a mark: the last two messages of the user get one each. */
function withMessageHints(messages: readonly WireMessage[], settings: AnthropicSettings): readonly WireMessage[] {
  const ofUser = messages.flatMap(({ role }, index) => (role === "user" ? [index] : [])).slice(-2);
  return messages.map((message, index) =>
    ofUser.includes(index) ? { ...message, content: withHint(message.content, settings) } : message,
  );
}
