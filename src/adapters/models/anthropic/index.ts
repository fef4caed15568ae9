/**
 * `harness-kit/models/anthropic`: any endpoint that speaks Anthropic's Messages API.
 *
 * @module harness-kit/models/anthropic
 */
export { anthropicModel } from "./anthropic-model.ts";
export type { AnthropicModelOptions } from "./options.ts";
