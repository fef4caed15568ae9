/**
 * Reads the arguments by the table of options.
 *
 * Command line. Every mistake is one sentence that says what to write instead.
 */
import { misuse } from "../util/misuse.ts";
import { nearest, quoteValue } from "../util/text.ts";
import { type CliOptions, OPTIONS, type OptionSpec } from "./options.ts";

/** What was asked for. `prompt` is `undefined` when none was given. */
export interface ParsedArguments {
  readonly options: CliOptions;
  readonly prompt: string | undefined;
}

/**
 * Parses arguments: `--flag value`, `--flag=value`, `--` before a prompt that begins with a dash. Several
 * words make one prompt.
 *
 * @throws TypeError that says what to write instead.
 */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  let options: CliOptions = {};
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (argument === "--") {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!isOption(argument)) {
      words.push(argument);
      continue;
    }
    const { spec, inline } = findOption(argument);
    if (spec.argument !== undefined && inline === undefined) index++;
    options = { ...options, ...spec.read(givenValue(spec, inline ?? argv[index], inline !== undefined), options) };
  }
  return { options, prompt: promptOf(words) };
}

/** `-2 ** 2` is a prompt, `-h` and `--steps` are options. */
function isOption(argument: string): boolean {
  return /^(?:-[A-Za-z]|--[^\s])/.test(argument) && !/\s/.test(argument.split("=")[0] ?? "");
}

function findOption(argument: string): { spec: OptionSpec; inline: string | undefined } {
  const [, flag = argument, inline] = /^([^=]+)=([\s\S]*)$/.exec(argument) ?? [];
  const spec = OPTIONS.find((option) => option.flag === flag || option.short === flag);
  if (spec !== undefined) return { spec, inline };
  const meant = nearest(
    flag,
    OPTIONS.map((option) => option.flag),
  );
  const hint = meant === undefined ? "harness-kit --help lists the options" : `Did you mean ${meant}? --help lists all`;
  throw misuse(
    `There is no option ${quoteValue(flag)}. ${hint}; a prompt that begins with a dash goes after a lone "--".`,
  );
}

function givenValue(spec: OptionSpec, given: string | undefined, isInline: boolean): string {
  if (spec.argument === undefined) {
    if (isInline) throw misuse(`${spec.flag} takes no value, got ${quoteValue(given)}. Write ${spec.flag} alone.`);
    return "";
  }
  const isMissing = given === undefined || given === "" || (!isInline && isOption(given));
  if (isMissing) throw misuse(`${spec.flag} needs a value. Write ${spec.flag} ${spec.argument}.`);
  return given;
}

function promptOf(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const prompt = words.join(" ");
  if (prompt.trim() !== "") return prompt;
  throw misuse('The prompt is empty. Write what to do, for example: harness-kit "what is 17 * 38?"');
}
