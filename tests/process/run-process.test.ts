import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import {
  isExitFailure,
  isSpawnFailure,
  type OutputChunk,
  type ProcessOptions,
  type ProcessResult,
  runProcess,
  runProcessSync,
} from "../../src/process/index.ts";
import { expectNoSurvivor, livePids } from "./case-runner.ts";
import { uniqueSleep } from "./markers.ts";

const folder = mkdtempSync(join(tmpdir(), "harness-kit-run-"));
chmodSync(folder, 0o755);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bash = (script: string, options = {}) => runProcess("bash", ["-c", script], options);

/** Both functions give the same answer here. */
const both: [string, (file: string, args?: readonly string[], options?: ProcessOptions) => Promise<ProcessResult>][] = [
  ["runProcess", runProcess],
  ["runProcessSync", async (...call) => runProcessSync(...call)],
];

describe.each(both)("%s", (_, run) => {
  it("says what was run, and where", async () => {
    const result = await run("pwd", ["-P"], { cwd: "/" });
    expect(result).toMatchObject({ command: { file: "pwd", args: ["-P"], cwd: "/" }, stdout: "/\n" });
    expect((await run("true")).command).toEqual({ file: "true", args: [], cwd: process.cwd() });
  });

  it("takes a relative directory from where we are", async () => {
    const result = await run("pwd", [], { cwd: "src" });
    expect(result).toMatchObject({ command: { cwd: join(process.cwd(), "src") }, stdout: `${process.cwd()}/src\n` });
  });

  it("gives a pid and a duration", async () => {
    const result = await run("bash", ["-c", "sleep 0.2; echo $$"]);
    expect(result.pid).toBe(Number(result.stdout));
    expect(result.durationMs).toBeGreaterThanOrEqual(190);
  });

  it("knows a missing interpreter on PATH from a missing program", async () => {
    mkdirSync(join(folder, "tools"), { recursive: true });
    writeFileSync(join(folder, "tools", "broken"), "#!/no/such/interpreter\n", { mode: 0o755 });
    const env = { PATH: `/nowhere:${join(folder, "tools")}` };
    expect(await run("broken", [], { env })).toMatchObject({ code: "INTERPRETER_NOT_FOUND", errno: "ENOENT" });
    expect(await run("missing", [], { env })).toMatchObject({ code: "COMMAND_NOT_FOUND", subject: "program" });
    expect(await run("./broken", [], { cwd: join(folder, "tools") })).toMatchObject({ code: "INTERPRETER_NOT_FOUND" });
    expect(await run("./missing", [], { cwd: join(folder, "tools") })).toMatchObject({ code: "COMMAND_NOT_FOUND" });
    const here = { cwd: join(folder, "tools"), env: { PATH: "/nowhere:" } };
    expect(await run("broken", [], here)).toMatchObject({ code: "INTERPRETER_NOT_FOUND" });
  });

  it("looks in the usual places without a PATH", async () => {
    expect(await run("missing", [], { inheritEnv: false, env: {} })).toMatchObject({ code: "COMMAND_NOT_FOUND" });
  });

  it("does not blame the program for a directory below a file", async () => {
    writeFileSync(join(folder, "plain"), "");
    const result = await run("true", [], { cwd: join(folder, "plain", "x") });
    expect(result).toMatchObject({ code: "CWD_NOT_FOUND", subject: "cwd" });
  });

  it("gives an environment that is ours with changes", async () => {
    const script = `echo "$A|$B|\${HOME-none}|\${PATH:+path}"`;
    const result = await run("bash", ["-c", script], { env: { A: "1", B: "", HOME: undefined } });
    expect(result.stdout).toBe("1||none|path\n");
  });

  it("gives an empty environment on demand", async () => {
    expect((await run("/usr/bin/env", [], { inheritEnv: false })).stdout).toBe("");
  });

  it.each([
    ["a program that is no string", [5 as unknown as string]],
    ["no program", [undefined as unknown as string]],
    ["an empty program", [""]],
    ["arguments that are no array", ["true", "x" as unknown as string[]]],
    ["an argument that is no string", ["true", [undefined as unknown as string]]],
    ["NUL in the directory", ["true", [], { cwd: "/\u0000" }]],
    ["a directory that is no string", ["true", [], { cwd: 5 as unknown as string }]],
    ["a value that is no string", ["true", [], { env: { A: null as unknown as string } }]],
    ["input that is no text", ["true", [], { input: 5 as unknown as string }]],
    ["an unknown way with the background", ["true", [], { background: "x" as "keep" }]],
    ["a negative timeout", ["true", [], { timeoutMs: -1 }]],
    ["a fraction as timeout", ["true", [], { timeoutMs: 1.5 }]],
    ["NaN as timeout", ["true", [], { timeoutMs: Number.NaN }]],
    ["no limit as timeout", ["true", [], { timeoutMs: Number.POSITIVE_INFINITY }]],
    ["words as timeout", ["true", [], { timeoutMs: "5" as unknown as number }]],
    ["a negative grace period", ["true", [], { graceMs: -1 }]],
    ["a negative drain", ["true", [], { drainMs: -1 }]],
    ["a negative limit", ["true", [], { maxOutputBytes: -1 }]],
    ["options that are null", ["true", [], null as unknown as object]],
  ] as [string, Parameters<typeof run>][])("makes a result of %s", async (_name, call) => {
    const result = await run(...call);
    expect(result).toMatchObject({ status: "notStarted", code: "INVALID_ARGUMENT", subject: "arguments", ok: false });
    expect(result.cause).toBeInstanceOf(Error);
    expect([result.stdout, result.stderr, result.pid]).toEqual(["", "", undefined]);
  });

  it("names the wrong argument", async () => {
    const message = async (...call: Parameters<typeof run>) => (await run(...call)).cause?.message;
    expect(await message("true", ["a", 5 as unknown as string])).toBe("args[1] must be a string, got 5.");
    expect(await message("true", [], { timeoutMs: -1 })).toBe("timeoutMs must be a whole number from 0 up, got -1.");
    expect(await message(5 as unknown as string)).toBe("file must be a string, got 5.");
    expect((await run("true", [], { graceMs: -1 })).errno).toBe("ERR_OUT_OF_RANGE");
    expect((await run("true", [], { cwd: 5 as unknown as string })).errno).toBe("ERR_INVALID_ARG_TYPE");
  });

  it("says of a call without sense what was asked for", async () => {
    const { command } = await run(5 as unknown as string, ["a", null as unknown as string]);
    expect(command).toEqual({ file: "5", args: ["a", "null"], cwd: process.cwd() });
    expect((await run("true", "x" as unknown as string[])).command.args).toEqual([]);
  });

  it("has no timeout and no output limit at 0", async () => {
    expect(await run("sleep", ["0.3"], { timeoutMs: 0 })).toMatchObject({ ok: true });
    expect(await run("echo", ["hi"], { maxOutputBytes: 0 })).toMatchObject({ ok: true, stdout: "hi\n" });
  });

  it("gives input, as text or bytes, and closes stdin after it", async () => {
    expect((await run("cat", [], { input: "héllo" })).stdout).toBe("héllo");
    expect((await run("cat", [], { input: new Uint8Array([104, 105]) })).stdout).toBe("hi");
    expect(await run("cat", [], { input: "" })).toMatchObject({ stdout: "", ok: true, stdinClosedEarly: false });
    const large = "x".repeat(3_000_000);
    expect(await run("wc", ["-c"], { input: large })).toMatchObject({ stdout: "3000000\n", stdinClosedEarly: false });
  });

  it("kills what a finished command leaves running, and says so", async () => {
    const marker = uniqueSleep();
    const result = await run("bash", ["-c", `${marker.command} >/dev/null 2>&1 & echo up`]);
    expect(result).toMatchObject({ ok: true, stdout: "up\n", background: "killed" });
    await expectNoSurvivor(marker.pattern);
  });

  it("leaves it running on demand", async () => {
    const marker = uniqueSleep();
    const result = await run("bash", ["-c", `${marker.command} >/dev/null 2>&1 & echo up`], { background: "keep" });
    // The shell may be over before its child has become the program that is looked for.
    const alive = await vi.waitFor(() => {
      const pids = livePids(marker.pattern);
      expect(pids).toHaveLength(1);
      return pids;
    }, 5000);
    for (const pid of alive) process.kill(pid, "SIGKILL");
    expect(result).toMatchObject({ ok: true, background: "left" });
  });

  it("does not take zombies for running processes", async () => {
    const result = await run("bash", ["-c", "(sleep 0.01 &); sleep 0.3"]);
    expect(result).toMatchObject({ ok: true, background: "none" });
  });

  it("lets a helper of the shell finish its work", async () => {
    const file = join(folder, `late-${Math.random()}`);
    const result = await run("bash", ["-c", `echo hi > >(sleep 0.02; cat > ${file})`]);
    expect(result).toMatchObject({ ok: true });
    const found = await run("cat", [file]);
    // `runProcessSync` cannot wait, but the helper holds stdout, and so it waited all the same.
    expect(found.stdout).toBe("hi\n");
  });

  it("kills the whole group after a timeout", async () => {
    const marker = uniqueSleep();
    const result = await run("bash", ["-c", `echo part; ${marker.command} & wait`], { timeoutMs: 300 });
    expect(result).toMatchObject({ status: "terminated", reason: "timeout", stdout: "part\n", limit: 300, ok: false });
    expect(result.code).toBe("PROCESS_TIMEOUT");
    await expectNoSurvivor(marker.pattern);
  });

  it("kills the whole group after too much output", async () => {
    const marker = uniqueSleep();
    const result = await run("bash", ["-c", `${marker.command} & exec yes`], { maxOutputBytes: 5_000 });
    expect(result).toMatchObject({ reason: "outputLimit", code: "PROCESS_OUTPUT_LIMIT", limit: 5_000 });
    await expectNoSurvivor(marker.pattern);
  });

  it("takes exactly as much output as is allowed", async () => {
    const allowed = await run("printf", ["0123456789"], { maxOutputBytes: 10 });
    expect(allowed).toMatchObject({ ok: true, stdout: "0123456789" });
    const script = "printf 0123456789A; sleep 5";
    expect(await run("bash", ["-c", script], { maxOutputBytes: 10 })).toMatchObject({ reason: "outputLimit" });
  });

  it("keeps both ends of a large output in bounded memory", async () => {
    const script = "echo START; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo END";
    const result = await run("bash", ["-c", script]);
    expect(result.ok).toBe(true);
    expect(result.stdout.startsWith("START\n")).toBe(true);
    expect(result.stdout.endsWith("\nEND\n")).toBe(true);
    expect(result.stdout.length).toBeLessThan(262_144 + 100);
    expect(result.capture.stdout.bytes).toBe(3_000_011);
    expect(result.capture.stderr).toEqual({ bytes: 0, omittedBytes: 0, binary: false });
  });

  it("decodes bytes as they are, and says that they are no text", async () => {
    expect((await run("printf", ["a\\000b"])).stdout).toBe("a\u0000b");
    expect((await run("printf", ["\\357\\273\\277bom"])).stdout).toBe("\uFEFFbom");
    expect((await run("head", ["-c", "4096", "/dev/urandom"])).capture.stdout.binary).toBe(true);
  });

  it("tells a busy program file as a lack of the system", async () => {
    // A program that is open for writing cannot be started (ETXTBSY).
    const file = join(folder, `busy-${Math.random()}`);
    copyFileSync("/bin/true", file);
    chmodSync(file, 0o755);
    const writer = spawn("bash", ["-c", `exec 3>>${file}; echo open; read`], { stdio: ["pipe", "pipe", "ignore"] });
    await new Promise((resolve) => writer.stdout.once("data", resolve));
    const result = await run(file);
    writer.stdin.end();
    expect(result).toMatchObject({ code: "RESOURCE_LIMIT", retryable: true, errno: "ETXTBSY", subject: "system" });
  });

  it("guards tell the families apart", async () => {
    const fine = await run("true");
    const failed = await run("false");
    const missing = await run("no-such-program-zz");
    const killed = await run("bash", ["-c", "kill -9 $$"]);
    expect([fine, failed, missing, killed].map(isSpawnFailure)).toEqual([false, false, true, true]);
    expect([fine, failed, missing, killed].map(isExitFailure)).toEqual([false, true, false, false]);
  });
});

