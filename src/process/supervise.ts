/**
 * Follows one started command until its outcome can be told: exit, drained output, nothing left behind.
 *
 * Floor 2 (process).
 */
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { endBackground } from "./background.ts";
import { type Captured, createCapture } from "./capture.ts";
import type { StopReason } from "./classify.ts";
import { drain } from "./drain.ts";
import { killTree } from "./kill-tree.ts";
import { guardGroup } from "./live-groups.ts";
import type { AsyncProcessOptions, OutputChunk, Plan } from "./options.ts";
import type { BackgroundOutcome } from "./result.ts";
import { createStopper, type Stopper } from "./stopper.ts";

/** Everything that is known when a command is over. */
export interface Ending {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stopped: StopReason | undefined;
  readonly escalated: boolean;
  readonly background: BackgroundOutcome;
  readonly stdinError: Error | undefined;
  readonly stdinClosedEarly: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
}

/** A child that has a process. */
export type RunningChild = ChildProcess & { pid: number };

type Exit = Pick<Ending, "exitCode" | "signal">;
type Live = Pick<AsyncProcessOptions, "signal" | "onOutput">;

export async function supervise(child: RunningChild, plan: Plan, live: Live): Promise<Ending> {
  const forget = guardGroup(child.pid);
  child.on("error", ignore); // A signal that could not be delivered; the exit tells the rest.
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const stopper = createStopper(child, { ...plan, signal: live.signal });
  const output = readOutput(child, plan, live.onOutput, stopper);
  const input = writeInput(child, plan.input);

  const exit = await Promise.race([exited, stopper.gaveUp.then((): Exit => ({ exitCode: null, signal: null }))]);
  stopper.dispose();
  const stopped = stopper.reason;
  // Children that ignored SIGTERM outlive their parent.
  if (stopped !== undefined) killTree(child, "SIGKILL");

  const wasClosed = await drain({ closed, reads: output.reads, drainMs: plan.drainMs, signal: live.signal });
  const background =
    stopped === undefined ? await endBackground(child.pid, { mode: plan.background, patient: wasClosed }) : "none";
  forget();
  if (!wasClosed) letGo(child);
  return { ...exit, stopped, escalated: stopper.escalated, background, ...input.end(), ...output.end() };
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
    const capture = createCapture();
    const tell = onOutput && liveText(name, onOutput);
    child[name]?.on("error", ignore);
    child[name]?.on("data", (chunk: Buffer) => {
      reads++;
      capture.write(chunk);
      tell?.write(chunk);
      if (plan.maxOutputBytes > 0 && capture.bytes > plan.maxOutputBytes) stopper.stop("outputLimit");
    });
    return () => {
      tell?.end();
      return capture.finish();
    };
  };
  const stdout = follow("stdout");
  const stderr = follow("stderr");
  return { reads: () => reads, end: () => ({ stdout: stdout(), stderr: stderr() }) };
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

function writeInput(child: ChildProcess, input: Plan["input"]) {
  let stdinError: Error | undefined;
  child.stdin?.on("error", (error) => {
    stdinError = error;
  });
  if (input !== undefined) child.stdin?.end(input);
  return {
    end: () => ({ stdinError, stdinClosedEarly: input !== undefined && child.stdin?.writableFinished !== true }),
  };
}

function ignore(): void {}
