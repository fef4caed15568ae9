/**
 * Rules of a gate: which calls they are about, and what they decide.
 *
 * Floor 4 (permission).
 */
import type { Decision, PermissionContext } from "../contract/permission.ts";
import { matchesWildcard } from "../process/confine-wildcard.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { type BuiltMatcher, type CommandMatcher, isBuilt, type PathMatcher } from "./matcher.ts";

/** What a rule may look at. */
export interface JudgedCall {
  readonly tool: string;
  /** A frozen copy. */
  readonly args: unknown;
  readonly context: PermissionContext;
}

/** Decides by the arguments. Must answer with a boolean; anything else, a throw or a long wait denies the call. */
export type ArgumentTest = (args: unknown, call: JudgedCall) => boolean | Promise<boolean>;

/** Arguments by name: a value must be equal, a pattern must be found in the text, a test must say true. */
export interface ArgumentValues {
  readonly [argument: string]: string | number | boolean | null | RegExp | ((value: unknown) => boolean);
}

/** What a rule asks of the arguments. */
export type ArgumentMatcher = ArgumentTest | ArgumentValues | CommandMatcher | PathMatcher;

/** One rule. The strictest of all rules that match wins, in whatever order they stand. */
export interface Rule {
  /** The name of a tool; `*` stands for any characters. */
  readonly tool: string;
  /** @defaultValue every call of the tool */
  readonly when?: ArgumentMatcher | undefined;
  readonly decision: Decision;
  /** Read by the model and by people. */
  readonly reason?: string | undefined;
  /** Names the rule in the record. @defaultValue made of its decision and its tool */
  readonly id?: string | undefined;
  /** Arguments that the rule must match, and arguments that it must not; checked when the gate is made. */
  readonly examples?: { readonly match?: readonly unknown[]; readonly notMatch?: readonly unknown[] } | undefined;
}

/** A rule that has been checked. */
export interface ResolvedRule extends Rule {
  readonly id: string;
  readonly matcher: BuiltMatcher | ArgumentTest | ArgumentValues | undefined;
}

const DECISIONS: readonly unknown[] = ["allow", "ask", "deny"];

/** @throws TypeError that names the rule which cannot be meant. */
export function resolveRules(rules: readonly Rule[]): readonly ResolvedRule[] {
  if (!Array.isArray(rules)) throw misuse(`The rules of a gate are a list, got ${quoteValue(rules)}.`);
  const used = new Set<string>();
  return rules.map((rule: Rule, index) => {
    if (typeof rule !== "object" || rule === null) throw misuse(`Rule ${index + 1} is no object: ${quoteValue(rule)}.`);
    const id = uniqueId(rule, used);
    const fail = (problem: string) => misuse(`The rule "${id}" ${problem}.`);
    if (typeof rule.tool !== "string" || rule.tool === "") throw fail('needs a tool: a name, or "*"');
    if (!DECISIONS.includes(rule.decision)) {
      throw fail(`decides ${quoteValue(rule.decision)}; write "allow", "ask" or "deny"`);
    }
    const { when } = rule;
    if (when !== undefined && typeof when !== "function" && (typeof when !== "object" || when === null)) {
      throw fail(`has a condition that is none: ${quoteValue(when)}`);
    }
    const matcher = isBuilt(when) ? when.build(rule.decision, fail) : when;
    return Object.freeze({ ...rule, id, matcher });
  });
}

function uniqueId({ id, decision, tool }: Rule, used: Set<string>): string {
  const wanted = id ?? `${String(decision)} ${String(tool)}`;
  let unique = wanted;
  for (let count = 2; used.has(unique); count++) unique = `${wanted} ${count}`;
  if (unique !== wanted && id !== undefined) throw misuse(`Two rules have the id "${id}".`);
  used.add(unique);
  return unique;
}

/** Whether a rule is about this tool. */
export function isAbout(rule: Rule, tool: string): boolean {
  return matchesWildcard(rule.tool, tool);
}

/** Whether a rule matches; at once where its condition answers at once. Throws or rejects with the condition. */
export function matchesCall(rule: ResolvedRule, call: JudgedCall): boolean | Promise<boolean> {
  const { matcher } = rule;
  if (matcher === undefined) return true;
  const said: unknown = typeof matcher === "function" ? matcher(call.args, call) : matchesOther(matcher, call);
  if (typeof said === "boolean") return said;
  return Promise.resolve(said).then((later) => {
    if (typeof later === "boolean") return later;
    throw new TypeError(`The rule "${rule.id}" answered ${quoteValue(later)}, not true or false.`);
  });
}

function matchesOther(matcher: BuiltMatcher | ArgumentValues, call: JudgedCall): unknown {
  return isBuiltMatcher(matcher) ? matcher.matches(call.args) : matchesValues(matcher, call.args);
}

/** Whether a condition is a built one, and no list of arguments. */
export function isBuiltMatcher(matcher: BuiltMatcher | ArgumentValues): matcher is BuiltMatcher {
  return typeof matcher["matches"] === "function" && "description" in matcher;
}

function matchesValues(values: ArgumentValues, args: unknown): boolean {
  return Object.entries(values).every(([name, wanted]) => {
    const value: unknown =
      typeof args === "object" && args !== null && Object.hasOwn(args, name) ? Reflect.get(args, name) : undefined;
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
