/** Commands inside of bubblewrap. Runs on Node, Bun and Deno, where the machine can do it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { equal, holds } from "./checks.mjs";

/** The others' `spawnSync` gives back no report. */
const isNode = process.versions.bun === undefined && process.versions.deno === undefined;

export const sandboxChecks = ({ process: { bubblewrapSandbox, runProcess, runProcessSync } }) => {
  const inside = async (use) => {
    const [cwd, outside] = [1, 2].map(() => mkdtempSync(join(tmpdir(), "harness-kit-smoke-")));
    try {
      const sandbox = bubblewrapSandbox({ workspace: cwd });
      await use({ cwd, outside, sandbox });
    } finally {
      for (const folder of [cwd, outside]) rmSync(folder, { recursive: true, force: true });
    }
  };
  return {
    "the sandbox passes its own test": () =>
      inside(async ({ sandbox }) => equal(await sandbox.check(), { ok: true }, "the test")),
    "a command in the sandbox writes in the workspace and not outside": () =>
      inside(async ({ cwd, outside, sandbox }) => {
        const script = `echo in > in.txt; echo out > ${outside}/out.txt; exit 3`;
        const result = await runProcess("sh", ["-c", script], { cwd, sandbox });
        equal([result.status, result.exitCode, result.sandbox], ["completed", 3, "bubblewrap"], "the end");
        equal(readFileSync(join(cwd, "in.txt"), "utf8"), "in\n", "the file in the workspace");
        holds(!existsSync(join(outside, "out.txt")), "there is no file outside");
      }),
    "a command in the sandbox is ended in time, and told apart from one that is not there": () =>
      inside(async ({ cwd, sandbox }) => {
        const late = await runProcess("sh", ["-c", "echo before; sleep 60"], { cwd, sandbox, timeoutMs: 1_000 });
        equal([late.status, late.code, late.stdout], ["terminated", "PROCESS_TIMEOUT", "before\n"], "the timeout");
        const missing = await runProcess("no-such-program-here", [], { cwd, sandbox });
        equal([missing.status, missing.code], ["notStarted", "COMMAND_NOT_FOUND"], "the missing program");
      }),
    "runProcessSync tells how a command in the sandbox ended, or refuses to run it": () =>
      inside(async ({ cwd, sandbox }) => {
        await sandbox.check();
        const result = runProcessSync("sh", ["-c", "echo ran > ran.txt; exit 3"], { cwd, sandbox });
        const told = [result.status, result.exitCode ?? result.code, existsSync(join(cwd, "ran.txt"))];
        equal(told, isNode ? ["completed", 3, true] : ["notStarted", "SANDBOX_FAILED", false], "the end");
      }),
  };
};
