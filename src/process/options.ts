/**
 * What can be said about a command, checked once before it is started.
 *
 * Floor 2 (process). A wrong option throws here as Node would throw, and the two run functions make
 * it a result (`INVALID_ARGUMENT`), so that one union holds every outcome.
 */
import { isAbsolute, resolve } from "node:path";
import { quoteValue } from "../util/text.ts";
import { KEPT_BYTES } from "./capture.ts";
import { mergeEnvironment } from "./environment.ts";
import type { Sandbox } from "./sandbox/types.ts";
import type { SpillPlan } from "./spill.ts";

const MIB = 1024 * 1024;

/** Options of both run functions. */
export interface ProcessOptions {
  /** Working directory. @defaultValue that of this process */
  cwd?: string | undefined;
  /** Merged over the environment of this process; `undefined` deletes a name. */
  env?: Record<string, string | undefined> | undefined;
  /** `false` starts from an empty environment. @defaultValue true */
  inheritEnv?: boolean | undefined;
  /** What the command reads on stdin. Without it stdin is closed, so that a prompt ends at once. */
  input?: string | Uint8Array | undefined;
  /** Longest run in milliseconds; 0: no limit. @defaultValue 30_000 */
  timeoutMs?: number | undefined;
  /** Time between SIGTERM and SIGKILL in milliseconds. Only `runProcess`. @defaultValue 2_000 */
  graceMs?: number | undefined;
  /** How long output must be silent after the exit, in milliseconds, when something still holds the pipe. Only `runProcess`. @defaultValue 250 */
  drainMs?: number | undefined;
  /** A command that writes more bytes to one stream is ended; 0: no limit. `runProcessSync` counts both streams together. @defaultValue 64 MiB; 16 MiB for `runProcessSync` */
  maxOutputBytes?: number | undefined;
  /** What happens to processes that a finished command leaves running. @defaultValue "kill" */
  background?: "kill" | "keep" | undefined;
  /**
   * A folder, made if need be, that gets the whole of a stream of more than `spillBytes`: see `capture.stdout.spillFile`.
   * Written while it comes, blocking. Nobody deletes the file but you. @defaultValue none: only the start and the end are kept
   */
  spillDir?: string | undefined;
  /** Needs `spillDir`. @defaultValue 256 KiB, which is as much as a result keeps; more counts as that */
  spillBytes?: number | undefined;
  /**
   * Runs the command inside. When the sandbox refuses or fails, nothing runs: `SANDBOX_FAILED`. A command that a
   * signal ends inside is told as a shell tells it, by an exit code of 128 and the signal's number.
   */
  sandbox?: Sandbox | undefined;
}

/** A piece of live output. Characters are never split between two pieces. */
export interface OutputChunk {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** Options of `runProcess`. */
export interface AsyncProcessOptions extends ProcessOptions {
  /** Ends the command when it fires. */
  signal?: AbortSignal | undefined;
  /** Called with live output. What it throws is ignored. */
  onOutput?: ((chunk: OutputChunk) => void) | undefined;
}

export const DEFAULTS = {
  timeoutMs: 30_000,
  graceMs: 2_000,
  drainMs: 250,
  maxOutputBytes: 64 * MIB,
  maxOutputBytesSync: 16 * MIB,
  background: "kill",
} as const;

/** A command that is fit to be started. */
export interface Plan {
  readonly file: string;
  readonly args: readonly string[];
  /** `undefined`: the child inherits ours, which may be a directory that is gone. */
  readonly cwd: string | undefined;
  /** `undefined`: the child inherits ours. */
  readonly env: NodeJS.ProcessEnv | undefined;
  readonly input: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly drainMs: number;
  readonly maxOutputBytes: number;
  readonly background: "kill" | "keep";
  readonly spill: SpillPlan | undefined;
  readonly sandbox: Sandbox | undefined;
}

/** @throws TypeError or RangeError with one of Node's `ERR_*` codes. */
export function resolvePlan(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
  maxOutputBytes: number,
): Plan {
  checkType(typeof file === "string", "file", "a string", file);
  checkType(Array.isArray(args), "args", "an array of strings", args);
  for (const [index, arg] of args.entries()) if (typeof arg !== "string") wrongType(`args[${index}]`, "a string", arg);
  const { cwd, input, background = DEFAULTS.background, sandbox } = options;
  checkType(cwd === undefined || typeof cwd === "string", "cwd", "a string", cwd);
  checkType(isInput(input), "input", "a string or a Uint8Array", input);
  checkType(background === "kill" || background === "keep", "background", '"kill" or "keep"', background);
  checkType(isSandbox(sandbox), "sandbox", "a sandbox with a function wrap", sandbox);
  return {
    file,
    args,
    // An absolute path stays as it is: `a/..` is not `.` where `a` is a symbolic link.
    cwd: cwd === undefined || isAbsolute(cwd) ? cwd : resolve(cwd),
    env: mergeEnvironment(options.env, options.inheritEnv ?? true),
    input,
    timeoutMs: count("timeoutMs", options.timeoutMs, DEFAULTS.timeoutMs),
    graceMs: count("graceMs", options.graceMs, DEFAULTS.graceMs),
    drainMs: count("drainMs", options.drainMs, DEFAULTS.drainMs),
    maxOutputBytes: count("maxOutputBytes", options.maxOutputBytes, maxOutputBytes),
    background,
    spill: spillPlan(options),
    sandbox,
  };
}

function spillPlan({ spillDir, spillBytes }: ProcessOptions): SpillPlan | undefined {
  checkType(spillDir === undefined || typeof spillDir === "string", "spillDir", "a string", spillDir);
  const fromBytes = Math.min(count("spillBytes", spillBytes, KEPT_BYTES), KEPT_BYTES);
  return spillDir === undefined ? undefined : { dir: resolve(spillDir), fromBytes };
}

/** Anything but `undefined` that cannot wrap is a mistake, and must not run without a sandbox. */
function isSandbox(sandbox: unknown): boolean {
  return sandbox === undefined || typeof (sandbox as { wrap?: unknown } | null)?.wrap === "function";
}

function isInput(input: unknown): boolean {
  return input === undefined || typeof input === "string" || input instanceof Uint8Array;
}

function count(name: string, value: unknown, byDefault: number): number {
  if (value === undefined) return byDefault;
  checkType(typeof value === "number", name, "a number", value);
  const number = value as number;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  const error = new RangeError(`${name} must be a whole number from 0 up, got ${number}.`);
  throw Object.assign(error, { code: "ERR_OUT_OF_RANGE" });
}

/** @throws TypeError */
export function checkType(fits: boolean, name: string, expected: string, value: unknown): void {
  if (!fits) wrongType(name, expected, value);
}

function wrongType(name: string, expected: string, value: unknown): never {
  const error = new TypeError(`${name} must be ${expected}, got ${quoteValue(value)}.`);
  throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
}
