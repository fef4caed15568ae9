/**
 * `harness-kit/models/openai-responses`: any endpoint that speaks OpenAI's Responses API.
 *
 * @module harness-kit/models/openai-responses
 */
export { openaiResponsesModel } from "./openai-responses-model.ts";
export type { OpenAIResponsesModelOptions } from "./options.ts";
