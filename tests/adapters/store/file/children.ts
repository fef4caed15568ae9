/**
 * Child processes that have a store open.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { freshFolder } from "./folder.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const scripts = freshFolder();
let count = 0;

/** Makes what the children import. Call it before the tests of a file. */
export function bundleStore(): Promise<unknown> {
  return build({
    entryPoints: [join(root, "src/adapters/store/index.ts")],
    outfile: join(scripts, "store.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
  });
}

/** A child process. */
export interface Child {
  readonly process: ChildProcess;
  /** Sends a line to it. */
  tell(line: string): void;
  /** The next line that it writes. Rejects when it ends instead. */
  next(): Promise<string>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** What it wrote to stderr. */
  errors(): string;
}

/**
 * Runs a script with `store`, on a folder, `say(line)` and `told()`, which waits for the next line.
 */
export function startChild(folder: string, body: string): Child {
  const file = join(scripts, `child-${++count}.mjs`);
  writeFileSync(file, `${HEADER.replace("FOLDER", JSON.stringify(folder))}\n${body}`);
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  return {
    process: child,
    tell: (line) => child.stdin.write(`${line}\n`),
    async next() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The child ended (${await ended}): ${stderr}`);
      return value as string;
    },
    ended,
    errors: () => stderr,
  };
}

const HEADER = `
import { createInterface } from "node:readline";
import { writeSync } from "node:fs";
import { fileStore } from "./store.mjs";
const store = fileStore(FOLDER);
const say = (line) => writeSync(1, line + "\\n");
let input;
const told = async () => (await (input ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]()).next()).value;
`;
