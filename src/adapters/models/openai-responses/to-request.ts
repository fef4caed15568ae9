/**
 * Writes the body of a Responses request.
 *
 * Wing adapters (models/openai-responses).
 */
import type { ModelRequest, ModelSettings, ToolDefinition } from "../../../contract/model.ts";
import { closedSchema, flatSchema } from "../http/flat-schema.ts";
import { type JsonRecord, present, writeJson } from "../http/json.ts";
import { mapNames, type NameMap } from "../http/names.ts";
import type { OpenAIResponsesSettings } from "./options.ts";
import { toHistory } from "./to-input.ts";

/** The body as JSON text. The API knows no stop sequences: those are left out. */
export function requestBody(
  request: ModelRequest,
  settings: OpenAIResponsesSettings,
  { names, stream }: { readonly names: NameMap; readonly stream: boolean },
): string {
  const asked = request.settings ?? {};
  const { instructions, input } = toHistory(request.messages, names, settings);
  return writeJson({
    model: settings.model,
    ...(instructions === "" ? {} : { instructions }),
    input,
    ...toolFields(request.tools, asked, { settings, names }),
    temperature: asked.temperature,
    top_p: asked.topP,
    max_output_tokens: asked.maxOutputTokens,
    ...textField(asked, settings),
    ...present("reasoning", settings.reasoning),
    store: settings.store,
    ...(settings.keepReasoning ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(stream ? { stream: true } : {}),
    ...settings.extraBody,
  });
}

/** `strict` is always said: left out, the API would rewrite the schema. */
function toolFields(
  tools: readonly ToolDefinition[],
  asked: ModelSettings,
  { settings, names }: { readonly settings: OpenAIResponsesSettings; readonly names: NameMap },
): object {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      name: names.toWire(name),
      description,
      parameters: flatSchema(parameters),
      strict: settings.strictSchemas,
    })),
    ...present("tool_choice", toToolChoice(asked.toolChoice, names)),
    ...present("parallel_tool_calls", settings.parallelToolCalls),
  };
}

function toToolChoice(choice: ModelSettings["toolChoice"], names: NameMap): string | JsonRecord | undefined {
  return typeof choice === "object" ? { type: "function", name: names.toWire(choice.tool) } : choice;
}

function textField({ responseFormat }: ModelSettings, { strictSchemas }: OpenAIResponsesSettings): object {
  if (responseFormat === undefined) return {};
  const name = mapNames([responseFormat.name]).toWire(responseFormat.name);
  const schema = strictSchemas ? closedSchema(responseFormat.schema) : responseFormat.schema;
  return { text: { format: { type: "json_schema", name, schema, strict: strictSchemas } } };
}
