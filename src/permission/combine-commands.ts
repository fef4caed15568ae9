/**
 * Lets several rules that allow commands allow one text together: `ls && git status` under a rule for each.
 *
 * Floor 4 (permission).
 */
import { canonicalJson, toJson } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { toCondition } from "./condition.ts";
import { type CommandMatcher, Commands, isUnbuilt } from "./matcher.ts";
import type { ResolvedRule } from "./rules.ts";

/** A rule with its condition on commands. */
interface CommandRule {
  readonly rule: ResolvedRule;
  readonly when: CommandMatcher;
}

/** One more rule for every group of rules that differ only in their commands. */
export function combineCommands(rules: readonly ResolvedRule[]): readonly ResolvedRule[] {
  const groups = new Map<string, [CommandRule, ...CommandRule[]]>();
  for (const rule of rules) {
    const { when } = rule;
    if (rule.decision !== "allow" || !isUnbuilt(when) || when.type !== "command") continue;
    const key = canonicalJson(toJson([rule.tool, when.options]));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ rule, when }]);
    else group.push({ rule, when });
  }
  return [...groups.values()].filter((group) => group.length > 1).map(combine);
}

function combine(group: readonly [CommandRule, ...CommandRule[]]): ResolvedRule {
  const [{ rule, when }] = group;
  const id = group
    .map((each) => each.rule.id)
    .sort()
    .join(" + ");
  const combined = {
    id,
    tool: rule.tool,
    decision: rule.decision,
    when: Commands(
      group.flatMap((each) => each.when.patterns),
      when.options,
    ),
  };
  return Object.freeze({ ...combined, condition: toCondition(combined, misuse) });
}
