/**
 * The table of options. The parser and the help text both read it, so a new option is one more entry.
 *
 * Command line.
 */
import { misuse } from "../util/misuse.ts";
import { nearest, quoteValue } from "../util/text.ts";
import { TOOL_NAMES } from "./tools.ts";

/** What the arguments said. What they left open is `undefined`. */
export interface CliOptions {
  readonly help?: boolean;
  readonly version?: boolean;
  readonly demo?: boolean;
  readonly json?: boolean;
  readonly noColor?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly maxSteps?: number;
  readonly timeoutMs?: number;
  readonly modelTimeoutMs?: number;
  readonly toolTimeoutMs?: number;
  readonly maxAttempts?: number;
  readonly allow?: readonly string[];
  readonly workspace?: string;
  readonly readOnly?: boolean;
  readonly sandbox?: boolean;
  readonly session?: string;
  readonly sessions?: boolean;
  readonly resume?: string;
  readonly store?: string;
}

/** One option. */
export interface OptionSpec {
  readonly flag: `--${string}`;
  readonly short?: `-${string}`;
  /** The name of its value in the help text; without one it takes none. */
  readonly argument?: string;
  readonly help: string;
  /** What the option means. @throws TypeError that says what to write instead. */
  read(value: string, before: CliOptions): CliOptions;
}

export const OPTIONS: readonly OptionSpec[] = [
  { flag: "--tools", help: "offer the tools to the model (the default)", read: () => ({}) },
  {
    flag: "--allow",
    argument: "TOOL",
    help: "let a tool that may change things run without asking (repeatable)",
    read: (value, before) => ({ allow: [...(before.allow ?? []), ...toolNames(value)] }),
  },
  {
    flag: "--workspace",
    argument: "DIR",
    help: "the directory that files and commands are in (default: this one)",
    read: (value) => ({ workspace: value }),
  },
  { flag: "--read-only", help: "offer no tool that may change things", read: () => ({ readOnly: true }) },
  { flag: "--sandbox", help: "run commands in a sandbox (Linux, needs bubblewrap)", read: () => ({ sandbox: true }) },
  {
    flag: "--session",
    argument: "ID",
    help: "go on with a conversation, or begin one, that is kept on disk",
    read: (value) => ({ session: value }),
  },
  { flag: "--sessions", help: "list the conversations that are kept", read: () => ({ sessions: true }) },
  {
    flag: "--resume",
    argument: "ID",
    help: "go on with an interrupted run: its id, or that of its session",
    read: (value) => ({ resume: value }),
  },
  {
    flag: "--store",
    argument: "DIR",
    help: "where they are kept (also HARNESS_STORE; default ~/.harness-kit)",
    read: (value) => ({ store: value }),
  },
  {
    flag: "--model",
    argument: "NAME",
    help: "the model at the endpoint (also HARNESS_MODEL)",
    read: (value) => ({ model: value }),
  },
  {
    flag: "--base-url",
    argument: "URL",
    help: "an OpenAI-compatible endpoint (also OPENAI_BASE_URL)",
    read: (value) => ({ baseUrl: webAddress("--base-url", value) }),
  },
  {
    flag: "--api-key-env",
    argument: "NAME",
    help: "the variable that holds the key (default OPENAI_API_KEY)",
    read: (value) => ({ apiKeyEnv: variableName(value) }),
  },
  {
    flag: "--steps",
    argument: "N",
    help: "most turns (model calls) of a run (default 20)",
    read: (value) => ({ maxSteps: wholeNumber("--steps", value, 1, "--steps 5") }),
  },
  timeout("--timeout", "longest time of a run (default 600000)", (timeoutMs) => ({ timeoutMs })),
  timeout("--model-timeout", "longest wait for one model call (default 300000)", (modelTimeoutMs) => ({
    modelTimeoutMs,
  })),
  timeout("--tool-timeout", "longest time of one tool call (default 60000, bash 30000)", (toolTimeoutMs) => ({
    toolTimeoutMs,
  })),
  {
    flag: "--retries",
    argument: "N",
    help: "how often a failed call is tried again (default 2, 0 for never)",
    read: (value) => ({ maxAttempts: wholeNumber("--retries", value, 0, "--retries 2") + 1 }),
  },
  { flag: "--json", help: "print the run record as JSON on stdout, nothing else", read: () => ({ json: true }) },
  { flag: "--no-color", help: "print without colors (also NO_COLOR)", read: () => ({ noColor: true }) },
  { flag: "--demo", help: "run a demonstration where no prompt is given", read: () => ({ demo: true }) },
  { flag: "--help", short: "-h", help: "print this text", read: () => ({ help: true }) },
  { flag: "--version", short: "-v", help: "print the version", read: () => ({ version: true }) },
];

function timeout(flag: `--${string}`, help: string, toOptions: (ms: number) => CliOptions): OptionSpec {
  const read = (value: string) =>
    toOptions(wholeNumber(flag, value, 0, `${flag} 30000 (milliseconds; 0 for no limit)`));
  return { flag, argument: "MS", help, read };
}

function wholeNumber(flag: string, value: string, smallest: number, example: string): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= smallest) return number;
  throw misuse(`${flag} takes a whole number from ${smallest} up, got ${quoteValue(value)}. Write ${example}.`);
}

function toolNames(value: string): readonly string[] {
  const names = value.split(",").map((name) => name.trim());
  for (const name of names) {
    if (TOOL_NAMES.includes(name)) continue;
    const meant = nearest(name, TOOL_NAMES) ?? "bash";
    throw misuse(
      `--allow takes the name of a tool (${TOOL_NAMES.join(", ")}), got ${quoteValue(name)}. Write --allow ${meant}.`,
    );
  }
  return names;
}

/** An http or https address. @throws TypeError */
export function webAddress(source: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return value;
  const shown = quoteValue(value.replace(/\/\/[^/@]*@/, "//[redacted]@"));
  throw misuse(`${source} takes a web address, got ${shown}. Write for example http://127.0.0.1:11434/v1.`);
}

function variableName(value: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) return value;
  // Not quoted: it may be the key itself.
  throw misuse(
    "--api-key-env takes the name of an environment variable, not the key itself. Write --api-key-env OPENAI_API_KEY.",
  );
}