describe("the output limit", () => {
  const script = "printf 0123456789; printf 0123456789 >&2; sleep 5";

  it("of runProcess counts each stream for itself", async () => {
    expect(await bash(script.replace("; sleep 5", ""), { maxOutputBytes: 10 })).toMatchObject({ ok: true });
  });

  it("of runProcessSync counts both together, as spawnSync does", () => {
    expect(runProcessSync("bash", ["-c", script], { maxOutputBytes: 19 })).toMatchObject({ reason: "outputLimit" });
    const both = runProcessSync("bash", ["-c", script.replace("sleep 5", "true")], { maxOutputBytes: 20 });
    expect(both).toMatchObject({ ok: true, stdout: "0123456789", stderr: "0123456789" });
  });
});

describe("runProcess", () => {
  it("tells output while it comes, never splitting a character", async () => {
    const chunks: OutputChunk[] = [];
    const script = 'printf "a\\xe4\\xbd"; sleep 0.2; printf "\\xa0b"; echo e >&2; sleep 0.2; printf "\\xe4"';
    await bash(script, { onOutput: (chunk: OutputChunk) => chunks.push(chunk) });
    const text = (stream: string) => chunks.filter((chunk) => chunk.stream === stream).map((chunk) => chunk.text);
    expect(text("stdout")).toEqual(["a", "你b", "\uFFFD"]);
    expect(text("stderr")).toEqual(["e\n"]);
  });

  it("is not changed by a listener that throws or rejects", async () => {
    const thrown = await bash("echo hi", {
      onOutput: () => {
        throw new Error("listener");
      },
    });
    const rejected = await bash("echo hi", { onOutput: () => Promise.reject(new Error("listener")) });
    await sleep(10);
    expect([thrown.stdout, rejected.stdout]).toEqual(["hi\n", "hi\n"]);
  });

  it("refuses a signal and a listener that are none", async () => {
    expect((await bash("true", { signal: {} })).cause?.message).toBe("signal must be an AbortSignal, got {}.");
    expect((await bash("true", { onOutput: "x" })).cause?.message).toBe('onOutput must be a function, got "x".');
  });

  it("takes the signal of another realm, as a test environment has it", async () => {
    const { signal } = new AbortController();
    const foreign = {
      get aborted() {
        return signal.aborted;
      },
      addEventListener: signal.addEventListener.bind(signal),
      removeEventListener: signal.removeEventListener.bind(signal),
    };
    expect((await bash("echo hi", { signal: foreign })).stdout).toBe("hi\n");
  });

  it("starts nothing after an abort", async () => {
    const file = join(folder, "never");
    const result = await bash(`touch ${file}`, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: "notStarted", code: "ABORTED_BEFORE_START", errno: undefined });
    expect((await runProcess("test", ["-e", file])).ok).toBe(false);
  });

  it("kills the whole group on abort, and leaves no listener on the signal", async () => {
    const marker = uniqueSleep();
    const controller = new AbortController();
    const started = bash(`echo part; ${marker.command} & wait`, {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(await started).toMatchObject({
      reason: "aborted",
      code: "PROCESS_ABORTED",
      stdout: "part\n",
      escalated: false,
    });
    await expectNoSurvivor(marker.pattern);
  });

  it("keeps the first of several causes", async () => {
    const controller = new AbortController();
    const script = `trap 'sleep 0.5; exit 4' TERM; echo up; while :; do sleep 0.05; done`;
    const result = await bash(script, {
      timeoutMs: 5_000,
      signal: controller.signal,
      maxOutputBytes: 2,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ reason: "aborted", exitCode: 4, signal: null, escalated: false });
  });

  it("waits for the grace period of a command that cleans up", async () => {
    const script = `trap 'sleep 0.4; echo clean; exit 0' TERM; echo up; while :; do sleep 0.05; done`;
    const result = await bash(script, { timeoutMs: 300 });
    expect(result).toMatchObject({ reason: "timeout", stdout: "up\nclean\n", exitCode: 0, escalated: false });
  });

  it("kills a command that takes longer than its grace period", async () => {
    const script = `trap 'echo no' TERM; echo up; while :; do sleep 0.05; done`;
    const result = await bash(script, { timeoutMs: 300, graceMs: 300 });
    expect(result).toMatchObject({ reason: "timeout", signal: "SIGKILL", exitCode: null, escalated: true });
    expect(result.stdout).toBe("up\nno\n");
    expect(result.durationMs).toBeGreaterThanOrEqual(590);
  });

  it("gives no grace to a group that ignores SIGTERM: nobody would use it", async () => {
    const script = `trap '' TERM; echo up; while :; do sleep 0.05; done`;
    const result = await bash(script, { timeoutMs: 300, graceMs: 15_000 });
    expect(result).toMatchObject({ reason: "timeout", signal: "SIGKILL", escalated: true, stdout: "up\n" });
    expect(result.durationMs).toBeLessThan(10_000);
  });

  it("kills at once without a grace period", async () => {
    const script = `trap 'echo no; exit 0' TERM; echo up; while :; do sleep 0.05; done`;
    const result = await bash(script, { timeoutMs: 300, graceMs: 0 });
    expect(result).toMatchObject({ reason: "timeout", signal: "SIGKILL", stdout: "up\n", escalated: false });
  });

  it("kills children that outlive their parent's SIGTERM", async () => {
    const marker = uniqueSleep();
    const script = `(trap '' TERM; exec ${marker.command}) & sleep 0.1; echo up; wait`;
    const result = await bash(script, { timeoutMs: 500 });
    expect(result).toMatchObject({ reason: "timeout", signal: "SIGTERM", stdout: "up\n" });
    await expectNoSurvivor(marker.pattern);
  });

  it("does not wait for a pipe that somebody in the background holds", async () => {
    const marker = uniqueSleep();
    const result = await bash(`(${marker.command} &); echo up`);
    expect(result).toMatchObject({ ok: true, stdout: "up\n", background: "killed" });
    expect(result.durationMs).toBeLessThan(5_000);
    await expectNoSurvivor(marker.pattern);
  });

  it("goes on reading while output comes, up to an end", async () => {
    const script = "(for i in 1 2 3 4; do sleep 0.15; echo $i; done &); echo 0";
    expect((await bash(script)).stdout).toBe("0\n1\n2\n3\n4\n");
    const endless = await bash("(while sleep 0.05; do echo x; done &); echo 0", { timeoutMs: 20_000 });
    expect(endless).toMatchObject({ ok: true, background: "killed" });
    expect(endless.durationMs).toBeLessThan(15_000);
    expect(endless.stdout.length).toBeGreaterThan(20);
  });

  it("waits as long for silence as it is told", async () => {
    const script = "(sleep 0.6; echo late) & echo up";
    expect((await bash(script, { drainMs: 3_000 })).stdout).toBe("up\nlate\n");
    expect((await bash(script, { drainMs: 0 })).stdout).toBe("up\n");
  });

  it("stops waiting for a held pipe on abort, and the command stays completed", async () => {
    const marker = uniqueSleep();
    const controller = new AbortController();
    const started = bash(`(${marker.command} &); echo up`, { drainMs: 15_000, signal: controller.signal });
    await sleep(500);
    controller.abort();
    expect(await started).toMatchObject({ status: "completed", ok: true, stdout: "up\n", background: "killed" });
    await expectNoSurvivor(marker.pattern);
  });

  it("does not hang on a process that left its group, and lets it live", async () => {
    const marker = uniqueSleep();
    const result = await bash(`setsid ${marker.command} & echo up; sleep 0.2`);
    const alive = livePids(marker.pattern);
    for (const pid of alive) process.kill(pid, "SIGKILL");
    expect(result).toMatchObject({ ok: true, stdout: "up\n", background: "none" });
    expect(result.durationMs).toBeLessThan(5_000);
    expect(alive).toHaveLength(1);
  });

  it("sees an exit that waited behind its own timer while the loop was blocked", async () => {
    const started = bash("echo done", { timeoutMs: 700 });
    await sleep(20);
    const until = performance.now() + 1_000;
    while (performance.now() < until);
    expect(await started).toMatchObject({ status: "completed", stdout: "done\n" });
  });

  it("reads output that waited behind the drain timer while the loop was blocked", async () => {
    const marker = uniqueSleep();
    const started = bash(`(sleep 0.3; echo late; ${marker.command}) & echo up`, { drainMs: 400 });
    await sleep(200);
    const until = performance.now() + 800;
    while (performance.now() < until);
    expect((await started).stdout).toBe("up\nlate\n");
  });

  it("notes that input was not read, as no failure", async () => {
    const unread = await runProcess("true", [], { input: "x".repeat(5_000_000) });
    expect(unread).toMatchObject({ ok: true, stdinClosedEarly: true, errno: "EPIPE" });
    expect(await runProcess("true", [])).toMatchObject({ ok: true, stdinClosedEarly: false, errno: undefined });
  });

  it("does not wait for input that a background process will never read", async () => {
    const marker = uniqueSleep();
    const result = await bash(`exec 3<&0; (${marker.command} <&3 &); echo up`, { input: "x".repeat(5_000_000) });
    expect(result).toMatchObject({ ok: true, stdout: "up\n", stdinClosedEarly: true });
    expect(result.durationMs).toBeLessThan(5_000);
    await expectNoSurvivor(marker.pattern);
  });

  it("runs many commands at once without mixing them up", async () => {
    const results = await Promise.all(Array.from({ length: 40 }, (_, i) => bash(`echo ${i}`)));
    expect(results.map((result) => result.stdout)).toEqual(Array.from({ length: 40 }, (_, i) => `${i}\n`));
  });

  it("leaves no listener on this process", async () => {
    const counts = () => ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
    await sleep(300);
    const before = counts();
    const running = bash("sleep 0.1");
    expect(counts()).toEqual(before.map((count) => count + 1));
    await running;
    await sleep(300);
    expect(counts()).toEqual(before);
  });
});
