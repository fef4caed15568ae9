/**
 * `harness-kit/models/openai`: any endpoint that speaks OpenAI's Chat Completions.
 *
 * @module harness-kit/models/openai
 */
export { openaiModel } from "./openai-model.ts";
export type { OpenAIModelOptions } from "./options.ts";
