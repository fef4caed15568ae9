/**
 * Talks to any endpoint that speaks Anthropic's Messages API, whole answers and streams.
 *
 * Wing adapters (models/anthropic).
 */
import type { Model, ModelRequest } from "../../../contract/model.ts";
import { askStreamed, askWhole } from "../http/ask.ts";
import type { Exchange } from "../http/exchange.ts";
import { namesOf } from "../http/tool-calls.ts";
import { createMessageReader } from "./message-events.ts";
import { type AnthropicModelOptions, type AnthropicSettings, resolveOptions } from "./options.ts";
import { requestBody } from "./to-request.ts";
import { readMessage } from "./whole-message.ts";

/**
 * A model behind the Messages API.
 *
 * Every failure is a `ModelError`, or what the signal was aborted with; nothing malformed passes as an
 * answer. It makes one request per call and never retries: that is the runtime's part. Thinking is kept in
 * the history and sent back unchanged.
 *
 * @throws TypeError when an option is not valid, saying what to write instead.
 * @example
 * const model = anthropicModel({ model: "claude-sonnet-4-5", apiKey: process.env["ANTHROPIC_API_KEY"] });
 */
export function anthropicModel(options: AnthropicModelOptions): Model & Required<Pick<Model, "name" | "stream">> {
  const settings = resolveOptions(options);
  const { name, secrets } = settings;
  return {
    name,
    generate: (request, { signal }) => askWhole(() => exchangeOf(request, settings, false), { signal, secrets }),
    stream: (request, { signal }) => askStreamed(() => exchangeOf(request, settings, true), { signal, secrets }),
  };
}

function exchangeOf(request: ModelRequest, settings: AnthropicSettings, stream: boolean): Exchange {
  const names = namesOf(request);
  const { url, headers, fetch, secrets } = settings;
  return {
    request: { url, headers, fetch, secrets, body: requestBody(request, settings, { names, stream }) },
    readWhole: (text, response) => readMessage(text, { settings, names, response }),
    openReader: (response) => createMessageReader({ settings, names, response }),
  };
}
