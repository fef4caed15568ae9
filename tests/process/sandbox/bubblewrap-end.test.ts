/**
 * How the end of a sandboxed command is told.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bubblewrapSandbox, describeProcess, runProcess, runProcessSync } from "../../../src/process/index.ts";
import { expectNoSurvivor } from "../case-runner.ts";
import { uniqueSleep } from "../markers.ts";
import { HAS_BUBBLEWRAP, place, WHERE } from "./bubblewrap-here.ts";

describe.runIf(HAS_BUBBLEWRAP)(`the end of a command in bubblewrap${WHERE}`, () => {
  it.each([
    ["exit 0", 0],
    ["exit 1", 1],
    ["exit 2", 2],
    ["exit 126", 126],
    ["exit 137", 137],
    ["exit 143", 143],
    ["exit 255", 255],
    ["no-such-command", 127],
    ["/etc/passwd", 126],
    ["kill -9 $$", 137],
    ["kill $$", 143],
    ["kill -SEGV $$", 139],
    ["sh -c 'kill -9 $$'", 137],
    ["echo 'bwrap: execvp x: No such file or directory' >&2; exit 1", 1],
  ])("is its own exit code: %s", async (script, exitCode) => {
    expect(await place().sh(script)).toMatchObject({ status: "completed", exitCode });
    const { workspace } = place();
    const sandbox = bubblewrapSandbox({ workspace });
    expect(runProcessSync("bash", ["-c", script], { cwd: workspace, sandbox })).toMatchObject({
      status: "completed",
      exitCode,
    });
  });

  it("is no end where it never began", async () => {
    const { workspace, base } = place();
    const sandbox = bubblewrapSandbox({ workspace });
    writeFileSync(join(workspace, "noexec"), "#!/bin/sh\n");
    writeFileSync(join(workspace, "bad"), "#!/no/such/interpreter\n", { mode: 0o755 });
    writeFileSync(join(base, "outside"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
    const run = (file: string, options = {}) => runProcess(file, [], { cwd: workspace, sandbox, ...options });
    const never = (code: string, subject: string) => ({
      status: "notStarted",
      code,
      subject,
      pid: undefined,
      stdout: "",
      stderr: "",
      sandbox: "bubblewrap",
    });
    expect(await run("no-such-command")).toMatchObject(never("COMMAND_NOT_FOUND", "program"));
    expect(await run(join(base, "outside"))).toMatchObject(never("COMMAND_NOT_FOUND", "program"));
    expect(await run("./bad")).toMatchObject(never("COMMAND_NOT_FOUND", "program"));
    expect(await run("./noexec")).toMatchObject(never("PERMISSION_DENIED", "program"));
    expect(await run("true", { cwd: join(workspace, "none") })).toMatchObject(never("CWD_NOT_FOUND", "cwd"));
    expect(await run("true", { cwd: `${base}-none` })).toMatchObject(never("CWD_NOT_FOUND", "cwd"));
    expect(await run("true", { cwd: join(workspace, "noexec") })).toMatchObject(never("CWD_NOT_DIRECTORY", "cwd"));
    expect(await run("true")).toMatchObject({ ok: true });
    expect(await runProcess("echo", ["x".repeat(200_000)], { cwd: workspace, sandbox })).toMatchObject(
      never("ARGUMENTS_TOO_LONG", "arguments"),
    );
    expect(await runProcess("echo", ["a\0b"], { cwd: workspace, sandbox })).toMatchObject(
      never("INVALID_ARGUMENT", "arguments"),
    );
    expect(describeProcess(await run("no-such-command"))).toBe(
      "[not started: no-such-command was not found on PATH inside the sandbox]",
    );
    expect(readdirSync(workspace).sort()).toEqual(["bad", "noexec"]);
  });

  it("comes with all that was written, from whichever process", async () => {
    const { sh } = place();
    expect(await sh("echo out; echo err >&2; cat", { input: "in" })).toMatchObject({
      stdout: "out\nin",
      stderr: "err\n",
    });
    expect((await sh("echo late > >(sleep 0.03; cat)")).stdout).toBe("late\n");
    expect((await sh("seq 100000 | tail -1")).stdout).toBe("100000\n");
  });

  it("at a time limit gives it time to clean up, and no process is left", async () => {
    const nap = uniqueSleep();
    const { sh } = place();
    expect(await sh(`trap "echo cleaned; exit 7" TERM; ${nap.command} & wait`, { timeoutMs: 500 })).toMatchObject({
      code: "PROCESS_TIMEOUT",
      exitCode: 7,
      stdout: "cleaned\n",
      escalated: false,
    });
    expect(await sh(`echo x; ${nap.command}`, { timeoutMs: 500 })).toMatchObject({
      code: "PROCESS_TIMEOUT",
      exitCode: null,
      signal: "SIGTERM",
      stdout: "x\n",
    });
    expect(
      await sh(`trap "" TERM; (setsid ${nap.command} &) ; ${nap.command}`, { timeoutMs: 500, graceMs: 200 }),
    ).toMatchObject({
      signal: "SIGKILL",
      escalated: true,
    });
    await expectNoSurvivor(nap.pattern);
  });

  it("at an abort and at an output limit is told as such", async () => {
    const { sh } = place();
    const controller = new AbortController();
    const result = await sh("echo started; sleep 100", {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ code: "PROCESS_ABORTED", stdout: "started\n" });
    expect(await sh("yes", { maxOutputBytes: 10_000 })).toMatchObject({ code: "PROCESS_OUTPUT_LIMIT" });
    expect(await sh("echo x", { signal: AbortSignal.abort() })).toMatchObject({ code: "ABORTED_BEFORE_START" });
  });

  it.each([0, 1, 3, 10, 20, 40])("leaves nothing, however early it is stopped: after %d ms", async (timeoutMs) => {
    const nap = uniqueSleep();
    const { sh, workspace } = place();
    await sh("true");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), timeoutMs);
    expect(["PROCESS_ABORTED", "ABORTED_BEFORE_START"]).toContain(
      (await sh(nap.command, { signal: controller.signal, graceMs: 0 })).code,
    );
    await expectNoSurvivor(nap.pattern);
    expect(readdirSync(workspace)).toEqual([]);
  });

  it("ends whatever it left in the background, also out of its group", async () => {
    const nap = uniqueSleep();
    const { sh } = place();
    expect(await sh("true")).toMatchObject({ background: "none" });
    for (const left of [
      `${nap.command} &`,
      `${nap.command} >/dev/null 2>&1 &`,
      `setsid ${nap.command} >/dev/null 2>&1 &`,
    ]) {
      const result = await sh(`${left} echo done`);
      expect(result).toMatchObject({ ok: true, background: "killed", stdout: "done\n" });
      expect(describeProcess(result)).toBe(
        "done\n[a background process was still running and was killed with the command]",
      );
    }
    await expectNoSurvivor(nap.pattern);
  });

  it("without blocking anything but the caller is the same for runProcessSync", () => {
    const { workspace } = place();
    const sandbox = bubblewrapSandbox({ workspace });
    const sh = (script: string, options = {}) =>
      runProcessSync("bash", ["-c", script], { cwd: workspace, sandbox, ...options });
    expect(sh("echo hi; echo x >/etc/x; echo y >y")).toMatchObject({
      stdout: "hi\n",
      sandbox: "bubblewrap",
      exitCode: 0,
    });
    expect(sh("sleep 10", { timeoutMs: 300 })).toMatchObject({ code: "PROCESS_TIMEOUT", signal: "SIGKILL" });
    expect(sh("sleep 10 & echo hi", { timeoutMs: 300 })).toMatchObject({
      ok: true,
      background: "killed",
      stdout: "hi\n",
    });
    expect(sh("true", { cwd: "/none" })).toMatchObject({ code: "CWD_NOT_FOUND" });
    expect(runProcessSync("none", [], { cwd: workspace, sandbox })).toMatchObject({ code: "COMMAND_NOT_FOUND" });
    expect(readdirSync(workspace)).toEqual(["y"]);
  });

  it("must not be outlived", async () => {
    expect(await place().sh("true", { background: "keep" })).toMatchObject({ code: "SANDBOX_FAILED" });
  });
});
