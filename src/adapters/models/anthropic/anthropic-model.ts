/**
 * Talks to any endpoint that speaks Anthropic's Messages API, whole answers and streams.
 *
 * Wing adapters (models/anthropic).
 */
import { apiModel, type StreamingModel } from "../http/api-model.ts";
import { createMessageReader } from "./message-events.ts";
import { type AnthropicModelOptions, resolveOptions } from "./options.ts";
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
export function anthropicModel(options: AnthropicModelOptions): StreamingModel {
  return apiModel(resolveOptions(options), { requestBody, readWhole: readMessage, openReader: createMessageReader });
}
