/**
 * What of an AI SDK language model is relied on, as far as its versions agree.
 *
 * Wing adapters (models/ai-sdk). By structure only: no package of the AI SDK is imported, not even for its types.
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import type { JsonRecord } from "../http/json.ts";

/** A `LanguageModelV2`, `V3` or `V4`, as `openai("gpt-5")` or `anthropic("claude-sonnet-4-5")` make them. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** Asks for a whole answer. */
  doGenerate(options: never): PromiseLike<unknown>;
  /** Asks for a stream of parts. */
  doStream(options: never): PromiseLike<unknown>;
}

/** The version of the specification; they differ in how files, finish reasons and usage look. */
export type SpecVersion = "v2" | "v3" | "v4";

/** What is the same for every call of a model. */
export interface CallSettings {
  readonly version: SpecVersion;
  /** Whose metadata this is: only the same provider gets it back. */
  readonly provider: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly providerOptions: JsonRecord | undefined;
}

/** One part of a prompt or of an answer. */
export interface Part extends JsonRecord {
  readonly type: string;
}

const VERSIONS: readonly unknown[] = ["v2", "v3", "v4"];

/** @throws TypeError for anything but a language model of a known version, saying what to write instead. */
export function checkLanguageModel(model: unknown): SpecVersion {
  if (typeof model === "string") {
    throw misuse(
      `aiSdkModel takes a model object, such as openai("gpt-5") of @ai-sdk/openai, not the name ${quoteValue(model)}.`,
    );
  }
  const { specificationVersion, doGenerate, doStream } = (model ?? {}) as Partial<Record<string, unknown>>;
  if (typeof doGenerate !== "function" || typeof doStream !== "function") {
    throw misuse(
      `aiSdkModel takes a language model of an AI SDK provider, such as openai("gpt-5"), got ${quoteValue(model)}.`,
    );
  }
  if (VERSIONS.includes(specificationVersion)) return specificationVersion as SpecVersion;
  throw misuse(
    `aiSdkModel knows the specifications "v2", "v3" and "v4", this model has ${quoteValue(specificationVersion)}. ` +
      "Update harness-kit or the provider's package.",
  );
}
