import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoSurvivor } from "../case-runner.ts";
import { uniqueSleep } from "../markers.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "harness-leash-"));
  const entryPoints = [fileURLToPath(new URL("../../../src/process/sandbox/leash.ts", import.meta.url))];
  buildSync({ entryPoints, outfile: join(folder, "leash.mjs"), bundle: true, platform: "node", format: "esm" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program that has `leash` and `start(command)`, which gives a pid. */
async function host(body: string) {
  const script = `
    import { spawn } from "node:child_process";
    import { setTimeout as sleep } from "node:timers/promises";
    import { leash } from ${JSON.stringify(join(folder, "leash.mjs"))};
    const start = (command) => {
      const child = spawn("sh", ["-c", "exec " + command], { detached: true, stdio: "ignore" });
      child.unref();
      return child.pid;
    };
    ${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<unknown>((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));
  return { stdout: await text(child.stdout), end: await ended };
}

const isRunning = (pattern: string) => spawnSync("pgrep", ["-f", pattern]).status === 0;

describe.runIf(process.platform === "linux")("the leash", () => {
  it("ends what is on it when we are killed, and nothing else", async () => {
    const [kept, freed, held, last] = [uniqueSleep(), uniqueSleep(), uniqueSleep(), uniqueSleep()];
    const { end } = await host(`
      start("${kept.command}");
      const free = leash(start("${freed.command}"));
      leash(start("${held.command}"));
      const freeLast = leash(start("${last.command}"));
      free();
      await sleep(200);
      process.kill(process.pid, "SIGKILL");`);
    expect(end).toBe("SIGKILL");
    await expectNoSurvivor(held.pattern);
    await expectNoSurvivor(last.pattern);
    expect([kept, freed].map(({ pattern }) => isRunning(pattern))).toEqual([true, true]);
    for (const { pattern } of [kept, freed]) spawnSync("pkill", ["-f", pattern]);
  });

  it("keeps no program from ending, and leaves no process behind", async () => {
    const command = uniqueSleep();
    const { stdout, end } = await host(`
      leash(start("${command.command}"))();
      const { execFileSync } = await import("node:child_process");
      const shells = () => execFileSync("sh", ["-c", "pgrep -P " + process.pid + " -x sh | wc -l"]).toString().trim();
      await sleep(20);
      console.log(shells() >= 1);
      await sleep(400);
      leash(start("${command.command}"))();
      console.log(process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap").join());`);
    expect(end).toBe(0);
    expect(stdout).toBe("true\n\n");
    spawnSync("pkill", ["-f", command.pattern]);
  });

  it("is there again when its shell was killed", async () => {
    const [first, second] = [uniqueSleep(), uniqueSleep()];
    await host(`
      const { execFileSync } = await import("node:child_process");
      leash(start("${first.command}"));
      await sleep(50);
      execFileSync("pkill", ["-KILL", "-P", String(process.pid), "-x", "sh"]);
      await sleep(100);
      leash(start("${second.command}"));
      await sleep(100);
      process.kill(process.pid, "SIGKILL");`);
    await expectNoSurvivor(second.pattern);
    spawnSync("pkill", ["-f", first.pattern]);
  });
});
