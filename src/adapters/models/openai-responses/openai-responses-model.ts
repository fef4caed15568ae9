/**
 * Talks to any endpoint that speaks OpenAI's Responses API, whole answers and streams.
 *
 * Wing adapters (models/openai-responses).
 */
import type { Model, ModelRequest } from "../../../contract/model.ts";
import { askStreamed, askWhole } from "../http/ask.ts";
import type { Exchange } from "../http/exchange.ts";
import { namesOf } from "../http/tool-calls.ts";
import { type OpenAIResponsesModelOptions, type OpenAIResponsesSettings, resolveOptions } from "./options.ts";
import { createResponseReader } from "./response-events.ts";
import { requestBody } from "./to-request.ts";
import { readResponse } from "./whole-response.ts";

/**
 * A model behind the Responses API.
 *
 * Every failure is a `ModelError`, or what the signal was aborted with; nothing malformed passes as an
 * answer. It makes one request per call and never retries: that is the runtime's part. Nothing is stored at
 * the endpoint; reasoning comes encrypted, is kept in the history and sent back.
 *
 * @throws TypeError when an option is not valid, saying what to write instead.
 * @example
 * const model = openaiResponsesModel({ model: "gpt-5", apiKey: process.env["OPENAI_API_KEY"] });
 */
export function openaiResponsesModel(
  options: OpenAIResponsesModelOptions,
): Model & Required<Pick<Model, "name" | "stream">> {
  const settings = resolveOptions(options);
  const { name, secrets } = settings;
  return {
    name,
    generate: (request, { signal }) => askWhole(() => exchangeOf(request, settings, false), { signal, secrets }),
    stream: (request, { signal }) => askStreamed(() => exchangeOf(request, settings, true), { signal, secrets }),
  };
}

function exchangeOf(request: ModelRequest, settings: OpenAIResponsesSettings, stream: boolean): Exchange {
  const names = namesOf(request);
  const { url, headers, fetch, secrets } = settings;
  return {
    request: { url, headers, fetch, secrets, body: requestBody(request, settings, { names, stream }) },
    readWhole: (text, response) => readResponse(text, { settings, names, response }),
    openReader: (response) => createResponseReader({ settings, names, response }),
  };
}
