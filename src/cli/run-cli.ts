/**
 * The command line from its arguments to its exit status.
 *
 * Command line. Touches the world only through `io`.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Approver } from "../contract/approval.ts";
import type { Store } from "../contract/store.ts";
import { errorMessage, isHarnessError } from "../errors/index.ts";
import { createRuntime, type Runtime } from "../runtime/create-runtime.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
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
import { listSessions, resumeById, storeFor } from "./sessions.ts";
import { chooseModel, demoModel, type ModelChoice } from "./settings.ts";
import { findTerminal, type Terminal } from "./terminal.ts";
import { createTerminalApprover } from "./terminal-approver.ts";
import { createTools, WRITING_TOOLS } from "./tools.ts";
import { packageVersion } from "./version.ts";

/** Shows parallel calls, exact numbers, and a tool that fails while the run goes on. */
const DEMO_PROMPT = "What is (17 + 38) * 2, what is 2 ** 100, and what is 1 / 0?";

/** Runs the command line. Misuse is one sentence on stderr and status 2. */
export async function runCli(io: CliIo): Promise<number> {
  try {
    return await start(io);
  } catch (error) {
    if (!isMisuse(error) && !isHarnessError(error, "context")) throw error;
    io.stderr.write(`harness-kit: ${errorMessage(error)}${hintFor(error)}\n`);
    return isMisuse(error) ? EXIT.misuse : EXIT.failed;
  }
}

async function start(io: CliIo): Promise<number> {
  const { options, prompt } = parseArguments(io.argv);
  if (options.help === true) return print(io, helpText());
  if (options.version === true) return print(io, `${packageVersion()}\n`);
  const store = storeFor(io, options);
  if (options.sessions === true && store !== undefined)
    return print(io, await listSessions(store, options.json === true));
  const terminal = findTerminal(io, options);
  if (prompt !== undefined || options.resume !== undefined)
    return runOnce(io, options, { prompt, choice: chooseFromEnvironment(io, options), terminal, store });
  if (options.demo === true) return runDemo(io, options, terminal);
  // A chat is read where it is printed, and prints no record.
  return terminal?.output === io.stdout ? startChat(io, options, { terminal, store }) : print(io, helpText());
}

function print(io: CliIo, text: string): number {
  io.stdout.write(text);
  return EXIT.completed;
}

interface Once {
  /** `undefined` where a run is resumed. */
  readonly prompt: string | undefined;
  readonly choice: ModelChoice;
  readonly terminal: Terminal | undefined;
  readonly store: Store | undefined;
}

async function runOnce(io: CliIo, options: CliOptions, once: Once): Promise<number> {
  const { choice, terminal, store } = once;
  const approver =
    terminal && approverAt(terminal, { colors: colorsFor(terminal.output, io, options), remembering: "run" });
  const runtime = createCliRuntime(io, options, choice, { approver, store });
  const write = (text: string) => void io.stdout.write(text);
  const work: PromptRun = { runtime, write, interrupts: io.interrupts, execute: executeOnce(runtime, options, once) };
  if (options.json === true) return exitStatusOf(await runPromptAsJson(work));
  const colors = colorsFor(io.stdout, io, options);
  work.write(`${field("Model", choice.note, colors)}\n`);
  return exitStatusOf(await runPrompt(work, colors));
}

function executeOnce(runtime: Runtime, { session, resume }: CliOptions, { prompt, store }: Once): PromptRun["execute"] {
  if (resume !== undefined && store !== undefined) {
    if (prompt !== undefined) {
      throw misuse(
        `--resume goes on with what was asked, got the prompt ${quoteValue(prompt)}. Leave one of them out.`,
      );
    }
    return (given) => resumeById(runtime, store, resume, given);
  }
  return (given) =>
    session === undefined ? runtime.run(prompt ?? "", given) : runtime.session(session).run(prompt ?? "", given);
}

async function runDemo(io: CliIo, options: CliOptions, terminal: Terminal | undefined): Promise<number> {
  const status = await runOnce(io, options, { prompt: DEMO_PROMPT, choice: demoModel(), terminal, store: undefined });
  if (options.json !== true) io.stdout.write(demoHint(colorsFor(io.stdout, io, options)));
  return status;
}

interface ChatAt {
  readonly terminal: Terminal;
  readonly store: Store | undefined;
}

function startChat(io: CliIo, options: CliOptions, { terminal, store }: ChatAt): Promise<number> {
  const colors = colorsFor(io.stdout, io, options);
  const choice = chooseFromEnvironment(io, options);
  const approver = approverAt(terminal, { colors, remembering: "chat" });
  const runtime = createCliRuntime(io, options, choice, { approver, store });
  io.stdout.write(`${field("Model", choice.note, colors)}\n`);
  const session = options.session === undefined ? undefined : runtime.session(options.session);
  return chat(io, { runtime, keyboard: terminal.keyboard, colors, session });
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
  { approver, store }: { readonly approver: Approver | undefined; readonly store: Store | undefined },
): Runtime {
  const { maxSteps, timeoutMs, modelTimeoutMs, toolTimeoutMs, maxAttempts, allow: allowed = [] } = options;
  const workspace = workspaceOf(io, options);
  checkReadOnly(options);
  const { readOnly = false, sandbox: sandboxed = false } = options;
  const tools = createTools({ workspace, readOnly, sandboxed, timeoutMs: toolTimeoutMs, keyVariable });
  return createRuntime({
    model,
    tools,
    permission: createCliGate({ tools, allowed, approver }),
    maxSteps,
    timeoutMs,
    modelTimeoutMs,
    toolTimeoutMs,
    retry: { maxAttempts },
    store,
  });
}

/** @throws TypeError where one option takes away what another one allows */
function checkReadOnly({ readOnly, allow = [] }: CliOptions): void {
  const lost = readOnly === true ? allow.find((tool) => WRITING_TOOLS.includes(tool)) : undefined;
  if (lost !== undefined) throw misuse(`--read-only offers no ${lost}. Leave --allow ${lost} or --read-only out.`);
}

/** The directory that the tools work in. @throws TypeError where it is none */
function workspaceOf({ cwd }: CliIo, { workspace = "." }: CliOptions): string {
  const directory = resolve(cwd, workspace);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return directory;
  throw misuse(`--workspace takes a directory, got ${quoteValue(workspace)}. Make it first, or name another one.`);
}

function demoHint(colors: Colors): string {
  return `\n${field("Try", 'npm start -- "帮我算一下 (17 + 38) * 2"\nnpm start -- --allow bash "run `uname -a`"\nnpm start -- --help', colors)}\n`;
}

/** What the person at the command line can do, where the message speaks to programs. */
function hintFor(error: unknown): string {
  return isHarnessError(error) && error.code === "CONTEXT_UNFINISHED"
    ? "\nOn the command line: harness-kit --resume ID, with the id of the session."
    : "";
}

/** Mistakes of the person who typed the command; anything else is a defect of ours. */
function isMisuse(error: unknown): boolean {
  return error instanceof TypeError && Reflect.get(error, "code") === "RUNTIME_INVALID_CONFIG";
}
