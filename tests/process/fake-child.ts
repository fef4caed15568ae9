/** A child process that does what a test says, and a plan for it. */
import { EventEmitter } from "node:events";
import { PassThrough, type Writable } from "node:stream";
import type { Plan } from "../../src/process/options.ts";
import type { RunningChild } from "../../src/process/start-child.ts";

/** No process has this number (the highest that Linux gives is 4,194,303), so the signals come to the child itself. */
export const NOBODY = 4_194_999;

export interface FakeChild {
  readonly child: RunningChild;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  /** The signals it got. */
  readonly signals: string[];
  /** Whether it was told to keep nothing alive any more. */
  isUnreferenced(): boolean;
  /** As Node tells it: the process is gone, its pipes may still be held. */
  exit(exitCode: number | null, signal?: NodeJS.Signals): void;
  /** The last holder of the pipes is gone. */
  close(): void;
}

export function fakeChild(stdin: Writable | null = null): FakeChild {
  const emitter = new EventEmitter();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signals: string[] = [];
  let isUnreferenced = false;
  const child = Object.assign(emitter, {
    pid: NOBODY,
    stdin,
    stdout,
    stderr,
    stdio: [stdin, stdout, stderr],
    kill: (signal: string) => signals.push(signal) > 0,
    unref: () => {
      isUnreferenced = true;
    },
  }) as unknown as RunningChild;
  return {
    child,
    stdout,
    stderr,
    signals,
    isUnreferenced: () => isUnreferenced,
    exit: (exitCode, signal) => emitter.emit("exit", exitCode, signal ?? null),
    close: () => emitter.emit("close"),
  };
}

/** A plan without limits. */
export function planOf(more: Partial<Plan> = {}): Plan {
  return {
    file: "prog",
    args: [],
    cwd: undefined,
    env: undefined,
    input: undefined,
    timeoutMs: 0,
    graceMs: 1_000,
    drainMs: 250,
    maxOutputBytes: 0,
    background: "kill",
    spill: undefined,
    sandbox: undefined,
    ...more,
  };
}
