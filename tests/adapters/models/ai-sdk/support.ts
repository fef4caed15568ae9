/** Helpers of the AI SDK tests: language models made of parts, and what they were asked. */
import { type AiSdkModelOptions, aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts";
import type { ModelRequest } from "../../../../src/contract/model.ts";
import { callContext, request } from "../support.ts";

export type Version = "v2" | "v3" | "v4";
export const VERSIONS: readonly Version[] = ["v2", "v3", "v4"];

/** A finish reason in the form of a version. */
export const reason = (version: Version, unified: string) => (version === "v2" ? unified : { unified, raw: unified });

/** The finish reason of a provider that never heard of one. */
export const unknownReason = (version: Version) =>
  version === "v2" ? "unknown" : { unified: "other", raw: undefined };

/** Usage in the form of a version. */
export const usage = (version: Version, input: number, output: number) =>
  version === "v2"
    ? {
        inputTokens: input,
        outputTokens: output,
        totalTokens: input + output,
        cachedInputTokens: 1,
        reasoningTokens: 2,
      }
    : {
        inputTokens: { total: input, noCache: input - 1, cacheRead: 1, cacheWrite: undefined },
        outputTokens: { total: output, text: output - 2, reasoning: 2 },
      };

export const NO_USAGE = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

export interface Asked {
  readonly prompt: { readonly role: string; readonly content: unknown; readonly providerOptions?: unknown }[];
  readonly abortSignal: AbortSignal;
  readonly [option: string]: unknown;
}

/** A language model that answers with these parts, and remembers what it was asked. */
export function scripted(version: Version, answer: { result?: unknown; parts?: readonly unknown[] }) {
  const asked: Asked[] = [];
  const seen = { cancelled: false };
  const languageModel = {
    specificationVersion: version,
    provider: "test.chat",
    modelId: "m",
    supportedUrls: {},
    doGenerate: async (options: Asked) => {
      asked.push(options);
      if (answer.result instanceof Error) throw answer.result;
      return answer.result;
    },
    doStream: async (options: Asked) => {
      asked.push(options);
      const parts = [...(answer.parts ?? [])];
      const stream = new ReadableStream<unknown>({
        pull(controller) {
          if (parts.length === 0) controller.close();
          else controller.enqueue(parts.shift());
        },
        cancel() {
          seen.cancelled = true;
        },
      });
      return { stream, response: { headers: { "x-request-id": "req_1" } } };
    },
  };
  return { languageModel, asked, seen };
}

export const generateFrom = (version: Version, result: unknown, asked: ModelRequest = request()) =>
  aiSdkModel(scripted(version, { result }).languageModel).generate(asked, callContext());

export const streamOf = (version: Version, parts: readonly unknown[], asked: ModelRequest = request()) =>
  aiSdkModel(scripted(version, { parts }).languageModel).stream(asked, callContext());

/** The call options that a request becomes. */
export async function sent(version: Version, asked: ModelRequest, options: AiSdkModelOptions = {}): Promise<Asked> {
  const model = scripted(version, { result: result(version, [{ type: "text", text: "ok" }]) });
  await aiSdkModel(model.languageModel, options).generate(asked, callContext());
  const [first] = model.asked;
  if (first === undefined) throw new Error("the model was not asked");
  return first;
}

export const result = (version: Version, content: unknown, finish = "stop", more: object = {}) => ({
  content,
  finishReason: reason(version, finish),
  usage: usage(version, 7, 5),
  warnings: [],
  ...more,
});

export const finish = (version: Version, unified = "stop") => ({
  type: "finish",
  finishReason: reason(version, unified),
  usage: usage(version, 7, 5),
});

export const text = (id: string, ...pieces: string[]) => [
  { type: "text-start", id },
  ...pieces.map((delta) => ({ type: "text-delta", id, delta })),
  { type: "text-end", id },
];
