/**
 * Looks for forbidden commands everywhere in a syntax tree: heads, substitutions, function bodies,
 * operands of wrappers, scripts inside of arguments, here-documents that a shell reads.
 *
 * Floor 4 (permission). Finds too much rather than too little; says nothing about what may be allowed.
 */
import type { Assignment, Command, SyntaxNode, Word } from "unbash";
import type { ShellParser } from "./parser.ts";
import { parseCommand } from "./parser.ts";
import { type CommandPattern, findInText, forbids, programName } from "./patterns.ts";
import { WRAPPERS } from "./wrappers.ts";

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
  switch (node.type) {
    case "Command":
      searchCommand(search, node, depth);
      break;
    case "Pipeline":
      searchPipeline(search, node, depth);
      break;
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      // What is no complete command is read by its words.
      if (node.script === undefined || node.script.errors !== undefined) searchText(search, node.text);
      break;
    case "Assignment":
      for (const word of valuesOf(node)) searchOperand(search, word.value, depth);
      break;
    default:
      break;
  }
  search.parser.forEachChild(node, (child) => visit(search, child, depth));
}

function valuesOf({ value }: Assignment): readonly Word[] {
  return value.type === "Word" ? [value] : value.elements;
}

function searchCommand(search: Search, command: Command, depth: number): void {
  const { name } = command;
  if (name === undefined) return;
  const words = [name, ...command.args].map(textOf);
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

function textOf(word: Word | Assignment): string {
  return word.type === "Word" ? word.value : word.text;
}

/** How many words of a command are compared with the tokens of a pattern behind a wrapper. */
const MAX_WORDS = 64;

/** What a shell reads from a pipe is a script: then every word of the pipe may be one, groups in it included. */
function searchPipeline(search: Search, pipeline: SyntaxNode, depth: number): void {
  const simple = commandsIn(search, pipeline);
  if (!simple.some(({ name }) => name !== undefined && readsCommands(name))) return;
  for (const { args, redirects } of simple) {
    for (const word of args) searchOperand(search, textOf(word), depth);
    for (const redirect of redirects) {
      if (redirect.type === "HereDoc") searchScript(search, redirect.body.text, depth);
    }
  }
}

function commandsIn(search: Search, node: SyntaxNode): readonly Command[] {
  const found: Command[] = node.type === "Command" ? [node] : [];
  search.parser.forEachChild(node, (child) => found.push(...commandsIn(search, child)));
  return found;
}

function readsCommands(name: Word): boolean {
  return WRAPPERS.has(programName(name.value)) || hasExpansion(name);
}

/** An operand of a wrapper: a word, an option with something attached, or a script; also behind a "=". */
function searchOperand(search: Search, word: string, depth: number): void {
  if (word.startsWith("-")) searchText(search, `${word} ${word.slice(2)}`);
  else searchScript(search, word, depth);
  searchScript(search, word.slice(word.indexOf("=") + 1), depth);
}

function searchScript(search: Search, text: string, depth: number): void {
  if (search.seen.has(text)) return;
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
