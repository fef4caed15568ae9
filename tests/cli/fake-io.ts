/** A world for `runCli`: streams that remember, a keyboard to press Ctrl-C on, a directory of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll } from "vitest";
import type { CliIo, OnInterrupt } from "../../src/cli/io.ts";
import { CTRL_C } from "../../src/cli/io.ts";
import { ANSWER_PROMPT } from "../../src/cli/question.ts";
import { runCli } from "../../src/cli/run-cli.ts";

export interface FakeWorld {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether a terminal is attached. */
  readonly isTerminal?: boolean;
}

export class FakeIo implements CliIo {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: PassThrough & { isTTY?: boolean };
  readonly stdout: PassThrough & { isTTY?: boolean };
  readonly stderr: PassThrough & { isTTY?: boolean };
  readonly exits: number[] = [];
  out = "";
  err = "";
  readonly #listeners = new Set<OnInterrupt>();

  constructor({ argv = [], env = {}, cwd, isTerminal = false }: FakeWorld) {
    this.argv = argv;
    this.env = env;
    this.cwd = cwd ?? emptyDirectory();
    this.stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
    this.stdout = Object.assign(new PassThrough(), { isTTY: isTerminal });
    this.stderr = Object.assign(new PassThrough(), { isTTY: isTerminal });
    this.stdout.on("data", (chunk) => {
      this.out += String(chunk);
    });
    this.stderr.on("data", (chunk) => {
      this.err += String(chunk);
    });
  }

  readonly interrupts = {
    listen: (callback: OnInterrupt) => {
      this.#listeners.add(callback);
      return () => void this.#listeners.delete(callback);
    },
    raise: (why: string) => {
      for (const listener of [...this.#listeners]) listener(why);
    },
    exitNow: (status: number) => void this.exits.push(status),
  };

  /** How many wait for Ctrl-C. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  pressCtrlC(): void {
    this.interrupts.raise(CTRL_C);
  }

  /** Types a line once it has been asked so many questions. */
  async reply(line: string, questions = 1): Promise<void> {
    while (`${this.out}${this.err}`.split(ANSWER_PROMPT).length <= questions) await aMoment();
    this.stdin.write(line);
  }

  /** Waits until stdout holds a text. */
  async until(text: string, from = 0): Promise<void> {
    while (!this.out.slice(from).includes(text)) await aMoment();
  }
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** A directory that is gone when the tests of the file are over. */
export function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "harness-kit-cli-"));
  directories.push(directory);
  return directory;
}

/** Runs the command line in a world without a terminal. */
export async function cli(argv: readonly string[], world: FakeWorld = {}) {
  const io = new FakeIo({ ...world, argv });
  const status = await runCli(io);
  return { status, out: io.out, err: io.err, io };
}
