/**
 * The contract of stores as a suite: what the stores of this package pass, and what yours can pass, too.
 *
 * Testing wing (Node).
 */
import { misuse } from "../util/misuse.ts";
import type { ContractExpect } from "./model-contract-kit.ts";
import { holdCases } from "./store-contract-holds.ts";
import { journalCases } from "./store-contract-journal.ts";
import type { StoreCase, StoreUnderTest } from "./store-contract-kit.ts";
import { runCases } from "./store-contract-runs.ts";
import { sessionCases } from "./store-contract-sessions.ts";

/** What {@link storeContract} takes beside the factory. */
export interface StoreContractOptions {
  /** `it` or `test` of your test runner. */
  readonly it: (sentence: string, run: () => Promise<void>) => unknown;
  /** `expect` of vitest, jest or bun, or one that knows `toBe`, `toEqual` and `toMatchObject`. */
  readonly expect: ContractExpect;
}

const CASES: readonly StoreCase[] = [...journalCases, ...runCases, ...sessionCases, ...holdCases];

/**
 * Registers the suite with your test runner. A store that others can open, too, is tested with two that have
 * it open: what one writes the other one reads.
 *
 * @param makeStore - Makes an empty store for each case.
 * @throws TypeError when `it` or `expect` is missing.
 * @example
 * describe("my store", () => {
 *   storeContract(
 *     async () => {
 *       const url = await emptyDatabase();
 *       return { store: myStore(url), reopen: () => myStore(url), dispose: () => drop(url) };
 *     },
 *     { it, expect },
 *   );
 * });
 */
export function storeContract(
  makeStore: () => StoreUnderTest | Promise<StoreUnderTest>,
  { it, expect }: StoreContractOptions,
): void {
  if (typeof makeStore !== "function" || typeof it !== "function" || typeof expect !== "function") {
    throw misuse("storeContract takes a function that makes a store, and { it, expect } of your test runner.");
  }
  for (const { sentence, run } of CASES) {
    it(sentence, async () => {
      const { store, reopen, dispose } = await makeStore();
      try {
        await run({ store, other: (await reopen?.()) ?? store, expect });
      } finally {
        await dispose?.();
      }
    });
  }
}
