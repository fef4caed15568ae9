/**
 * Checks that the rules of a gate match what their authors think they match.
 *
 * Floor 4 (permission).
 */
import { errorMessage } from "../errors/index.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import type { JudgedCall } from "./rule.ts";
import { matchesCall, type ResolvedRule } from "./rules.ts";

interface Example {
  readonly rule: ResolvedRule;
  readonly args: unknown;
  readonly wanted: boolean;
}

/**
 * Checks all examples: those whose condition answers at once before this returns, the others, which need the
 * shell parser or a promise, in the promise.
 *
 * @throws TypeError that names the rule, at once or as the rejection.
 */
export function checkExamples(rules: readonly ResolvedRule[]): Promise<void> {
  const examples = rules.flatMap(examplesOf);
  const all = Promise.all(examples.map(checkNow)).then(() => undefined);
  // Whoever calls the gate is told; nobody has to listen before.
  all.catch(() => undefined);
  return all;
}

function examplesOf(rule: ResolvedRule): Example[] {
  const { match = [], notMatch = [] } = rule.examples ?? {};
  return [
    ...match.map((args) => ({ rule, args, wanted: true })),
    ...notMatch.map((args) => ({ rule, args, wanted: false })),
  ];
}

/** A promise when it cannot be told at once whether the example holds. */
function checkNow(example: Example): Promise<void> | undefined {
  const { rule, args } = example;
  const fail = (error: unknown): never => {
    throw misuse(`The rule "${rule.id}" fails with its example ${quoteValue(args)}: ${errorMessage(error)}`);
  };
  const matches = evaluate(rule, args, fail);
  if (typeof matches !== "boolean") return matches.catch(fail).then((later) => settle(example, later));
  settle(example, matches);
  return undefined;
}

function evaluate(rule: ResolvedRule, args: unknown, fail: (error: unknown) => never): boolean | Promise<boolean> {
  try {
    return matchesCall(rule, exampleCall(rule, args));
  } catch (error) {
    return fail(error);
  }
}

function settle({ rule, args, wanted }: Example, matches: boolean): void {
  if (matches === wanted) return;
  throw misuse(
    `The rule "${rule.id}" ${matches ? "matches" : "does not match"} ${quoteValue(args)}, ` +
      `which is one of its examples for ${wanted ? "a match" : "no match"}.`,
  );
}

function exampleCall(rule: ResolvedRule, args: unknown): JudgedCall {
  const context = { runId: "example", toolAccess: undefined, signal: new AbortController().signal };
  return { tool: rule.tool, args, context };
}
