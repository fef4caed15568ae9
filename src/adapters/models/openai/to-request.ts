/**
 * Writes the body of a Chat Completions request.
 *
 * Wing adapters (models/openai).
 */
import type { Message } from "../../../contract/message.ts";
import type { ModelRequest, ModelSettings, ToolDefinition } from "../../../contract/model.ts";
import { flatSchema } from "../http/flat-schema.ts";
import { writeJson } from "../http/json.ts";
import { mapNames, type NameMap } from "../http/names.ts";
import type { OpenAISettings } from "./options.ts";
import { toMessages } from "./to-messages.ts";

/** The body as JSON text. */
export function requestBody(
  request: ModelRequest,
  settings: OpenAISettings,
  { names, stream }: { readonly names: NameMap; readonly stream: boolean },
): string {
  const asked = request.settings ?? {};
  return writeJson({
    model: settings.model,
    messages: toMessages(withInstructions(request.messages, asked, settings), names, settings),
    ...toolFields(request.tools, asked, { settings, names }),
    ...samplingFields(asked, settings),
    ...responseFormatField(asked, settings),
    ...(stream ? { stream: true } : {}),
    ...(stream && settings.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...settings.extraBody,
  });
}

function samplingFields(asked: ModelSettings, settings: OpenAISettings): object {
  return {
    temperature: asked.temperature,
    top_p: asked.topP,
    [settings.maxTokensField]: asked.maxOutputTokens,
    stop: asked.stop === undefined || asked.stop.length === 0 ? undefined : asked.stop,
  };
}

/** Without tools nothing about tools is said: servers refuse a choice among none. */
function toolFields(
  tools: readonly ToolDefinition[],
  asked: ModelSettings,
  { settings, names }: { readonly settings: OpenAISettings; readonly names: NameMap },
): object {
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => ({
      type: "function",
      function: {
        name: names.toWire(tool.name),
        description: tool.description,
        parameters: flatSchema(tool.parameters),
        ...(settings.strictSchemas ? { strict: true } : {}),
      },
    })),
    tool_choice: toToolChoice(asked.toolChoice, names),
    parallel_tool_calls: settings.parallelToolCalls,
  };
}

function toToolChoice(choice: ModelSettings["toolChoice"], names: NameMap): unknown {
  if (typeof choice !== "object") return choice;
  return { type: "function", function: { name: names.toWire(choice.tool) } };
}

function responseFormatField(asked: ModelSettings, settings: OpenAISettings): object {
  const format = asked.responseFormat;
  if (format === undefined || settings.jsonMode === "instructions") return {};
  if (settings.jsonMode === "json_object") return { response_format: { type: "json_object" } };
  const name = mapNames([format.name]).toWire(format.name);
  const strict = settings.strictSchemas ? { strict: true } : {};
  return { response_format: { type: "json_schema", json_schema: { name, schema: format.schema, ...strict } } };
}

/** Where the endpoint is not told the schema, the model is: in the first system message. */
function withInstructions(
  messages: readonly Message[],
  asked: ModelSettings,
  settings: OpenAISettings,
): readonly Message[] {
  if (asked.responseFormat === undefined || settings.jsonMode === "json_schema") return messages;
  const schema = JSON.stringify(asked.responseFormat.schema);
  const instruction = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${schema}`;
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instruction }, ...messages];
  const parts = typeof first.content === "string" ? [{ type: "text" as const, text: first.content }] : first.content;
  return [{ role: "system", content: [...parts, { type: "text", text: `\n${instruction}` }] }, ...rest];
}
