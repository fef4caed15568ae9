/**
 * What a host decides about its bash tool.
 *
 * Wing (adapters): floors 0–3 only.
 */
import { resolve } from "node:path";
import { DEFAULT_MAX_CHARS, type Sandbox } from "../../../process/index.ts";
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";

/** What {@link bashTool} takes. */
export interface BashToolOptions {
  /** The workspace: commands start here, and a `cwd` that the model gives must lie inside. @defaultValue the working directory of this process */
  cwd?: string | undefined;
  /** Time limit of a command, in milliseconds, when the model gives none. @defaultValue 30_000 */
  timeoutMs?: number | undefined;
  /** The largest time limit that the model may ask for, in milliseconds. @defaultValue 600_000 */
  maxTimeoutMs?: number | undefined;
  /** Length of the text that the model reads, in characters, when it asks for none. @defaultValue 30_000 */
  outputChars?: number | undefined;
  /** The longest text that the model may ask for, in characters. @defaultValue 100_000 */
  maxOutputChars?: number | undefined;
  /** A command that writes more to one stream is ended. @defaultValue 64 MiB; 16 MiB with `sync` */
  maxOutputBytes?: number | undefined;
  /** Time between SIGTERM and SIGKILL, in milliseconds. @defaultValue 2_000 */
  graceMs?: number | undefined;
  /** What happens to processes that a finished command leaves running. @defaultValue "kill" */
  background?: "kill" | "keep" | undefined;
  /** Set in the environment of every command, after the filter; `undefined` deletes a name. */
  env?: Record<string, string | undefined> | undefined;
  /** More variables that no command may see, such as the one that holds the model's key. */
  dropEnv?: readonly string[] | undefined;
  /** Absolute path of the shell. @defaultValue the first bash that is found, else `sh` */
  shell?: string | undefined;
  /** Run with `spawnSync`: blocks the whole program, and an abort takes effect only after the command. @defaultValue false */
  sync?: boolean | undefined;
  /**
   * A folder for what the model's text leaves out: a longer output is saved there as a whole, and the model told where.
   * Best inside the workspace, where the model can read it. Nobody deletes the files but you. @defaultValue none
   */
  spillDir?: string | undefined;
  /** Every command runs inside, or not at all: then the result is `TOOL_SANDBOX_FAILED`. See `bubblewrapSandbox` of `harness-kit/process`. */
  sandbox?: Sandbox | undefined;
}

export const DEFAULTS = {
  timeoutMs: 30_000,
  maxTimeoutMs: 600_000,
  outputChars: DEFAULT_MAX_CHARS,
  maxOutputChars: 100_000,
  graceMs: 2_000,
  background: "kill",
  sync: false,
} as const;

/** Less would not hold a status line. */
const SMALLEST_OUTPUT_CHARS = 1_000;

export interface ResolvedBashOptions {
  readonly root: string;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly outputChars: number;
  readonly maxOutputChars: number;
  readonly maxOutputBytes: number | undefined;
  readonly graceMs: number;
  readonly background: "kill" | "keep";
  readonly env: Record<string, string | undefined>;
  readonly dropEnv: readonly string[];
  readonly sync: boolean;
  readonly spillDir: string | undefined;
  readonly sandbox: Sandbox | undefined;
}

/** @throws TypeError when a limit is no whole number or too small, the folder no string, or the sandbox none. */
export function resolveBashOptions(options: BashToolOptions): ResolvedBashOptions {
  const timeoutMs = limit("timeoutMs", options.timeoutMs, DEFAULTS.timeoutMs, 1);
  const outputChars = limit("outputChars", options.outputChars, DEFAULTS.outputChars, SMALLEST_OUTPUT_CHARS);
  const { maxOutputBytes } = options;
  return {
    root: resolve(options.cwd ?? "."),
    timeoutMs,
    maxTimeoutMs: Math.max(timeoutMs, limit("maxTimeoutMs", options.maxTimeoutMs, DEFAULTS.maxTimeoutMs, 1)),
    outputChars,
    maxOutputChars: Math.max(
      outputChars,
      limit("maxOutputChars", options.maxOutputChars, DEFAULTS.maxOutputChars, SMALLEST_OUTPUT_CHARS),
    ),
    maxOutputBytes: maxOutputBytes === undefined ? undefined : limit("maxOutputBytes", maxOutputBytes, 0, 1),
    graceMs: limit("graceMs", options.graceMs, DEFAULTS.graceMs, 0),
    background: options.background ?? DEFAULTS.background,
    env: options.env ?? {},
    dropEnv: options.dropEnv ?? [],
    sync: options.sync ?? DEFAULTS.sync,
    spillDir: checkedFolder(options.spillDir),
    sandbox: checkedSandbox(options),
  };
}

function checkedFolder(spillDir: string | undefined): string | undefined {
  if (spillDir === undefined) return undefined;
  if (typeof spillDir === "string" && spillDir !== "") return resolve(spillDir);
  throw misuse(`bashTool: spillDir must be the path of a folder, got ${quoteValue(spillDir)}.`);
}

function checkedSandbox({ sandbox, sync }: BashToolOptions): Sandbox | undefined {
  if (sandbox === undefined) return undefined;
  const needed = sync ? "wrapSync" : "wrap";
  if (typeof (sandbox as Partial<Sandbox> | null)?.[needed] === "function") return sandbox;
  throw misuse(`bashTool: sandbox must be a sandbox with a function ${needed}, got ${quoteValue(sandbox)}.`);
}

function limit(name: string, value: number | undefined, byDefault: number, smallest: number): number {
  if (value === undefined) return byDefault;
  if (Number.isSafeInteger(value) && value >= smallest) return value;
  throw misuse(`bashTool: ${name} must be a whole number from ${smallest} up, got ${quoteValue(value)}.`);
}

/** What the model asked for, brought between 1 and `most`. */
export function asked(value: unknown, byDefault: number, most: number, smallest = 1): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return byDefault;
  return Math.min(most, Math.max(smallest, Math.floor(value)));
}

/** What the model asked for as the length of its text. */
export function askedChars(value: unknown, { outputChars, maxOutputChars }: ResolvedBashOptions): number {
  return asked(value, outputChars, maxOutputChars, Math.min(outputChars, SMALLEST_OUTPUT_CHARS));
}
