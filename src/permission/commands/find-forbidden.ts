/**
 * Looks for forbidden commands everywhere in a syntax tree: heads, substitutions, function bodies,
 * operands of wrappers, scripts inside of arguments, here-documents that a shell reads.
 *
 * Floor 4 (permission). Finds too much rather than too little; says nothing about what may be allowed.
 */
import type { Command, SyntaxNode, Word } from "unbash";
import type { ShellParser } from "./parser.ts";
import { parseCommand } from "./parser.ts";
import { type CommandPattern, findInText, forbids, programName } from "./patterns.ts";
import { SHELLS, WRAPPERS } from "./wrappers.ts";

/** Scripts within scripts are parsed so deep, and so many of them; beyond that only their words are looked at. */
const MAX_DEPTH = 4;
const MAX_SCRIPTS = 64;

interface Search {
  readonly parser: ShellParser;
  readonly patterns: readonly CommandPattern[];
  /** What has been looked through as a script. */
  readonly seen: Set<string>;
  found: CommandPattern | undefined;
}

/** The first forbidden command of a tree. May throw what the parser throws. */
export function findForbidden(
  script: SyntaxNode,
  patterns: readonly CommandPattern[],
  parser: ShellParser,
): CommandPattern | undefined {
  if (patterns.length === 0) return undefined;
  const search: Search = { parser, patterns, seen: new Set(), found: undefined };
  visit(search, script, 0);
  return search.found;
}

function visit(search: Search, node: SyntaxNode, depth: number): void {
  if (search.found !== undefined) return;
  switch (node.type) {
    case "Script":
      if ((node.errors?.length ?? 0) > 0) searchText(search, node.source ?? "");
      break;
    case "Command":
      searchCommand(search, node, depth);
      break;
    case "Pipeline":
      searchPipeline(search, node.commands, depth);
      break;
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      if (node.script === undefined || (node.script.errors?.length ?? 0) > 0) searchText(search, node.text);
      break;
    case "Assignment":
      if (node.value.type === "Word") searchScript(search, node.value.value, depth);
      break;
    default:
      break;
  }
  search.parser.forEachChild(node, (child) => visit(search, child, depth));
}

function searchCommand(search: Search, command: Command, depth: number): void {
  const { name } = command;
  if (name === undefined) return;
  const words = [name, ...command.args].map((word) => (word.type === "Word" ? word.value : word.text));
  searchWords(search, words);
  const program = programName(words[0] ?? "");
  const isDynamic = hasExpansion(name);
  if (isDynamic) searchText(search, name.text);
  if (!isDynamic && !WRAPPERS.has(program)) return;
  for (let at = 1; at < words.length; at++) {
    searchWords(search, words.slice(at, at + MAX_WORDS));
    searchOperand(search, words[at] ?? "", depth);
  }
  for (const redirect of command.redirects) {
    if (redirect.type === "HereDoc") searchScript(search, redirect.body.text, depth);
    if (redirect.type === "HereString") searchScript(search, redirect.target?.value ?? "", depth);
  }
}

/** How many words of a command are compared with the tokens of a pattern behind a wrapper. */
const MAX_WORDS = 64;

/** What a shell reads from a pipe is a script: then every word of the pipe may be one. */
function searchPipeline(search: Search, commands: readonly SyntaxNode[], depth: number): void {
  const simple = commands.flatMap((command) => (command.type === "Command" ? [command] : []));
  if (!simple.some(({ name }) => name !== undefined && readsCommands(name))) return;
  for (const { args, redirects } of simple) {
    for (const word of args) searchOperand(search, word.type === "Word" ? word.value : word.text, depth);
    for (const redirect of redirects) {
      if (redirect.type === "HereDoc") searchScript(search, redirect.body.text, depth);
    }
  }
}

function readsCommands(name: Word): boolean {
  const program = programName(name.value);
  return SHELLS.has(program) || WRAPPERS.has(program) || hasExpansion(name);
}

/** An operand of a wrapper: a word, an option with something attached, or a script. */
function searchOperand(search: Search, word: string, depth: number): void {
  const equals = word.indexOf("=");
  if (word.startsWith("-")) searchText(search, `${word} ${word.slice(2)}`);
  else searchScript(search, word, depth);
  if (equals > 0) searchScript(search, word.slice(equals + 1), depth);
}

function searchScript(search: Search, text: string, depth: number): void {
  if (search.found !== undefined || text === "" || search.seen.has(text)) return;
  search.seen.add(text);
  const isTooMuch = depth >= MAX_DEPTH || search.seen.size > MAX_SCRIPTS;
  const parsed = isTooMuch ? undefined : parseCommand(search.parser, text);
  if (parsed?.ok === true) visit(search, parsed.script, depth + 1);
  else searchText(search, text);
}

function searchWords(search: Search, words: readonly string[]): void {
  search.found ??= search.patterns.find((pattern) => forbids(pattern, words));
}

function searchText(search: Search, text: string): void {
  search.found ??= findInText(search.patterns, text);
}

const LITERAL_PARTS = new Set(["Literal", "SingleQuoted", "AnsiCQuoted"]);

/** Whether a word is not known before the shell expands it. */
function hasExpansion(word: Word): boolean {
  return (word.parts ?? []).some((part) => {
    if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
      return part.parts.some(({ type }) => type !== "Literal");
    }
    return !LITERAL_PARTS.has(part.type);
  });
}
