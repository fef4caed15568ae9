/**
 * Decides about a shell command: what is forbidden is looked for everywhere, what is allowed must be
 * proven harmless, and everything in between is asked about.
 *
 * Floor 4 (permission). Node only. It reduces questions; the boundary is a sandbox.
 */
import type { Verdict } from "../verdict.ts";
import { findForbidden } from "./find-forbidden.ts";
import { judgeScript } from "./judge.ts";
import { loadParser, parseCommand, type ShellParser } from "./parser.ts";
import { type CommandPattern, findInText } from "./patterns.ts";
import { type CommandPolicy, type ResolvedPolicy, resolvePolicy } from "./policy.ts";

/** Nobody reads a longer text before it runs; the longest that Linux gives to a program is twice that. */
const MAX_COMMAND_CHARS = 65_536;

/**
 * Decides whether a shell command may run: "allow" only when every part of it is known to be harmless,
 * "deny" when a denied program stands anywhere in it. A promise, because the parser `unbash` is an optional
 * peer that is loaded on first use; without it nothing is allowed.
 *
 * @throws TypeError when the policy cannot be meant.
 * @example
 * const policy = { cwd: "/srv/project", allow: ["ls", "git log"], deny: ["rm"] };
 * await checkCommand("ls && rm -rf build", policy); // { decision: "deny", reason: … }
 */
export async function checkCommand(command: string, policy: CommandPolicy): Promise<Verdict> {
  const resolved = resolvePolicy(policy);
  return judgeText(command, resolved, await loadParser());
}

/** As {@link checkCommand}, with everything at hand. Never throws. */
export function judgeText(command: string, policy: ResolvedPolicy, parser: ShellParser | undefined): Verdict {
  if (typeof command !== "string") return deny("The command is no text.");
  if (command.includes("\0")) return deny("The command holds a NUL character, which ends it early for some programs.");
  if (command.length > MAX_COMMAND_CHARS) {
    return deny(`The command is longer than ${MAX_COMMAND_CHARS} characters: write it to a file.`);
  }
  try {
    return judgeParsed(command, policy, parser);
  } catch {
    return judgeOpaque(command, policy, "it is nested too deeply");
  }
}

function judgeParsed(command: string, policy: ResolvedPolicy, parser: ShellParser | undefined): Verdict {
  if (parser === undefined) {
    return judgeOpaque(command, policy, "no shell parser is installed; write: npm install unbash");
  }
  const parsed = parseCommand(parser, command);
  if (!parsed.ok) return judgeOpaque(command, policy, parsed.reason);
  const denied = findForbidden(parsed.script, policy.deny, parser);
  if (denied !== undefined) return deny(forbidden(denied));
  const asked = findForbidden(parsed.script, policy.ask, parser);
  if (asked !== undefined)
    return { decision: "ask", reason: `The command contains ${asked.text}, which is asked about.` };
  const reason = judgeScript(command, parsed.script, policy);
  if (reason === undefined) return { decision: "allow", reason: "Every part of the command is known to be harmless." };
  return { decision: policy.fallback, reason: `The command is not known to be harmless: ${reason}.` };
}

/** Without a syntax tree nothing is allowed, but what is denied still is. */
function judgeOpaque(command: string, policy: ResolvedPolicy, reason: string): Verdict {
  const denied = findInText(policy.deny, command);
  if (denied !== undefined) return deny(forbidden(denied));
  return { decision: policy.fallback, reason: `The command cannot be judged: ${reason}.` };
}

function forbidden(pattern: CommandPattern): string {
  return `The command contains ${pattern.text}, which is denied here. Do it another way, or leave it.`;
}

function deny(reason: string): Verdict {
  return { decision: "deny", reason };
}
