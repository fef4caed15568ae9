/**
 * The command line from its arguments to its exit status.
 *
 * Command line. Touches the world only through `io`.
 */
import type { Approver } from "../contract/approval.ts";
import { errorMessage } from "../errors/index.ts";
import { createRuntime, type Runtime } from "../runtime/create-runtime.ts";
import { chat } from "./chat.ts";
import { type Colors, createColors, wantsColor } from "./colors.ts";
import { readDotenv } from "./dotenv.ts";
import { createCliGate } from "./gate.ts";
import { helpText } from "./help.ts";
import { type CliIo, EXIT, type Output } from "./io.ts";
import type { CliOptions } from "./options.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { QuestionStyle } from "./question.ts";
import { field } from "./render-run.ts";
import { exitStatusOf, type PromptRun, runPrompt, runPromptAsJson } from "./run-prompt.ts";
import { chooseModel, demoModel, type ModelChoice } from "./settings.ts";
import { findTerminal, type Terminal } from "./terminal.ts";
import { createTerminalApprover } from "./terminal-approver.ts";
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
  const terminal = findTerminal(io, options);
  if (prompt !== undefined)
    return runOnce(io, options, { prompt, choice: chooseFromEnvironment(io, options), terminal });
  if (options.demo === true) return runDemo(io, options, terminal);
  // A chat is read where it is printed, and prints no record.
  return terminal?.output === io.stdout ? startChat(io, options, terminal) : print(io, helpText());
}

function print(io: CliIo, text: string): number {
  io.stdout.write(text);
  return EXIT.completed;
}

interface Once {
  readonly prompt: string;
  readonly choice: ModelChoice;
  readonly terminal: Terminal | undefined;
}

async function runOnce(io: CliIo, options: CliOptions, { prompt, choice, terminal }: Once): Promise<number> {
  const approver =
    terminal && approverAt(terminal, { colors: colorsFor(terminal.output, io, options), remembering: "run" });
  const runtime = createCliRuntime(io, options, choice, approver);
  const work: PromptRun = { runtime, write: (text) => void io.stdout.write(text), interrupts: io.interrupts };
  if (options.json === true) return exitStatusOf(await runPromptAsJson(prompt, work));
  const colors = colorsFor(io.stdout, io, options);
  work.write(`${field("Model", choice.note, colors)}\n`);
  return exitStatusOf(await runPrompt(prompt, work, colors));
}

async function runDemo(io: CliIo, options: CliOptions, terminal: Terminal | undefined): Promise<number> {
  const status = await runOnce(io, options, { prompt: DEMO_PROMPT, choice: demoModel(), terminal });
  if (options.json !== true) io.stdout.write(demoHint(colorsFor(io.stdout, io, options)));
  return status;
}

function startChat(io: CliIo, options: CliOptions, terminal: Terminal): Promise<number> {
  const colors = colorsFor(io.stdout, io, options);
  const choice = chooseFromEnvironment(io, options);
  const runtime = createCliRuntime(io, options, choice, approverAt(terminal, { colors, remembering: "chat" }));
  io.stdout.write(`${field("Model", choice.note, colors)}\n`);
  return chat(io, runtime, terminal.keyboard, colors);
}

function colorsFor(output: Output, { env }: CliIo, options: CliOptions): Colors {
  return createColors(wantsColor(output, env, options.noColor === true));
}

function approverAt({ keyboard, output }: Terminal, style: Omit<QuestionStyle, "output">): Approver {
  return createTerminalApprover(keyboard, { ...style, output });
}

function chooseFromEnvironment(io: CliIo, options: CliOptions): ModelChoice {
  const { variables, warning } = readDotenv(io.cwd);
  if (warning !== undefined) io.stderr.write(`harness-kit: ${warning}\n`);
  return chooseModel(options, io.env, variables);
}

function createCliRuntime(
  io: CliIo,
  options: CliOptions,
  { model, keyVariable }: ModelChoice,
  approver: Approver | undefined,
): Runtime {
  const { maxSteps, timeoutMs, modelTimeoutMs, toolTimeoutMs, maxAttempts, allow: allowed = [] } = options;
  const tools = createTools({ cwd: io.cwd, timeoutMs: toolTimeoutMs, keyVariable });
  return createRuntime({
    model,
    tools,
    permission: createCliGate({ tools, allowed, approver }),
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
