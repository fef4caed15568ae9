/**
 * Says why a command is not known to be harmless: node by node, program by program.
 *
 * Floor 4 (permission). Everything that is not listed here is a reason.
 */
import type { Command, ParsedScript, Redirection, Statement, SyntaxNode } from "unbash";
import { startsWith } from "./patterns.ts";
import type { Place } from "./place.ts";
import type { ResolvedPolicy } from "./policy.ts";
import { judgeOf } from "./programs.ts";
import { type Argument, isPlain, readWord } from "./words.ts";

/** Commands in one text; more of them nobody reads. */
const MAX_COMMANDS = 50;

/** Why a script may not run unasked; `undefined` when every command of it is allowed. */
export function judgeScript(source: string, script: ParsedScript, policy: ResolvedPolicy): string | undefined {
  if (!isPlain(source)) return "it holds expansions, groups or control characters";
  const commands: Command[] = [];
  for (const statement of script.commands) {
    const reason = collect(statement, commands);
    if (reason !== undefined) return reason;
  }
  if (commands.length === 0) return "it holds no command";
  if (commands.length > MAX_COMMANDS) return `it holds more than ${MAX_COMMANDS} commands`;
  const place: Place = { confinement: policy.confinement, cwd: policy.cwd, entries: 0 };
  for (const command of commands) {
    const reason = judgeCommand(command, policy, place, commands.length === 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function collect(node: SyntaxNode, commands: Command[]): string | undefined {
  switch (node.type) {
    case "Command":
      commands.push(node);
      return undefined;
    case "Statement":
      return collect((node satisfies Statement).command, commands);
    case "Pipeline":
    case "AndOr":
      for (const inner of node.commands) {
        const reason = collect(inner, commands);
        if (reason !== undefined) return reason;
      }
      return undefined;
    default:
      return `it holds a ${node.type}, which is not judged`;
  }
}

function judgeCommand(command: Command, policy: ResolvedPolicy, place: Place, isAlone: boolean): string | undefined {
  const { name } = command;
  if (name === undefined) return "it holds an assignment or a redirection without a command";
  const words: Argument[] = [];
  for (const part of [name, ...command.prefix, ...command.suffix]) {
    if (part.type === "Assignment") return "it sets a variable";
    if (part.type !== "Word") {
      const reason = judgeRedirection(part);
      if (reason !== undefined) return reason;
      continue;
    }
    const word = readWord(part);
    if (word === undefined) return `it expands ${part.text}`;
    words.push(word);
  }
  return judgeWords(words, policy, place, isAlone);
}

function judgeWords(
  words: readonly Argument[],
  policy: ResolvedPolicy,
  place: Place,
  isAlone: boolean,
): string | undefined {
  const [head = "", ...rest] = words.map(({ value }) => value);
  if (!/^[a-z][a-z0-9._+-]*$/.test(head)) return "its program is not a plain name";
  // `git --no-pager log` is `git log` to a rule.
  const values = [head, ...(head === "git" && rest[0] === "--no-pager" ? rest.slice(1) : rest)];
  const named = policy.allow.filter((pattern) => startsWith(pattern, values));
  if (named.length === 0) return `no rule allows ${head}`;
  if (head === "cd" && !isAlone) return "cd changes what the other paths mean";
  const args = words.slice(1);
  const judge = judgeOf(head);
  if (judge !== undefined) {
    const reason = judge(args, place);
    return reason === undefined ? undefined : `${head}: ${reason}`;
  }
  if (args.some(({ glob }) => glob !== undefined)) return `${head}: it expands file names`;
  const fits = named.some(({ tokens, open }) => open || tokens.length === values.length);
  return fits ? undefined : `no rule allows ${head} with these arguments`;
}

/** Duplicating a descriptor and throwing output away change nothing. */
function judgeRedirection(redirection: Redirection): string | undefined {
  if (redirection.type !== "Redirect") return "it holds a here-document";
  if (redirection.descriptor?.type === "FileDescriptorVariable") return "it sets a variable";
  const { target } = redirection;
  const value = (target === undefined ? undefined : readWord(target)?.value) ?? "";
  switch (redirection.operator) {
    case ">&":
    case "<&":
      return /^(\d+|-)$/.test(value) ? undefined : "it writes or reads a file by a redirection";
    case "<>":
      return "it writes a file by a redirection";
    default:
      return value === "/dev/null" ? undefined : "it writes or reads a file by a redirection";
  }
}
