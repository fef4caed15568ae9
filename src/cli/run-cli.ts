/**
 * The command line from its arguments to its exit status.
 *
 * Command line. Touches the world only through `io`.
 */
import { errorMessage } from "../errors/index.ts";
import { allowTools } from "../permission/allow-tools.ts";
import { createRuntime, type Runtime } from "../runtime/create-runtime.ts";
import { chat } from "./chat.ts";
import { type Colors, createColors, wantsColor } from "./colors.ts";
import { readDotenv } from "./dotenv.ts";
import { helpText } from "./help.ts";
import { type CliIo, EXIT } from "./io.ts";
import type { CliOptions } from "./options.ts";
import { parseArguments } from "./parse-arguments.ts";
import { field } from "./render-run.ts";
import { exitStatusOf, runPrompt, runPromptAsJson } from "./run-prompt.ts";
import { chooseModel, demoModel, type ModelChoice } from "./settings.ts";
import { createTools } from "./tools.ts";
import { packageVersion } from "./version.ts";

/** Shows parallel calls, exact numbers, and a tool that fails while the run goes on. */
const DEMO_PROMPT = "What is (17 + 38) * 2, what is 2 ** 100, and what is 1 / 0?";

/** Runs the command line. Misuse is one sentence on stderr and status 2. */
export async function runCli(io: CliIo): Promise<number> {
  try {
    return await start(io);
  } catch (error) {
    if (!isMisuse(error)) throw error;
    io.stderr.write(`harness-kit: ${errorMessage(error)}\n`);
    return EXIT.misuse;
  }
}

async function start(io: CliIo): Promise<number> {
  const { options, prompt } = parseArguments(io.argv);
  if (options.help === true) return print(io, helpText());
  if (options.version === true) return print(io, `${packageVersion()}\n`);
  const isDemo = prompt === undefined && options.demo === true;
  const asked = isDemo ? DEMO_PROMPT : prompt;
  if (asked === undefined && !canChat(io, options)) return print(io, helpText());
  const choice = isDemo ? demoModel() : chooseFromEnvironment(io, options);
  const runtime = createCliRuntime(io, options, choice);
  const write = (text: string) => void io.stdout.write(text);
  const { interrupts } = io;
  if (options.json === true && asked !== undefined) {
    return exitStatusOf(await runPromptAsJson(asked, { runtime, write, interrupts }));
  }
  const colors = createColors(wantsColor(io.stdout, io.env, options.noColor === true));
  write(`${field("Model", choice.note, colors)}\n`);
  if (asked === undefined) return chat(io, runtime, colors);
  const run = await runPrompt(asked, { runtime, write, interrupts }, colors);
  if (isDemo) write(demoHint(colors));
  return exitStatusOf(run);
}

function print(io: CliIo, text: string): number {
  io.stdout.write(text);
  return EXIT.completed;
}

/** A chat needs a person at both ends, and prints no record. */
function canChat({ stdin, stdout }: CliIo, options: CliOptions): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && options.json !== true;
}

function chooseFromEnvironment(io: CliIo, options: CliOptions): ModelChoice {
  const { variables, warning } = readDotenv(io.cwd);
  if (warning !== undefined) io.stderr.write(`harness-kit: ${warning}\n`);
  return chooseModel(options, io.env, variables);
}

function createCliRuntime(io: CliIo, options: CliOptions, { model, keyVariable }: ModelChoice): Runtime {
  const { maxSteps, timeoutMs, modelTimeoutMs, toolTimeoutMs, maxAttempts, allow } = options;
  return createRuntime({
    model,
    tools: createTools({ cwd: io.cwd, timeoutMs: toolTimeoutMs, keyVariable }),
    // Without a gate the runtime itself refuses what may change things, and the record stays shorter.
    permission: allow === undefined ? undefined : allowTools(...allow),
    maxSteps,
    timeoutMs,
    modelTimeoutMs,
    toolTimeoutMs,
    retry: { maxAttempts },
  });
}

function demoHint(colors: Colors): string {
  return `\n${field("Try", 'npm start -- "帮我算一下 (17 + 38) * 2"\nnpm start -- --allow bash "run `uname -a`"\nnpm start -- --help', colors)}\n`;
}

/** Mistakes of the person who typed the command; anything else is a defect of ours. */
function isMisuse(error: unknown): boolean {
  return error instanceof TypeError && Reflect.get(error, "code") === "RUNTIME_INVALID_CONFIG";
}
