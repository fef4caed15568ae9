import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type BashArguments,
  type BashToolOptions,
  bashTool,
  bashToolWith,
} from "../../../src/adapters/tools/bash/index.ts";
import type { ToolContext, ToolResult } from "../../../src/contract/tool.ts";
import { shellAt } from "../../../src/process/index.ts";
import { expectNoSurvivor } from "../../process/case-runner.ts";
import { uniqueSleep } from "../../process/markers.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "harness-kit-bash-")));
mkdirSync(join(root, "sub"));
symlinkSync("/usr", join(root, "way-out"));
symlinkSync(join(root, "sub"), join(root, "way-in"));

afterAll(() => rmSync(root, { recursive: true, force: true }));

function context(more: Partial<ToolContext> = {}): ToolContext {
  const call = { runId: "run", callId: "call", attempt: 1, deadline: Number.POSITIVE_INFINITY, idempotencyKey: "key" };
  return { ...call, signal: new AbortController().signal, report: () => {}, ...more };
}

async function call(args: Partial<BashArguments>, options: BashToolOptions = {}, more: Partial<ToolContext> = {}) {
  const tool = bashTool({ cwd: root, ...options });
  return (await tool.execute(args as BashArguments, context(more))) as ToolResult;
}

const failure = (code: string, error: unknown) => ({ ok: false, kind: "tool", retryable: false, code, error });

