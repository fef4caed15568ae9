#!/usr/bin/env node
/**
 * The program `harness-kit`: gives the real world to `runCli`.
 *
 * Command line.
 */
import process from "node:process";
import type { Interrupts } from "./io.ts";
import { runCli } from "./run-cli.ts";

const closed = new Set<() => void>();

const interrupts: Interrupts = {
  listen(callback) {
    process.on("SIGINT", callback);
    process.on("SIGTERM", callback);
    closed.add(callback);
    return () => {
      process.off("SIGINT", callback);
      process.off("SIGTERM", callback);
      closed.delete(callback);
    };
  },
  exitNow: (status) => process.exit(status),
};

// A reader that went away (`| head`) is no error: the run is stopped and what it prints is dropped.
for (const output of [process.stdout, process.stderr]) {
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    for (const abort of closed) abort();
    closed.clear();
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
process.stdout.write("", () => process.exit(status));
