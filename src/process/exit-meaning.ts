/**
 * Knows what the exit codes of common programs say, and which of them are answers rather than failures.
 *
 * Floor 2 (process).
 */
import { constants } from "node:os";
import type { ProcessCommand } from "./result.ts";
import { lastCommand } from "./shell-words.ts";

/** What an exit code means for the program that gave it. */
export interface ExitMeaning {
  /** In words: "no lines matched". */
  readonly text: string;
  /** The program did its work, and this is the result: `grep` found nothing, `diff` found a difference. */
  readonly answer: boolean;
}

const NO_MATCH = "no lines matched";
const DIFFER = "the inputs differ";
const FALSE = "the condition is false";
const NOT_FOUND = "not found";

/** Exit code 1 of these is an answer; 2 and above never is. */
const ANSWERS = new Map<string, string>([
  ["grep", NO_MATCH],
  ["egrep", NO_MATCH],
  ["fgrep", NO_MATCH],
  ["rg", NO_MATCH],
  ["diff", DIFFER],
  ["cmp", DIFFER],
  ["test", FALSE],
  ["[", FALSE],
  ["[[", FALSE],
  ["which", NOT_FOUND],
  ["pgrep", "no process matched"],
  ["expr", "the result is zero or empty"],
]);

/** What `exitCode` of `command` means, if it means anything special. */
export function exitMeaning(command: ProcessCommand, exitCode: number): ExitMeaning | undefined {
  const words = decidingWords(command);
  if (exitCode === 1) return words && answerOf(words);
  const text = shellMeaning(exitCode, words);
  return text === undefined ? undefined : { text, answer: false };
}

function answerOf(words: readonly string[]): ExitMeaning | undefined {
  const [name = "", ...args] = words;
  const program = baseName(name);
  const text = program === "git" ? gitAnswer(args) : program === "command" ? lookUp(args) : ANSWERS.get(program);
  return text === undefined ? undefined : { text, answer: true };
}

/** `command -v name` looks up, `command name` runs. */
function lookUp([option = ""]: readonly string[]): string | undefined {
  return /^-[vV]$/.test(option) ? NOT_FOUND : undefined;
}

/** Options of git itself that take the next word as their value. */
const GIT_VALUE_OPTIONS = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

function gitAnswer(args: readonly string[]): string | undefined {
  let at = 0;
  while (args[at]?.startsWith("-")) at += GIT_VALUE_OPTIONS.has(args[at] as string) ? 2 : 1;
  if (args[at] === "grep") return NO_MATCH;
  const tells = args.includes("--quiet", at) || args.includes("--exit-code", at);
  return args[at] === "diff" && tells ? DIFFER : undefined;
}

function shellMeaning(exitCode: number, words: readonly string[] | undefined): string | undefined {
  if (exitCode === 124 && baseName(words?.[0] ?? "") === "timeout") return "the inner timeout ran out";
  if (exitCode === 126) return "the command was found but cannot be executed";
  if (exitCode === 127) return "command not found";
  const signal = signalName(exitCode - 128);
  if (signal === undefined) return undefined;
  return `a process inside was killed by ${signal}${signal === "SIGKILL" ? ", often out of memory" : ""}`;
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

const SHELL = /^(?:ba|da|z|k|a)?sh(?:\.exe)?$/;

/** The words of the command whose exit code this is, if one command decides alone. */
function decidingWords({ file, args }: ProcessCommand): readonly string[] | undefined {
  if (!SHELL.test(baseName(file))) return [file, ...args];
  const option = args.findIndex((arg) => /^-[a-zA-Z]*c$/.test(arg));
  if (option < 0) return undefined;
  const script = args.slice(option + 1).find((arg) => arg !== "--");
  const last = script === undefined ? undefined : lastCommand(script);
  // With `pipefail` any command of the pipeline may have decided.
  if (last === undefined || (last.piped && args.includes("pipefail"))) return undefined;
  return last.words.slice(last.words.findIndex((word) => !/^\w+=/.test(word)));
}

function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
}
