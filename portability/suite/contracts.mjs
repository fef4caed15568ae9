/** The contracts that the package gives to writers of models and stores, kept by its own. Runs on Node, Bun and Deno. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

/** As much of a test framework's `expect` as the contracts ask for. */
function expect(actual) {
  const check = (isRight, expected) => {
    if (!isRight) throw new Error(`expected ${shown(expected)}, got ${shown(actual)}`);
  };
  return {
    toBe: (expected) => check(Object.is(actual, expected), expected),
    toEqual: (expected) => check(isDeepStrictEqual(defined(actual), defined(expected)), expected),
    toMatchObject: (expected) => check(matches(actual, expected), expected),
  };
}

function matches(actual, expected) {
  if (typeof expected !== "object" || expected === null) return Object.is(actual, expected);
  if (Array.isArray(expected) && expected.length !== actual?.length) return false;
  return Object.entries(expected).every(([name, value]) => matches(actual?.[name], value));
}

/** Plain data without what is `undefined`, which `toEqual` does not look at. */
function defined(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(defined);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, defined(member)]])),
  );
}

const shown = (value) => JSON.stringify(value)?.slice(0, 300);

/** The sentences of a contract as checks. */
function checksOf(subject, register) {
  const checks = {};
  const it = (sentence, run) => {
    checks[`${subject}: ${sentence}`] = run;
  };
  register({ it, expect });
  return checks;
}

function fileStoreIn(fileStore) {
  const folder = mkdtempSync(join(tmpdir(), "harness-kit-smoke-"));
  const open = () => fileStore(folder);
  return { store: open(), reopen: open, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

/** All sentences of both contracts. */
export function contractChecks({ testing, models, store }) {
  const ofModel = (api) =>
    checksOf(`the contract of models, ${api}`, (runner) =>
      testing.modelContract((endpoint) => models[api]({ model: "m", ...endpoint }), runner),
    );
  return {
    ...ofModel("openai"),
    ...ofModel("anthropic"),
    ...ofModel("responses"),
    ...checksOf("the contract of stores, memoryStore", (runner) =>
      testing.storeContract(() => ({ store: store.memoryStore() }), runner),
    ),
    ...checksOf("the contract of stores, fileStore", (runner) =>
      testing.storeContract(() => fileStoreIn(store.fileStore), runner),
    ),
  };
}
