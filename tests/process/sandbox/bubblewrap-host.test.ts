/**
 * What happens in programs that use a real sandbox: each is a Node process of its own here.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { expectNoSurvivor } from "../case-runner.ts";
import { uniqueSleep } from "../markers.ts";
import { HAS_BUBBLEWRAP, place, WHERE } from "./bubblewrap-here.ts";

describe.runIf(HAS_BUBBLEWRAP)(`a program that uses bubblewrap${WHERE}`, () => {
  let bundle = "";
  beforeAll(() => {
    bundle = fileURLToPath(new URL("../../../node_modules/.cache/harness-kit-sandbox.mjs", import.meta.url));
    const entryPoints = [fileURLToPath(new URL("../../../src/process/index.ts", import.meta.url))];
    buildSync({ entryPoints, outfile: bundle, bundle: true, platform: "node", format: "esm" });
  });

  function start(workspace: string, script: string) {
    const body = `
      import { bubblewrapSandbox, runProcess } from ${JSON.stringify(bundle)};
      const sandbox = bubblewrapSandbox({ workspace: ${JSON.stringify(workspace)} });
      // Later, so that the report of bubblewrap, which came before, has been read whatever the order of events.
      const onOutput = ({ stream, text }) => stream === "stdout" && setImmediate(() => process.stdout.write(text));
      const result = await runProcess("bash", ["-c", ${JSON.stringify(script)}], { cwd: ${JSON.stringify(workspace)}, sandbox, timeoutMs: 0, onOutput });
      process.exitCode = result.exitCode ?? 1;`;
    return spawn(process.execPath, ["--input-type=module", "-e", body], { stdio: ["ignore", "pipe", "inherit"] });
  }

  const until = async (condition: () => boolean) => {
    for (let i = 0; i < 500 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(condition()).toBe(true);
  };

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "takes its commands along when it ends by %s, and the next one cleans up",
    async (signal) => {
      const nap = uniqueSleep();
      const { workspace, sh } = place();
      const host = start(workspace, `touch started; echo up; ${nap.command}`);
      // Not earlier: a command that bubblewrap has not reported yet is one that nobody knows of.
      await new Promise((resolve) => host.stdout.once("data", resolve));
      host.kill(signal);
      await until(() => host.exitCode !== null || host.signalCode !== null);
      await expectNoSurvivor(nap.pattern);
      expect(readdirSync(workspace)).toContain(".git");
      await sh("true");
      expect(readdirSync(workspace)).toEqual(["started"]);
    },
  );

  it("protects what another one needs", async () => {
    const { workspace, sh } = place();
    const host = start(
      workspace,
      "touch started; until [ -e go ]; do sleep 0.02; done; mkdir .git/hooks && echo made; ls -A .git",
    );
    let output = "";
    host.stdout.on("data", (chunk: Buffer) => {
      output += String(chunk);
    });
    await until(() => existsSync(join(workspace, "started")));
    await Promise.all([sh("true"), sh("true"), sh("true")]);
    expect(readdirSync(workspace)).toContain(".git");
    writeFileSync(join(workspace, "go"), "");
    await until(() => host.exitCode !== null);
    expect(output.trim()).toBe("");
    expect(readdirSync(workspace).sort()).toEqual(["go", "started"]);
  });
});
