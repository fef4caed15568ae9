/**
 * The gate of the command line: what changes nothing runs, what `--allow` names runs, everything else is asked.
 *
 * Command line. Where nobody can be asked, the denial names the option that allows the tool.
 */
import type { Approver } from "../contract/approval.ts";
import type { AnyTool, ToolAccess } from "../contract/tool.ts";
import { createGate, type RuleGate } from "../permission/gate.ts";
import type { Rule } from "../permission/rule.ts";

export interface CliGateOptions {
  readonly tools: readonly AnyTool[];
  /** The names of the tools that may do what they do. */
  readonly allowed: readonly string[];
  /** The person at the terminal; absent when none is attached. */
  readonly approver: Approver | undefined;
}

/** Makes the gate. */
export function createCliGate({ tools, allowed, approver }: CliGateOptions): RuleGate {
  const asked = tools.filter(({ name, access }) => mayChange(access) && !allowed.includes(name));
  return createGate({
    rules: [
      {
        id: "changes nothing",
        tool: "*",
        when: (_, { context }) => !mayChange(context.toolAccess),
        decision: "allow",
      },
      ...allowed.map((tool): Rule => ({ id: `--allow ${tool}`, tool, decision: "allow" })),
      ...asked.map(
        ({ name }): Rule => ({
          id: `${name} may change things`,
          tool: name,
          decision: "ask",
          reason: why(name, approver),
        }),
      ),
    ],
    default: "ask",
    onAsk: approver ?? "deny",
  });
}

/** By the harmless ones: an access that nobody knows is asked about. */
function mayChange(access: ToolAccess | undefined): boolean {
  return access !== undefined && access !== "none" && access !== "read";
}

function why(name: string, approver: Approver | undefined): string {
  const reason = `The tool "${name}" may change things`;
  if (approver !== undefined) return `${reason}. With --allow ${name} it is not asked about.`;
  return `${reason}, and no terminal is attached to ask at. On the command line, --allow ${name} allows it.`;
}
