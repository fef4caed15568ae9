/** Every adapter passes the suite that we give to those who write their own. */
import { createOpenAI as createV3 } from "@ai-sdk/openai";
import { createOpenAI as createV2 } from "ai-sdk-openai-2";
import { createOpenAI as createV4 } from "ai-sdk-openai-4";
import { modelContract, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { aiSdkModel } from "../../../src/adapters/models/ai-sdk/index.ts";
import { anthropicModel } from "../../../src/adapters/models/anthropic/index.ts";
import { localModel } from "../../../src/adapters/models/local/index.ts";
import { openaiModel } from "../../../src/adapters/models/openai/index.ts";
import { openaiResponsesModel } from "../../../src/adapters/models/openai-responses/index.ts";
import type { Model } from "../../../src/contract/model.ts";

describe("openaiModel", () => {
  modelContract((endpoint) => openaiModel({ model: "m", ...endpoint }), { it, expect });
});

describe("openaiResponsesModel", () => {
  modelContract((endpoint) => openaiResponsesModel({ model: "m", ...endpoint }), { it, expect });
});

describe("anthropicModel", () => {
  modelContract((endpoint) => anthropicModel({ model: "m", ...endpoint }), { it, expect });
});

describe.each([
  ["2", createV2],
  ["3", createV3],
  ["4", createV4],
] as const)("aiSdkModel with @ai-sdk/openai %s", (_version, create) => {
  describe("by Chat Completions", () => {
    modelContract(({ baseUrl, apiKey }) => aiSdkModel(create({ baseURL: baseUrl, apiKey }).chat("m")), { it, expect });
  });
  describe("by Responses", () => {
    modelContract(({ baseUrl, apiKey }) => aiSdkModel(create({ baseURL: baseUrl, apiKey }).responses("gpt-5")), {
      it,
      expect,
    });
  });
});

describe("models that bring their own answers", () => {
  describe("a function", () => {
    modelContract(() => async () => ({ content: "55", toolCalls: [] }), {
      it,
      expect,
      provider: "own",
      streams: false,
    });
  });
  describe("localModel", () => {
    modelContract(() => localModel(), { it, expect, provider: "own", streams: "stream" in localModel() });
  });
  describe("scriptedModel", () => {
    const options = { repeatLast: true, chunkSize: 1 };
    modelContract(() => scriptedModel(["55"], options), { it, expect, provider: "own" });
  });
});

/** Runs the suite on a model and gives the sentences that failed. */
async function failures(make: () => Model, options: { provider: "own"; streams?: boolean }): Promise<string[]> {
  const failed: string[] = [];
  const cases: Promise<void>[] = [];
  const record = (sentence: string, run: () => Promise<void>) => {
    cases.push(run().catch(() => void failed.push(sentence)));
  };
  modelContract(make, { it: record, expect, ...options });
  await Promise.all(cases);
  return failed;
}

describe("modelContract", () => {
  it("finds models that break it", async () => {
    const answer = { content: "55", toolCalls: [] };
    const empty = await failures(
      () => ({ generate: async () => ({ content: "", toolCalls: [], finishReason: "other" }) }),
      { provider: "own", streams: false },
    );
    expect(empty).toHaveLength(5);
    const deaf = await failures(() => ({ generate: () => new Promise(() => {}) }), { provider: "own", streams: false });
    expect(deaf).toHaveLength(5);
    expect(deaf).toContain("settles when its signal has fired, or fires");
    const changing: Model = {
      generate: async (request) => {
        (request.messages as unknown[]).push("mine");
        return answer;
      },
    };
    expect((await failures(() => changing, { provider: "own", streams: false }))[0]).toContain("changes nothing");
    const endless: Model = {
      generate: async () => answer,
      stream: async function* () {
        yield { type: "text", text: "55" } as const;
      },
    };
    expect(
      (await failures(() => endless, { provider: "own" })).every((sentence) => sentence.includes("streaming")),
    ).toBe(true);
    expect(await failures(() => ({ generate: async () => answer }), { provider: "own" })).toHaveLength(10);
  });

  it("says what it needs", () => {
    expect(() => modelContract(undefined as never, { it, expect })).toThrow("takes a function that makes a model");
    expect(() => modelContract(() => scriptedModel(["a"]), {} as never)).toThrow("{ it, expect }");
    expect(() => modelContract(() => scriptedModel(["a"]), { it, expect, provider: "real" as never })).toThrow(
      '"fake" or "own"',
    );
  });
});
