/** `harness-kit/models/ai-sdk`: any model of an AI SDK provider, of specification V2, V3 or V4. */
export { type AiSdkModelOptions, aiSdkModel } from "./ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "./language-model.ts";
