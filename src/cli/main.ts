#!/usr/bin/env node
/**
 * The program `harness-kit`: gives the real world to `runCli`.
 *
 * Command line.
 */
import process from "node:process";
import { CTRL_C, EXIT, type Interrupts, type OnInterrupt } from "./io.ts";
import { runCli } from "./run-cli.ts";

const listeners = new Set<OnInterrupt>();

const interrupts: Interrupts = {
  listen(callback) {
    listeners.add(callback);
    return () => listeners.delete(callback);
  },
  raise: (why) => interrupt(why, () => process.exit(EXIT.aborted)),
  exitNow: (status) => process.exit(status),
};

function interrupt(why: string, ifIdle: () => void): void {
  if (listeners.size === 0) ifIdle();
  for (const callback of [...listeners]) callback(why);
}

process.on("SIGINT", () => interrupts.raise(CTRL_C));
process.on("SIGTERM", () => interrupts.raise("The signal SIGTERM came."));

// A reader that went away (`| head`) is no error: the run is stopped, and what it prints is dropped.
let isOutputClosed = false;
for (const output of [process.stdout, process.stderr]) {
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!isOutputClosed) interrupt("The output was closed.", () => {});
    isOutputClosed = true;
  });
}

const status = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  interrupts,
});
// A tool that ignores its abort must not hold the process: leave once everything is written.
process.exitCode = status;
process.stdout.write("", (error) => process.exit(error || isOutputClosed ? EXIT.aborted : status));
