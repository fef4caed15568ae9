/** A world for `runCli`: streams that remember, a keyboard to press Ctrl-C on, a directory of its own. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { CliIo, OnInterrupt } from "../../src/cli/io.ts";
import { CTRL_C } from "../../src/cli/io.ts";
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
  readonly stderr = new PassThrough();
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
    exitNow: (status: number) => void this.exits.push(status),
  };

  /** How many wait for Ctrl-C. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  pressCtrlC(): void {
    for (const listener of [...this.#listeners]) listener(CTRL_C);
  }

  /** Waits until stdout holds a text. */
  async until(text: string, from = 0): Promise<void> {
    while (!this.out.slice(from).includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function emptyDirectory(): string {
  return mkdtempSync(join(tmpdir(), "harness-kit-cli-"));
}

/** Runs the command line in a world without a terminal. */
export async function cli(argv: readonly string[], world: FakeWorld = {}) {
  const io = new FakeIo({ ...world, argv });
  const status = await runCli(io);
  return { status, out: io.out, err: io.err, io };
}
