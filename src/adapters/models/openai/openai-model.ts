/**
 * Talks to any endpoint that speaks OpenAI's Chat Completions, whole answers and streams.
 *
 * Wing adapters (models/openai).
 */
import type { Model, ModelRequest } from "../../../contract/model.ts";
import { askStreamed, askWhole } from "../http/ask.ts";
import type { Exchange } from "../http/exchange.ts";
import { namesOf } from "../http/tool-calls.ts";
import { createChunkReader } from "./chunks.ts";
import { readCompletion } from "./completion.ts";
import { type OpenAIModelOptions, type OpenAISettings, resolveOptions } from "./options.ts";
import { requestBody } from "./to-request.ts";

/**
 * A model behind an OpenAI-compatible endpoint.
 *
 * Every failure is a `ModelError`, or what the signal was aborted with; nothing malformed passes as an
 * answer. It makes one request per call and never retries: that is the runtime's part.
 *
 * @throws TypeError when an option is not valid, saying what to write instead.
 * @example
 * const model = openaiModel({ model: "gpt-5", apiKey: process.env["OPENAI_API_KEY"] });
 * const local = openaiModel({ model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434/v1" });
 */
export function openaiModel(options: OpenAIModelOptions): Model & Required<Pick<Model, "name" | "stream">> {
  const settings = resolveOptions(options);
  const { name, secrets } = settings;
  return {
    name,
    generate: (request, { signal }) => askWhole(() => exchangeOf(request, settings, false), { signal, secrets }),
    stream: (request, { signal }) => askStreamed(() => exchangeOf(request, settings, true), { signal, secrets }),
  };
}

function exchangeOf(request: ModelRequest, settings: OpenAISettings, stream: boolean): Exchange {
  const names = namesOf(request);
  const { url, headers, fetch, secrets } = settings;
  return {
    request: { url, headers, fetch, secrets, body: requestBody(request, settings, { names, stream }) },
    readWhole: (text, response) => readCompletion(text, { settings, names, response }),
    openReader: (response) => createChunkReader({ settings, names, response }),
  };
}
