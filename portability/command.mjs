/** Runs a command to its end, with a limit, and keeps what it said. */
import { spawn } from "node:child_process";

/** The time for a download and a suite. */
const LONGEST_MS = 300_000;

/** Never rejects: `code` is undefined when the command could not be started, or took too long. */
export function runCommand([file, ...args], { cwd, timeoutMs = LONGEST_MS, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
      timeout: timeoutMs,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.once("error", (error) => resolve({ code: undefined, stdout, stderr: String(error) }));
    child.once("close", (code) => resolve({ code: code ?? undefined, stdout, stderr }));
  });
}
