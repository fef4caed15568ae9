/**
 * `harness-kit/models/ai-sdk`: any model of an AI SDK provider, of specification V2, V3 or V4.
 *
 * @module harness-kit/models/ai-sdk
 */
export { type AiSdkModelOptions, aiSdkModel } from "./ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "./language-model.ts";
