/**
 * Writes a request as the call options of an AI SDK model.
 *
 * Wing adapters (models/ai-sdk).
 */
import type { ModelRequest, ModelSettings } from "../../../contract/model.ts";
import { flatSchema } from "../http/flat-schema.ts";
import { type JsonRecord, present } from "../http/json.ts";
import type { NameMap } from "../http/names.ts";
import type { CallSettings } from "./language-model.ts";
import { toPrompt } from "./to-prompt.ts";

/** All but the signal. */
export function toCallOptions(request: ModelRequest, settings: CallSettings, names: NameMap): JsonRecord {
  const asked = request.settings ?? {};
  return {
    prompt: toPrompt(request.messages, names, settings),
    ...present("maxOutputTokens", asked.maxOutputTokens),
    ...present("temperature", asked.temperature),
    ...present("topP", asked.topP),
    ...present("stopSequences", asked.stop === undefined || asked.stop.length === 0 ? undefined : [...asked.stop]),
    ...present("responseFormat", toResponseFormat(asked)),
    ...toolFields(request, asked, names),
    ...(Object.keys(settings.headers).length > 0 ? { headers: settings.headers } : {}),
    ...present("providerOptions", settings.providerOptions),
  };
}

function toResponseFormat({ responseFormat }: ModelSettings): JsonRecord | undefined {
  return responseFormat && { type: "json", name: responseFormat.name, schema: responseFormat.schema };
}

function toolFields(request: ModelRequest, asked: ModelSettings, names: NameMap): object {
  if (request.tools.length === 0) return {};
  return {
    tools: request.tools.map(({ name, description, parameters }) => ({
      type: "function",
      name: names.toWire(name),
      description,
      inputSchema: flatSchema(parameters),
    })),
    ...present("toolChoice", toToolChoice(asked.toolChoice, names)),
  };
}

function toToolChoice(choice: ModelSettings["toolChoice"], names: NameMap): JsonRecord | undefined {
  if (choice === undefined) return undefined;
  return typeof choice === "object" ? { type: "tool", toolName: names.toWire(choice.tool) } : { type: choice };
}
