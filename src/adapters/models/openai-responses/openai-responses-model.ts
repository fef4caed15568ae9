/**
 * Talks to any endpoint that speaks OpenAI's Responses API, whole answers and streams.
 *
 * Wing adapters (models/openai-responses).
 */
import { apiModel, type StreamingModel } from "../http/api-model.ts";
import { type OpenAIResponsesModelOptions, resolveOptions } from "./options.ts";
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
export function openaiResponsesModel(options: OpenAIResponsesModelOptions): StreamingModel {
  return apiModel(resolveOptions(options), { requestBody, readWhole: readResponse, openReader: createResponseReader });
}