describe.each<{ sync?: boolean }>([{}, { sync: true }])("the bash tool with %o", (mode) => {
  const run = (args: Partial<BashArguments>, options: BashToolOptions = {}) => call(args, { ...mode, ...options });

  it("returns what a command prints", async () => {
    expect(await run({ command: "echo hi" })).toEqual({ ok: true, value: "hi\n" });
    expect(await run({ command: "true" })).toEqual({ ok: true, value: "(no output)" });
  });

  it("passes stderr on, also of a command that worked", async () => {
    expect(await run({ command: "echo out; echo warn >&2" })).toEqual({ ok: true, value: "out\n[stderr] warn\n" });
  });

  it.each([
    ["grep nothing-like-this /etc/hostname", "[exit code 1: no lines matched]"],
    ["test 1 = 2", "[exit code 1: the condition is false]"],
    ["echo a | diff - /dev/null", "1d0\n< a\n[exit code 1: the inputs differ]"],
    ["command -v no-such-program-zz", "[exit code 1: not found]"],
  ])("takes the answer of %s as success", async (command, value) => {
    expect(await run({ command })).toEqual({ ok: true, value });
  });

  it("fails with the exit code, the output before it", async () => {
    const result = await run({ command: "echo out; echo bad >&2; exit 3" });
    expect(result).toEqual(failure("TOOL_PROCESS_EXIT", "out\n[stderr] bad\n[exit code 3]"));
    expect(await run({ command: "grep x /no/such/file" })).toMatchObject({ ok: false, code: "TOOL_PROCESS_EXIT" });
  });

  it("keeps the output of a command that timed out", async () => {
    const result = await run({ command: "echo early; exec sleep 5", timeoutMs: 300 });
    const line = "[timed out after 300 ms and was killed; output above is incomplete. ";
    expect(result).toEqual(failure("TOOL_PROCESS_TIMEOUT", expect.stringContaining(`early\n${line}`)));
  });

  it("names the signal that killed a command", async () => {
    const result = await run({ command: "echo before; kill -9 $$" });
    const text = "before\n[killed by SIGKILL, not by the harness; often out of memory]";
    expect(result).toEqual(failure("TOOL_PROCESS_SIGNALED", text));
  });

  it("stops a command that writes without end", async () => {
    const result = await run({ command: "exec yes" }, { maxOutputBytes: 100_000 });
    const line = "[stopped after 100000 bytes of output; filter it with head, tail or grep]";
    expect(result).toEqual(failure("TOOL_PROCESS_OUTPUT_LIMIT", expect.stringMatching(/^y\ny\n/)));
    expect((result as { error: string }).error.endsWith(line)).toBe(true);
  });

  it.each([undefined, "", "  \n", 5])("does not start %j as a command", async (command) => {
    const result = await run({ command: command as string });
    expect(result).toEqual(failure("TOOL_PROCESS_NOT_STARTED", "[not started: the command is empty]"));
  });

  it("says why a command could not start", async () => {
    const nul = await run({ command: "echo a\u0000b" });
    expect(nul).toEqual(failure("TOOL_PROCESS_NOT_STARTED", expect.stringContaining("an argument is not valid")));
    const long = await run({ command: `#${"x".repeat(200_000)}` });
    expect(long).toEqual(failure("TOOL_PROCESS_NOT_STARTED", expect.stringContaining("write it to a file")));
  });

  it("starts in the workspace, or in the directory that is asked for", async () => {
    expect(await run({ command: "pwd" })).toEqual({ ok: true, value: `${root}\n` });
    expect(await run({ command: "pwd", cwd: "sub" })).toEqual({ ok: true, value: `${root}/sub\n` });
    expect(await run({ command: "pwd", cwd: join(root, "sub") })).toEqual({ ok: true, value: `${root}/sub\n` });
    expect(await run({ command: "pwd -P", cwd: "way-in" })).toEqual({ ok: true, value: `${root}/sub\n` });
    expect(await run({ command: "pwd", cwd: "" })).toEqual({ ok: true, value: `${root}\n` });
    expect(await run({ command: "pwd", cwd: "." })).toEqual({ ok: true, value: `${root}\n` });
  });

  it("does not remember a directory", async () => {
    await run({ command: "cd sub" });
    expect(await run({ command: "pwd" })).toEqual({ ok: true, value: `${root}\n` });
  });

  it.each(["/usr", "..", "way-out", "sub/../..", "/"])(
    "does not start outside of the workspace, in %s",
    async (cwd) => {
      const outside = expect.stringMatching(/^\[not started: working directory .* is outside of the workspace /);
      expect(await run({ command: "pwd", cwd })).toEqual(failure("TOOL_PROCESS_NOT_STARTED", outside));
    },
  );

  it("names a directory that is missing, also outside", async () => {
    const missing = (path: string) => `[not started: working directory ${path} does not exist]`;
    const inside = await run({ command: "pwd", cwd: "none" });
    expect(inside).toEqual(failure("TOOL_PROCESS_NOT_STARTED", missing(join(root, "none"))));
    const outside = await run({ command: "pwd", cwd: "/tmp/none-8f3" });
    expect(outside).toEqual(failure("TOOL_PROCESS_NOT_STARTED", missing("/tmp/none-8f3")));
  });

  it("takes a command that begins with a dash as a command", async () => {
    expect(await run({ command: "-x 2>/dev/null || echo no" })).toEqual({ ok: true, value: "no\n" });
  });

  it("hides secrets and injected code from commands, and switches pagers off", async () => {
    process.env["HK_TEST_TOKEN"] = "s3cret";
    process.env["HK_TEST_PLAIN"] = "plain";
    process.env["HK_TEST_LISTED"] = "listed";
    process.env["BASH_ENV"] = "/no/such/file";
    try {
      const command = 'echo "$HK_TEST_TOKEN|$HK_TEST_PLAIN|$HK_TEST_LISTED|$BASH_ENV|$PAGER|$GIT_PAGER|$TERM|$MORE"';
      const options = { dropEnv: ["HK_TEST_LISTED"], env: { MORE: "more", GIT_PAGER: undefined } };
      expect(await run({ command }, options)).toEqual({ ok: true, value: "|plain|||cat||dumb|more\n" });
    } finally {
      for (const name of ["HK_TEST_TOKEN", "HK_TEST_PLAIN", "HK_TEST_LISTED", "BASH_ENV"]) delete process.env[name];
    }
  });

  it("kills what a command leaves in the background, and tells how to keep it", async () => {
    const marker = uniqueSleep();
    const result = await run({ command: `${marker.command} >/dev/null 2>&1 & echo up` });
    expect(result).toEqual({ ok: true, value: expect.stringMatching(/^up\n\[a background process .* was killed;/) });
    await expectNoSurvivor(marker.pattern);
  });

  it("lets the model ask for more or less text, up to a limit", async () => {
    const command = "head -c 90000 /dev/zero | tr '\\0' x";
    const length = async (more: Partial<BashArguments>) => {
      const result = await run({ command, ...more }, { outputChars: 5_000, maxOutputChars: 20_000 });
      return (result as { value: string }).value.length;
    };
    expect(await length({})).toBeLessThanOrEqual(5_000);
    expect(await length({})).toBeGreaterThan(4_500);
    expect(await length({ maxOutputChars: 2_000 })).toBeLessThanOrEqual(2_000);
    expect(await length({ maxOutputChars: 1_000_000 })).toBeLessThanOrEqual(20_000);
    expect(await length({ maxOutputChars: 1_000_000 })).toBeGreaterThan(19_000);
    expect(await length({ maxOutputChars: 1 })).toBeGreaterThan(500);
    expect(await length({ maxOutputChars: Number.NaN })).toBeGreaterThan(4_500);
  });

  it("saves what it leaves out to a file, and names it", async () => {
    const spillDir = join(root, `spill${mode.sync ?? false}`);
    const limits = { outputChars: 2_000, maxOutputChars: 20_000, spillDir };
    const short = await run({ command: "seq 150" }, limits);
    expect(short).toEqual({ ok: true, value: expect.stringMatching(/\n150\n$/) });
    expect(existsSync(spillDir)).toBe(false);
    const long = (await run({ command: "seq 1000" }, limits)) as { value: string };
    const [, file = ""] = /\[stdout had 3,893 bytes; all of it is in (.*)\]$/.exec(long.value) ?? [];
    expect(readFileSync(file, "utf8")).toMatch(/^1\n(?:\d+\n){998}1000\n$/);
    expect(file.startsWith(spillDir)).toBe(true);
  });

  it("lets the model ask for more or less time, up to a limit", async () => {
    const limits = { timeoutMs: 5_000, maxTimeoutMs: 400 };
    // The default counts as the limit when it is the larger of the two.
    expect(await run({ command: "sleep 0.6", timeoutMs: 9_000 }, limits)).toMatchObject({ ok: true });
    const shorter = { timeoutMs: 200, maxTimeoutMs: 400 };
    const result = await run({ command: "exec sleep 5", timeoutMs: 9_000 }, shorter);
    expect(result).toMatchObject({ error: expect.stringContaining("timed out after 400 ms") });
    const byDefault = await run({ command: "exec sleep 5" }, shorter);
    expect(byDefault).toMatchObject({ error: expect.stringContaining("timed out after 200 ms") });
  });

  it("gives the reason of a signal that has fired back", async () => {
    const reason = new Error("stopped");
    await expect(call({ command: "echo hi" }, mode, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("the bash tool", () => {
  it("declares what a runtime needs to know", () => {
    const tool = bashTool({ cwd: root });
    expect(tool).toMatchObject({ name: "bash", access: "exec", timeoutMs: 607_000 });
    expect(tool.idempotent).toBeUndefined();
    expect(tool.parameters).toMatchObject({ type: "object", required: ["command"] });
    expect(Object.keys(tool.parameters["properties"] as object)).toEqual([
      "command",
      "timeoutMs",
      "cwd",
      "maxOutputChars",
    ]);
  });

  it("has a time limit of its own above the longest of a command", () => {
    expect(bashTool({ maxTimeoutMs: 1_000, timeoutMs: 500, graceMs: 10 }).timeoutMs).toBe(1_000 + 10 + 5_000);
    expect(bashTool({ maxTimeoutMs: 1_000, timeoutMs: 3_000, graceMs: 10 }).timeoutMs).toBe(3_000 + 10 + 5_000);
  });

  it("tells the model its shell, its place and its limits", () => {
    const { description } = bashTool({ cwd: root, timeoutMs: 12_345 });
    expect(description).toContain("with bash");
    expect(description).toContain(root);
    expect(description).toContain("12,345 ms");
    expect(description).toContain("are killed when the command ends");
    expect(bashTool({ background: "keep" }).description).toContain("go on running");
    expect(description).not.toContain("saved to a file");
    expect(bashTool({ spillDir: "out" }).description).toContain("left out; the whole is saved to a file");
  });

  it("falls back to sh, and says so", async () => {
    const tool = bashToolWith(shellAt("/bin/sh"), { cwd: root });
    expect(tool.description).toContain("with sh (POSIX only: bash is not installed here)");
    expect(await tool.execute({ command: "echo $0" }, context())).toEqual({ ok: true, value: "/bin/sh\n" });
  });

  it("starts nothing on a machine without a shell", async () => {
    const result = await bashToolWith(undefined, { cwd: root }).execute({ command: "echo hi" }, context());
    expect(result).toEqual(failure("TOOL_PROCESS_NOT_STARTED", expect.stringContaining("no bash and no sh was found")));
  });

  it("takes the shell that it is given", async () => {
    expect(await call({ command: "echo $0" }, { shell: "/bin/sh" })).toEqual({ ok: true, value: "/bin/sh\n" });
    const missing = await call({ command: "echo $0" }, { shell: "/no/such/bash" });
    expect(missing).toEqual(failure("TOOL_PROCESS_NOT_STARTED", "[not started: /no/such/bash does not exist]"));
  });

  it("reports output while it comes", async () => {
    const reported: unknown[] = [];
    await call({ command: "echo one; sleep 0.2; echo two >&2" }, {}, { report: (progress) => reported.push(progress) });
    expect(reported).toEqual([
      { stream: "stdout", text: "one\n" },
      { stream: "stderr", text: "two\n" },
    ]);
  });

  it("kills the command on abort, and gives the reason back", async () => {
    const marker = uniqueSleep();
    const controller = new AbortController();
    const reason = new Error("stopped");
    const command = `echo up; ${marker.command}; true`;
    const running = call({ command }, {}, { signal: controller.signal, report: () => controller.abort(reason) });
    await expect(running).rejects.toBe(reason);
    await expectNoSurvivor(marker.pattern);
  });

  it("can leave background processes alone", async () => {
    const marker = uniqueSleep();
    const command = `${marker.command} >/dev/null 2>&1 & echo $!`;
    const result = await call({ command }, { background: "keep" });
    const [pid] = (result as { value: string }).value.split("\n");
    process.kill(Number(pid), "SIGKILL");
    expect(result).toEqual({ ok: true, value: `${pid}\n[a background process is still running]` });
  });

  it.each([
    [{ timeoutMs: 0 }, "bashTool: timeoutMs must be a whole number from 1 up, got 0."],
    [{ maxTimeoutMs: 1.5 }, "bashTool: maxTimeoutMs must be a whole number from 1 up, got 1.5."],
    [{ outputChars: 999 }, "bashTool: outputChars must be a whole number from 1000 up, got 999."],
    [{ maxOutputChars: Number.NaN }, "bashTool: maxOutputChars must be a whole number from 1000 up, got NaN."],
    [{ maxOutputBytes: 0 }, "bashTool: maxOutputBytes must be a whole number from 1 up, got 0."],
    [{ graceMs: -1 }, "bashTool: graceMs must be a whole number from 0 up, got -1."],
    [{ spillDir: "" }, 'bashTool: spillDir must be the path of a folder, got "".'],
    [{ spillDir: 5 as unknown as string }, "bashTool: spillDir must be the path of a folder, got 5."],
  ])("refuses %o", (options, message) => {
    expect(() => bashTool(options)).toThrow(message);
    expect(() => bashTool(options)).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_CONFIG" }));
  });

  it("takes an explicit undefined as the default", () => {
    const options = {
      cwd: undefined,
      timeoutMs: undefined,
      maxOutputBytes: undefined,
      shell: undefined,
      sync: undefined,
    };
    expect(bashTool(options).timeoutMs).toBe(607_000);
  });
});
