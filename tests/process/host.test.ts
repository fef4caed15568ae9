/**
 * What happens in programs that use `harness-kit/process`: each is a Node process of its own here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoSurvivor } from "./case-runner.ts";
import { uniqueSleep } from "./markers.ts";

const folder = mkdtempSync(join(tmpdir(), "harness-kit-host-"));

beforeAll(() => {
  chmodSync(folder, 0o755);
  const entryPoints = [fileURLToPath(new URL("../../src/process/index.ts", import.meta.url))];
  for (const copy of ["one", "two"]) {
    buildSync({ entryPoints, outfile: join(folder, `${copy}.mjs`), bundle: true, platform: "node", format: "esm" });
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(body: string): ChildProcess {
  const file = join(folder, `host-${Math.random()}.mjs`);
  writeFileSync(file, `import { runProcess, runProcessSync } from "./one.mjs";\n${body}`);
  return spawn(process.execPath, [file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

async function ended(host: ChildProcess): Promise<Ended> {
  const exit = new Promise<Pick<Ended, "code" | "signal">>((resolve) => {
    host.once("close", (code, signal) => resolve({ code, signal }));
  });
  const [stdout, stderr] = [host.stdout, host.stderr].map((stream) => (stream ? text(stream) : Promise.resolve("")));
  return { ...(await exit), stdout: (await stdout) ?? "", stderr: (await stderr) ?? "" };
}

/** Runs a program that prints one result. */
async function printed(body: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await ended(start(`${body}\nconsole.log(JSON.stringify(result));`));
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Starts a program that runs a command, and waits until the command is up. */
async function startCommand(command: string, more = ""): Promise<ChildProcess> {
  const script = JSON.stringify(`echo up; ${command}; true`);
  const host = start(
    `${more}\nawait runProcess("bash", ["-c", ${script}], { onOutput: () => console.log("up"), timeoutMs: 60_000 });`,
  );
  await new Promise((resolve) => host.stdout?.once("data", resolve));
  return host;
}

describe("a program that ends while a command runs", () => {
  it("by process.exit takes the command with it", async () => {
    const marker = uniqueSleep();
    const host = await startCommand(marker.command, "setTimeout(() => process.exit(3), 300);");
    expect(await ended(host)).toMatchObject({ code: 3 });
    await expectNoSurvivor(marker.pattern);
  });

  it("by an uncaught error takes the command with it", async () => {
    const marker = uniqueSleep();
    const host = await startCommand(marker.command, 'setTimeout(() => { throw new Error("boom"); }, 300);');
    expect(await ended(host)).toMatchObject({ code: 1 });
    await expectNoSurvivor(marker.pattern);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "by %s takes the command with it and dies of the signal",
    async (signal) => {
      const marker = uniqueSleep();
      const host = await startCommand(marker.command);
      host.kill(signal);
      expect(await ended(host)).toMatchObject({ code: null, signal });
      await expectNoSurvivor(marker.pattern);
    },
  );

  it("by its own handler of Ctrl-C takes the command with it", async () => {
    const marker = uniqueSleep();
    const host = await startCommand(marker.command, 'process.on("SIGINT", () => process.exit(5));');
    host.kill("SIGINT");
    expect(await ended(host)).toMatchObject({ code: 5 });
    await expectNoSurvivor(marker.pattern);
  });

  it("and holds two copies of the package takes the commands of both with it", async () => {
    const first = uniqueSleep();
    const second = uniqueSleep();
    const more = `import { runProcess as other } from "./two.mjs";\nother("sleep", ["${second.seconds}"]);`;
    const host = await startCommand(first.command, more);
    host.kill("SIGINT");
    expect(await ended(host)).toMatchObject({ signal: "SIGINT" });
    await expectNoSurvivor(first.pattern);
    await expectNoSurvivor(second.pattern);
  });
});

describe("a program that has run a command", () => {
  it("ends by itself at once, whatever the command left behind", async () => {
    const marker = uniqueSleep();
    const script = JSON.stringify(`setsid ${marker.command} & sleep 0.2; echo $!`);
    const body = `const result = await runProcess("bash", ["-c", ${script}]);`;
    const started = performance.now();
    const result = await printed(body);
    process.kill(Number(result["stdout"]), "SIGKILL");
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(result).toMatchObject({ ok: true });
  });
});

describe.each(["await runProcess", "runProcessSync"])("%s", (run) => {
  it("refuses a relative directory when our own is gone", async () => {
    const gone = JSON.stringify(join(folder, `gone-${Math.random()}`));
    const body = `
      import { mkdirSync, rmdirSync } from "node:fs";
      mkdirSync(${gone}); process.chdir(${gone}); rmdirSync(${gone});
      const result = ${run}("true", [], { cwd: "sub" });`;
    expect(await printed(body)).toMatchObject({
      status: "notStarted",
      code: "CWD_NOT_FOUND",
      command: { cwd: "sub" },
    });
  });

  it("still runs a command without one when our own is gone", async () => {
    const gone = JSON.stringify(join(folder, `gone-${Math.random()}`));
    const body = `
      import { mkdirSync, rmdirSync } from "node:fs";
      mkdirSync(${gone}); process.chdir(${gone}); rmdirSync(${gone});
      const result = ${run}("echo", ["hi"]);`;
    expect(await printed(body)).toMatchObject({ status: "completed", stdout: "hi\n", command: { cwd: "." } });
  });

  it("tells a directory that may not be entered from a program that may not be executed", async () => {
    const locked = join(folder, `locked-${Math.random()}`);
    mkdirSync(locked, { mode: 0o700 });
    writeFileSync(join(locked, "prog"), "#!/bin/sh\n", { mode: 0o755 });
    const plain = join(folder, `plain-${Math.random()}`);
    writeFileSync(plain, "#!/bin/sh\n", { mode: 0o644 });
    chmodSync(locked, 0o000);
    const body = `
      if (process.getuid() === 0) process.setuid(65534);
      const cwd = ${run}("true", [], { cwd: ${JSON.stringify(locked)} });
      const below = ${run}("true", [], { cwd: ${JSON.stringify(join(locked, "sub"))} });
      const program = ${run}(${JSON.stringify(plain)});
      const inside = ${run}(${JSON.stringify(join(locked, "prog"))});
      const result = [cwd, below, program, inside].map(({ code, subject, errno }) => [code, subject, errno]);`;
    const results = await printed(body);
    chmodSync(locked, 0o700);
    expect(results).toEqual([
      ["PERMISSION_DENIED", "cwd", "EACCES"],
      ["PERMISSION_DENIED", "cwd", "EACCES"],
      ["PERMISSION_DENIED", "program", "EACCES"],
      ["PERMISSION_DENIED", "program", "EACCES"],
    ]);
  });
});
