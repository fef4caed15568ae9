/**
 * Lets several rules that allow commands allow one text together: `ls && git status` under a rule for each.
 *
 * Floor 4 (permission).
 */

import { canonicalJson, toJson } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { Commands, isBuilt } from "./matcher.ts";
import type { ResolvedRule } from "./rules.ts";

/** One more rule for every group of rules that differ only in their commands. */
export function combineCommands(rules: readonly ResolvedRule[]): readonly ResolvedRule[] {
  const groups = new Map<string, ResolvedRule[]>();
  for (const rule of rules) {
    const { when } = rule;
    if (rule.decision !== "allow" || !isBuilt(when) || when.type !== "command") continue;
    const key = canonicalJson(toJson([rule.tool, when.options]));
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return [...groups.values()].filter((group) => group.length > 1).map(combine);
}

function combine(group: readonly ResolvedRule[]): ResolvedRule {
  const id = group
    .map((rule) => rule.id)
    .sort()
    .join(" + ");
  const conditions = group.flatMap(({ when }) => (isBuilt(when) && when.type === "command" ? [when] : []));
  const when = Commands(
    conditions.flatMap(({ patterns }) => patterns),
    conditions[0]?.options,
  );
  const matcher = when.build("allow", (problem) => misuse(`The rule "${id}" ${problem}.`));
  return Object.freeze({ tool: group[0]?.tool ?? "", decision: "allow", id, when, matcher });
}
