/**
 * The bash tool: one shell command per call, and every way it can end told apart for the model.
 *
 * Wing (adapters). Node only. Access "exec": without a gate a host has to allow it by name.
 */
import type { JsonSchema } from "../../../contract/schema.ts";
import type { Tool, ToolContext, ToolFailure, ToolResult } from "../../../contract/tool.ts";
import {
  describeProcess,
  exitMeaning,
  filterEnvironment,
  findShell,
  type ProcessOptions,
  type ProcessResult,
  processErrorCode,
  runProcess,
  runProcessSync,
  type Shell,
  shellAt,
} from "../../../process/index.ts";
import { description, parameters } from "./definition.ts";
import { asked, askedChars, type BashToolOptions, type ResolvedBashOptions, resolveBashOptions } from "./options.ts";
import { workspaceCwd } from "./workspace-cwd.ts";

export type { BashToolOptions } from "./options.ts";

/** What the model gives. */
export interface BashArguments {
  command: string;
  timeoutMs?: number | undefined;
  cwd?: string | undefined;
  maxOutputChars?: number | undefined;
}

/** A tool whose parameters are a plain JSON Schema. */
export type BashTool = Tool<BashArguments> & { readonly parameters: JsonSchema };

/** Longest wait for output that a background process goes on writing. */
const DRAIN_MS = 2_000;
const MARGIN_MS = 3_000;

/**
 * Creates the bash tool. Its own `timeoutMs` lies above the longest time limit of a command, so that
 * what a timed-out command wrote still reaches the model.
 *
 * @throws TypeError when a limit is no whole number.
 * @example
 * const runtime = createRuntime({ model, tools: [bashTool({ cwd: "/srv/project" })], permission: allowTools("bash") });
 */
export function bashTool(options: BashToolOptions = {}): BashTool {
  const shell = options.shell === undefined ? findShell() : shellAt(options.shell);
  return bashToolWith(shell, options);
}

/** As {@link bashTool}, with the shell given; `undefined`: there is none on this machine. */
export function bashToolWith(shell: Shell | undefined, options: BashToolOptions): BashTool {
  const resolved = resolveBashOptions(options);
  return {
    name: "bash",
    description: description(shell, resolved),
    parameters: parameters(resolved),
    access: "exec",
    timeoutMs: resolved.maxTimeoutMs + resolved.graceMs + DRAIN_MS + MARGIN_MS,
    execute: (args, context) => execute(args, context, shell, resolved),
  };
}

async function execute(
  args: BashArguments,
  context: Partial<ToolContext> = {},
  shell: Shell | undefined,
  options: ResolvedBashOptions,
): Promise<ToolResult> {
  context.signal?.throwIfAborted();
  if (shell === undefined) return refused(NO_SHELL);
  if (typeof args.command !== "string" || args.command.trim() === "") return refused("the command is empty");
  const place = workspaceCwd(options.root, args.cwd);
  if (!place.ok) return refused(place.reason);
  const result = await run(shell, args, { ...processOptions(args, options), cwd: place.cwd }, context, options.sync);
  context.signal?.throwIfAborted();
  return toToolResult(result, askedChars(args.maxOutputChars, options));
}

const NO_SHELL = "no bash and no sh was found; on Windows install Git for Windows, or give the path as `shell`";

function processOptions(args: BashArguments, options: ResolvedBashOptions): ProcessOptions {
  return {
    env: { ...filterEnvironment(process.env, options.dropEnv), ...options.env },
    inheritEnv: false,
    timeoutMs: asked(args.timeoutMs, options.timeoutMs, options.maxTimeoutMs),
    graceMs: options.graceMs,
    maxOutputBytes: options.maxOutputBytes,
    background: options.background,
    spillDir: options.spillDir,
    // Two streams of this length are shown whole, notes and all.
    spillBytes: Math.floor(askedChars(args.maxOutputChars, options) / 4),
    sandbox: options.sandbox,
  };
}

function run(
  shell: Shell,
  { command }: BashArguments,
  options: ProcessOptions,
  context: Partial<ToolContext>,
  sync: boolean,
): ProcessResult | Promise<ProcessResult> {
  const words = [...shell.args, command];
  if (sync) return runProcessSync(shell.file, words, options);
  return runProcess(shell.file, words, {
    ...options,
    signal: context.signal,
    onOutput: (chunk) => context.report?.(chunk),
  });
}

function toToolResult(result: ProcessResult, maxChars: number): ToolResult {
  const text = describeProcess(result, { maxChars });
  if (result.ok || isAnswer(result)) return { ok: true, value: text };
  return { ok: false, error: text, kind: "tool", retryable: result.retryable, code: processErrorCode(result) };
}

/** `grep` that found nothing did its work. */
function isAnswer(result: ProcessResult): boolean {
  return result.status === "completed" && exitMeaning(result.command, result.exitCode)?.answer === true;
}

function refused(reason: string): ToolFailure {
  return {
    ok: false,
    error: `[not started: ${reason}]`,
    kind: "tool",
    retryable: false,
    code: "TOOL_PROCESS_NOT_STARTED",
  };
}
