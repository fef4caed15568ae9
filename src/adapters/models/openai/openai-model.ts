/**
 * Talks to any endpoint that speaks OpenAI's Chat Completions, whole answers and streams.
 *
 * Wing adapters (models/openai).
 */
import { apiModel, type StreamingModel } from "../http/api-model.ts";
import { createChunkReader } from "./chunks.ts";
import { readCompletion } from "./completion.ts";
import { type OpenAIModelOptions, resolveOptions } from "./options.ts";
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
export function openaiModel(options: OpenAIModelOptions): StreamingModel {
  return apiModel(resolveOptions(options), { requestBody, readWhole: readCompletion, openReader: createChunkReader });
}
