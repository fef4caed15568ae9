/**
 * Asks a sandbox to wrap a command, and lets nothing run when it does not.
 *
 * Floor 2 (process). Fail closed: a wrapper that throws, hangs or answers something unusable is a refusal.
 */
import { errorMessage } from "../../errors/index.ts";
import { onAbort } from "../../util/abort.ts";
import { systemClock } from "../../util/clock.ts";
import { quoteValue } from "../../util/text.ts";
import { errnoOf } from "../classify.ts";
import type { Plan } from "../options.ts";
import { sandboxFailure } from "./failure.ts";
import type { Sandbox, SandboxedCommand, SpawnSpec, WrapperControl } from "./types.ts";

/** How long a sandbox may take to wrap a command, its first self-test included. */
const WRAP_MS = 30_000;

/** A command that is fit to be started inside a sandbox. */
export interface Entered {
  /** The wrapper's own file, arguments, directory and environment; the rest as it was. */
  readonly plan: Plan;
  readonly name: string;
  readonly control: WrapperControl | undefined;
  /** Gives back what the sandbox holds for this command. Never throws; only the first call counts. */
  release(): void;
}

/**
 * Wraps `plan`; `undefined` when `signal` fired before that was done.
 *
 * @throws ToolError with TOOL_SANDBOX_FAILED when the sandbox refuses.
 */
export async function enterSandbox(
  sandbox: Sandbox,
  plan: Plan,
  signal: AbortSignal | undefined,
  clock = systemClock,
): Promise<Entered | undefined> {
  const asked = Promise.resolve().then(() => sandbox.wrap(toSpec(plan)));
  const cleanups: (() => void)[] = [];
  try {
    const late = new Promise<"late">((resolve) => {
      cleanups.push(clock.setTimer(WRAP_MS, () => resolve("late")));
    });
    const aborted = new Promise<undefined>((resolve) => {
      if (signal?.aborted) resolve(undefined);
      else if (signal) cleanups.push(onAbort(signal, () => resolve(undefined)));
    });
    const first = await Promise.race([asked.then((command) => ({ command }), refuse(sandbox)), late, aborted]);
    if (typeof first === "object" && !signal?.aborted) return entered(sandbox, plan, first.command);
    releaseLate(asked);
    if (first === "late") throw sandboxFailure(`The sandbox ${nameOf(sandbox)} gave no answer within ${WRAP_MS} ms.`);
    return undefined;
  } finally {
    for (const cleanup of cleanups) cleanup();
  }
}

/**
 * As {@link enterSandbox}, for a caller that cannot wait.
 *
 * @throws ToolError with TOOL_SANDBOX_FAILED when the sandbox refuses, or knows no `wrapSync`.
 */
export function enterSandboxSync(sandbox: Sandbox, plan: Plan): Entered {
  if (typeof sandbox.wrapSync !== "function") {
    throw sandboxFailure(`The sandbox ${nameOf(sandbox)} has no wrapSync. Use runProcess instead of runProcessSync.`);
  }
  let command: SandboxedCommand;
  try {
    command = sandbox.wrapSync(toSpec(plan));
  } catch (error) {
    return refuse(sandbox)(error);
  }
  return entered(sandbox, plan, command);
}

/** These are the command's own or the system's; all else that keeps a wrapper from starting is the wrapper's fault. */
const NOT_THE_WRAPPER = new Set(["E2BIG", "EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ETXTBSY"]);

/** What to make of an error that came up when a wrapper was started. */
export function wrapperStartError(error: unknown, name: string, file: string): unknown {
  const errno = errnoOf(error);
  if (errno !== undefined && (NOT_THE_WRAPPER.has(errno) || errno.startsWith("ERR_"))) return error;
  return sandboxFailure(`The sandbox ${name} could not start ${file} (${errno ?? "unknown error"}).`, error);
}

function toSpec(plan: Plan): SpawnSpec {
  const { file, args, background } = plan;
  // `process.cwd()` throws when our own directory is gone: then nothing can be said about where to run.
  return { file, args, background, cwd: plan.cwd ?? process.cwd(), env: plan.env ?? { ...process.env } };
}

function refuse(sandbox: Sandbox): (error: unknown) => never {
  return (error) => {
    throw sandboxFailure(`The sandbox ${nameOf(sandbox)} let nothing run: ${errorMessage(error)}`, error);
  };
}

function entered(sandbox: Sandbox, plan: Plan, command: SandboxedCommand): Entered {
  const name = nameOf(sandbox);
  if (!isCommand(command)) {
    // It may be a promise, or a command with something missing.
    releaseLate(Promise.resolve(command));
    throw sandboxFailure(`The sandbox ${name} answered ${quoteValue(command)}, which is no command.`);
  }
  const { file, args, cwd, env, control } = command;
  return {
    plan: { ...plan, file, args, cwd, env: { ...env } },
    name,
    control,
    release: once(() => command.release?.()),
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    try {
      work();
    } catch {
      // What a sandbox cannot give back is no fault of the command.
    }
  };
}

function releaseLate(asked: Promise<SandboxedCommand>): void {
  asked.then((command) => once(() => command?.release?.())(), ignore);
}

function isCommand(command: unknown): command is SandboxedCommand {
  if (typeof command !== "object" || command === null) return false;
  const { file, args, cwd, env } = command as Record<string, unknown>;
  const isList = Array.isArray(args) && args.every((arg) => typeof arg === "string");
  return typeof file === "string" && file !== "" && isList && typeof cwd === "string" && isRecord(env);
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function nameOf(sandbox: Sandbox): string {
  return typeof sandbox.name === "string" && sandbox.name !== "" ? sandbox.name : "without a name";
}

function ignore(): void {}
