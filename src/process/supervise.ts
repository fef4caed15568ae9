/**
 * Follows one started command until its outcome can be told: exit, drained output, nothing left behind.
 *
 * Floor 2 (process).
 */
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { endBackground } from "./background.ts";
import type { SeenEnd } from "./build-result.ts";
import { type Capture, createCapture, NOTHING } from "./capture.ts";
import type { RawEnd, StopReason } from "./classify.ts";
import { drain } from "./drain.ts";
import { type Killable, killGroupNow, killTree } from "./kill-tree.ts";
import { guardGroup } from "./live-groups.ts";
import type { AsyncProcessOptions, OutputChunk, Plan } from "./options.ts";
import { followWrapper } from "./sandbox/follow-wrapper.ts";
import type { WrapperControl } from "./sandbox/types.ts";
import { createSpill } from "./spill.ts";
import type { RunningChild } from "./start-child.ts";
import { createStopper, type Stopper } from "./stopper.ts";

/** Everything that is known when a command is over. */
export interface Ending extends SeenEnd, RawEnd {
  readonly stopped: StopReason | undefined;
  /** What the wrapper of a sandboxed command reported. */
  readonly report: string;
}

type Exit = Pick<RawEnd, "exitCode" | "signal">;
type Target = Killable & { readonly pid: number };
type Live = Pick<AsyncProcessOptions, "signal" | "onOutput"> & { readonly control?: WrapperControl | undefined };

export async function supervise(child: RunningChild, plan: Plan, live: Live): Promise<Ending> {
  const forget = guardGroup(child.pid);
  child.on("error", ignore); // A signal that could not be delivered; the exit tells the rest.
  const closed = new Promise<void>((resolve) => {
    child.on("close", resolve);
  });
  const inside =
    live.control &&
    followWrapper(child, live.control, (group) => {
      if (stopper.reason !== undefined) killGroupNow(group);
    });
  // Signals go to the command, not to the wrapper that would leave it alone.
  const target = inside?.target ?? child;
  const { exited, stopper } = follow(child, target, plan, live.signal);
  const output = readOutput(child, plan, live.onOutput, stopper);
  const input = writeInput(child, plan.input);

  const { exitCode, signal } = await exited;
  stopper.dispose();
  const stopped = stopper.reason;
  if (stopped !== undefined) {
    // Children that ignored SIGTERM outlive their parent.
    killTree(target, "SIGKILL");
    if (inside) killTree(child, "SIGKILL");
  }

  const wasClosed = await drain({ closed, reads: output.reads, drainMs: plan.drainMs, signal: live.signal });
  const background = stopped === undefined ? await endBackground(target.pid, plan.background, wasClosed) : "none";
  forget();
  inside?.forget();
  if (!wasClosed) letGo(child);
  return {
    pid: child.pid,
    exitCode,
    signal,
    stopped,
    escalated: stopper.escalated,
    background,
    error: input.error(),
    stdinClosedEarly: input.closedEarly(),
    stdout: output.stdout(),
    stderr: output.stderr(),
    report: inside?.report() ?? "",
  };
}

/** Waits for the exit, or until not even SIGKILL brings it about. */
function follow(child: ChildProcess, target: Target, { timeoutMs, graceMs }: Plan, signal: AbortSignal | undefined) {
  let giveUp: () => void = ignore;
  const exited = new Promise<Exit>((resolve) => {
    child.on("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    giveUp = () => resolve({ exitCode: null, signal: null });
  });
  const stopper = createStopper(target, { timeoutMs, graceMs, signal, onGiveUp: giveUp });
  return { exited, stopper };
}

/** Closes our ends of pipes that somebody else still holds, so that they keep nothing alive here. */
function letGo(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

type OnOutput = AsyncProcessOptions["onOutput"];

function readOutput(child: ChildProcess, plan: Plan, onOutput: OnOutput, stopper: Stopper) {
  let reads = 0;
  const follow = (name: OutputChunk["stream"]) => {
    // Made with the first chunk: many a command writes nothing, and hardly any to both streams.
    let capture: Capture | undefined;
    let tell: ReturnType<typeof liveText> | undefined;
    child[name]?.on("error", ignore);
    child[name]?.on("data", (chunk: Buffer) => {
      reads++;
      capture ??= createCapture(undefined, plan.spill && createSpill(plan.spill, name));
      capture.write(chunk);
      if (onOutput) tell ??= liveText(name, onOutput);
      tell?.write(chunk);
      if (plan.maxOutputBytes > 0 && capture.bytes > plan.maxOutputBytes) stopper.stop("outputLimit");
    });
    return () => {
      tell?.end();
      return capture?.finish() ?? NOTHING;
    };
  };
  return { stdout: follow("stdout"), stderr: follow("stderr"), reads: () => reads };
}

/** Decodes chunk by chunk, holding back a character that is not complete yet. */
function liveText(stream: OutputChunk["stream"], onOutput: NonNullable<OnOutput>) {
  const decoder = new StringDecoder("utf8");
  const tell = (text: string) => {
    if (text === "") return;
    try {
      // A listener may be an async function: what it rejects with must not end the process.
      Promise.resolve(onOutput({ stream, text }) as unknown).catch(ignore);
    } catch {
      // Observation never changes the outcome.
    }
  };
  return { write: (chunk: Buffer) => tell(decoder.write(chunk)), end: () => tell(decoder.end()) };
}

function writeInput({ stdin }: ChildProcess, input: Plan["input"]) {
  let failure: Error | undefined;
  if (input !== undefined) {
    stdin?.on("error", (error) => {
      failure = error;
    });
    stdin?.end(input);
  }
  return { error: () => failure, closedEarly: () => input !== undefined && stdin?.writableFinished !== true };
}

function ignore(): void {}
