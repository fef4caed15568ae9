/**
 * The conditions of rules in one form: what they say about a call, and what they stand for in the hash of a policy.
 *
 * Floor 4 (permission).
 */
import { type JsonValue, toJson } from "../util/json.ts";
import { quoteValue } from "../util/text.ts";
import { type BuiltMatcher, isUnbuilt } from "./matcher.ts";
import { ownMember } from "./own-member.ts";
import type { ArgumentValues, JudgedCall, Rule } from "./rule.ts";

/** A condition that has been checked. */
export interface Condition {
  readonly description: JsonValue;
  /** What the condition says; anything but a boolean, or a promise of one, is a failure. */
  matches(call: JudgedCall): unknown;
}

/** Reads the condition of a rule. `fail` names the rule. @throws TypeError for one that cannot be meant. */
export function toCondition({ when, decision }: Rule, fail: (problem: string) => TypeError): Condition {
  if (when === undefined) return { description: null, matches: () => true };
  if (typeof when === "function") {
    return { description: String(when), matches: (call) => when(call.args, call) };
  }
  if (typeof when !== "object" || when === null) throw fail(`has a condition that is none: ${quoteValue(when)}`);
  if (!isUnbuilt(when)) return { description: describeValues(when), matches: ({ args }) => holdAll(when, args) };
  const { description, matches }: BuiltMatcher = when.build(decision, fail);
  return { description, matches: ({ args }) => matches(args) };
}

function describeValues(values: ArgumentValues): JsonValue {
  const described = Object.entries(values).map(([name, wanted]) => [
    name,
    typeof wanted === "function" || wanted instanceof RegExp ? { by: String(wanted) } : { is: wanted },
  ]);
  return toJson(Object.fromEntries(described));
}

function holdAll(values: ArgumentValues, args: unknown): boolean {
  return Object.entries(values).every(([name, wanted]) => {
    const value = ownMember(args, name);
    if (typeof wanted === "function") {
      const said: unknown = wanted(value);
      if (typeof said !== "boolean") throw new TypeError(`The test of "${name}" answered ${quoteValue(said)}.`);
      return said;
    }
    // A copy: a pattern with the flag g remembers where it stopped.
    if (wanted instanceof RegExp) return typeof value === "string" && new RegExp(wanted).test(value);
    return value === wanted;
  });
}
