/**
 * The contract of models as a suite: what every adapter of this package passes, and what yours can pass, too.
 *
 * Testing wing (Node).
 */
import type { ModelLike } from "../contract/model.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { answerCases } from "./model-contract-answers.ts";
import { failureCases } from "./model-contract-failures.ts";
import {
  type ContractCase,
  type ContractEndpoint,
  type ContractExpect,
  runWithModel,
  runWithProvider,
} from "./model-contract-kit.ts";
import { ownCases } from "./model-contract-own.ts";
import { streamCases } from "./model-contract-streams.ts";

/** What {@link modelContract} takes beside the factory. */
export interface ModelContractOptions {
  /** `it` or `test` of your test runner. */
  readonly it: (sentence: string, run: () => Promise<void>) => unknown;
  /** `expect` of vitest, jest or bun, or one that knows `toBe`, `toEqual` and `toMatchObject`. */
  readonly expect: ContractExpect;
  /**
   * Who answers the model. "fake": the suite starts a `fakeProvider` for each case and scripts its answers
   * and faults; the model speaks Chat Completions, Responses or Messages to it. "own": the model brings its
   * own answers (a function, an embedded model, a real endpoint), and only what holds for any answer is
   * tested. @defaultValue "fake"
   */
  readonly provider?: "fake" | "own" | undefined;
  /** Whether the model can stream; it is tested that this is so. @defaultValue true */
  readonly streams?: boolean | undefined;
}

/**
 * Registers the suite with your test runner.
 *
 * @param makeModel - Makes a fresh model for each case, pointed at the endpoint that it is given.
 * @throws TypeError when `it` or `expect` is missing.
 * @example
 * describe("my model", () => {
 *   modelContract(({ baseUrl, apiKey }) => myModel({ baseUrl, apiKey }), { it, expect });
 * });
 */
export function modelContract(
  makeModel: (endpoint: ContractEndpoint) => ModelLike | Promise<ModelLike>,
  options: ModelContractOptions,
): void {
  const { it, expect, provider = "fake", streams = true } = options;
  if (typeof makeModel !== "function" || typeof it !== "function" || typeof expect !== "function") {
    throw misuse("modelContract takes a function that makes a model, and { it, expect } of your test runner.");
  }
  if (provider !== "fake" && provider !== "own") {
    throw misuse(`modelContract: \`provider\` must be "fake" or "own", got ${quoteValue(provider)}.`);
  }
  const run = provider === "fake" ? runWithProvider : runWithModel;
  for (const contractCase of casesFor(provider, streams)) {
    it(contractCase.sentence, () => run(contractCase, { makeModel, expect, streams }));
  }
}

function casesFor(provider: "fake" | "own", streams: boolean): readonly ContractCase[] {
  if (provider === "own") return ownCases(streams);
  return [...answerCases, ...(streams ? streamCases : []), ...failureCases(streams)];
}
