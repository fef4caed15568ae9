/**
 * Checks the rules of a gate, and asks them about a call.
 *
 * Floor 4 (permission).
 */
import { matchesWildcard } from "../process/confine-wildcard.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { type Condition, toCondition } from "./condition.ts";
import type { JudgedCall, Rule } from "./rule.ts";

/** A rule that has been checked. */
export interface ResolvedRule extends Rule {
  readonly id: string;
  readonly condition: Condition;
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
    return Object.freeze({ ...rule, id, condition: toCondition(rule, fail) });
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
  const said = rule.condition.matches(call);
  if (typeof said === "boolean") return said;
  return Promise.resolve(said).then((later) => {
    if (typeof later === "boolean") return later;
    throw new TypeError(`The rule "${rule.id}" answered ${quoteValue(later)}, not true or false.`);
  });
}
