import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  describeProcess,
  runProcess,
  runProcessSync,
  type Sandbox,
  type SandboxedCommand,
  type SpawnSpec,
  toToolError,
} from "../../../src/process/index.ts";
import { resolvePlan } from "../../../src/process/options.ts";
import { enterSandbox } from "../../../src/process/sandbox/enter.ts";
import { recordingClock } from "../../../src/testing/index.ts";
import { asIs, wrapWith } from "./fake-sandbox.ts";

let folder = "";
let marker = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "harness-enter-"));
  marker = join(folder, "ran");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const touch = (sandbox: Sandbox, options = {}) => runProcess("touch", [marker], { sandbox, ...options });

const refusals: [string, unknown][] = [
  [
    "throws",
    () => {
      throw new Error("no luck");
    },
  ],
  [
    "throws nothing",
    () => {
      throw undefined;
    },
  ],
  ["rejects", () => Promise.reject(new Error("no luck"))],
  ["answers nothing", () => Promise.resolve()],
  ["answers null", () => null],
  ["answers a text", () => "touch"],
  ["answers no file", (spec: SpawnSpec) => asIs(spec, { file: undefined })],
  ["answers an empty file", (spec: SpawnSpec) => asIs(spec, { file: "" })],
  ["answers no arguments", (spec: SpawnSpec) => asIs(spec, { args: undefined })],
  ["answers arguments that are no texts", (spec: SpawnSpec) => asIs(spec, { args: [1] })],
  ["answers no directory", (spec: SpawnSpec) => asIs(spec, { cwd: undefined })],
  ["answers no environment", (spec: SpawnSpec) => asIs(spec, { env: null })],
];

describe("a command with a sandbox", () => {
  it.each(refusals)("does not run when the sandbox %s", async (_title, wrap) => {
    const results = [
      await touch(wrapWith(wrap)),
      runProcessSync("touch", [marker], { sandbox: wrapWith(wrap, { wrapSync: wrap }) }),
    ];
    for (const result of results) {
      expect(result).toMatchObject({
        status: "notStarted",
        code: "SANDBOX_FAILED",
        subject: "sandbox",
        ok: false,
        retryable: false,
        sandbox: "test",
        stdout: "",
        stderr: "",
      });
      expect(describeProcess(result)).toMatch(/^\[not started: The sandbox test (?:let nothing run: |answered )/);
    }
    expect(existsSync(marker)).toBe(false);
  });

  it("does not run when what is given as one is none", async () => {
    for (const sandbox of [null, false, "bwrap", {}, { name: "x" }, { wrap: true }]) {
      expect(await touch(sandbox as never)).toMatchObject({ status: "notStarted", code: "INVALID_ARGUMENT" });
      expect(runProcessSync("touch", [marker], { sandbox: sandbox as never })).toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    }
    expect(existsSync(marker)).toBe(false);
  });

  it("does not run synchronously when the sandbox cannot", () => {
    const result = runProcessSync("touch", [marker], { sandbox: wrapWith(asIs) });
    expect(result).toMatchObject({ code: "SANDBOX_FAILED" });
    expect(describeProcess(result)).toBe(
      "[not started: The sandbox test has no wrapSync. Use runProcess instead of runProcessSync.]",
    );
    expect(existsSync(marker)).toBe(false);
  });

  it("does not run when the wrapper is missing", async () => {
    const gone = (spec: SpawnSpec) => asIs(spec, { file: join(folder, "gone") });
    for (const result of [
      await touch(wrapWith(gone)),
      runProcessSync("touch", [marker], { sandbox: wrapWith(gone, { wrapSync: gone }) }),
    ]) {
      expect(result).toMatchObject({
        code: "SANDBOX_FAILED",
        cause: { message: `The sandbox test could not start ${folder}/gone (ENOENT).` },
      });
    }
  });

  it("is not blamed on the sandbox when it could not be started anyway", async () => {
    const sandbox = wrapWith(asIs, { wrapSync: asIs });
    const long = ["x".repeat(200_000)];
    expect(await runProcess("echo", long, { sandbox })).toMatchObject({ code: "ARGUMENTS_TOO_LONG" });
    expect(runProcessSync("echo", long, { sandbox })).toMatchObject({ code: "ARGUMENTS_TOO_LONG" });
    expect(await runProcess("echo", ["a\0b"], { sandbox })).toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("becomes a tool error of its own", async () => {
    const result = await touch(wrapWith(() => Promise.reject(new Error("no luck"))));
    expect(result.ok || toToolError(result)).toMatchObject({
      kind: "tool",
      code: "TOOL_SANDBOX_FAILED",
      retryable: false,
      message: "[not started: The sandbox test let nothing run: no luck]",
      detail: { processCode: "SANDBOX_FAILED", subject: "sandbox" },
      cause: { code: "TOOL_SANDBOX_FAILED", cause: { message: "no luck" } },
    });
  });

  it("is told completely", async () => {
    const wrap = vi.fn(asIs);
    await runProcess("echo", ["a"], {
      sandbox: wrapWith(wrap),
      cwd: folder,
      env: { A: "1" },
      inheritEnv: false,
      background: "keep",
    });
    expect(wrap.mock.calls[0]?.[0]).toEqual({
      file: "echo",
      args: ["a"],
      cwd: folder,
      env: { A: "1" },
      background: "keep",
    });
    await runProcess("echo", [], { sandbox: wrapWith(wrap) });
    expect(wrap.mock.calls[1]?.[0]).toMatchObject({
      cwd: process.cwd(),
      env: { PATH: process.env["PATH"] },
      background: "kill",
    });
  });

  it("runs as its wrapper, and is told as itself", async () => {
    const inner = (spec: SpawnSpec) =>
      asIs(spec, {
        file: "sh",
        args: ["-c", 'echo "wrapped $A"; exec "$@"', "sh", spec.file, ...spec.args],
        cwd: "/",
        env: { A: "1", PATH: process.env["PATH"] },
      });
    const sandbox = wrapWith(inner, { wrapSync: inner });
    for (const result of [
      await runProcess("pwd", ["-P"], { sandbox, cwd: folder }),
      runProcessSync("pwd", ["-P"], { sandbox, cwd: folder }),
    ]) {
      expect(result).toMatchObject({
        ok: true,
        stdout: "wrapped 1\n/\n",
        command: { file: "pwd", args: ["-P"], cwd: folder },
        sandbox: "test",
      });
    }
  });

  it("has no sandbox in its result without one", async () => {
    expect((await runProcess("true")).sandbox).toBeUndefined();
  });
});

describe("what a sandbox holds for a command", () => {
  const releasing = (release: () => void, more: object = {}) => {
    const wrap = (spec: SpawnSpec) => asIs(spec, { release, ...more });
    return wrapWith(wrap, { wrapSync: wrap });
  };

  it.each([
    ["has ended", "true", {}],
    ["failed", "false", {}],
    ["could not be started", "gone-for-good", {}],
    ["was stopped", "sleep", { timeoutMs: 50 }],
  ])("is given back once when the command %s", async (_title, file, options) => {
    const release = vi.fn();
    await runProcess(file, ["5"], { sandbox: releasing(release), ...options });
    expect(release).toHaveBeenCalledTimes(1);
    runProcessSync(file, ["5"], { sandbox: releasing(release), ...options });
    expect(release).toHaveBeenCalledTimes(2);
  });

  it("is given back when it was not used", async () => {
    const release = vi.fn();
    await runProcess("true", [], { sandbox: releasing(release, { args: undefined }) });
    expect(release).toHaveBeenCalledTimes(1);
    const controller = new AbortController();
    const wrap = async (spec: SpawnSpec) => {
      controller.abort();
      return asIs(spec, { release });
    };
    expect(await touch(wrapWith(wrap), { signal: controller.signal })).toMatchObject({ code: "ABORTED_BEFORE_START" });
    await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(2));
    expect(existsSync(marker)).toBe(false);
  });

  it("changes nothing when it cannot be given back", async () => {
    const sandbox = releasing(() => {
      throw new Error("stuck");
    });
    expect(await runProcess("true", [], { sandbox })).toMatchObject({ ok: true });
  });
});

describe("a sandbox that takes its time", () => {
  const plan = resolvePlan("true", [], {}, 1);

  it("is waited for 30 seconds, and what it answers later is given back", async () => {
    const clock = recordingClock();
    const release = vi.fn();
    let answer: (command: SandboxedCommand) => void = () => {};
    const sandbox = wrapWith(
      (spec: SpawnSpec) =>
        new Promise((resolve) => {
          answer = () => resolve(asIs(spec, { release }));
        }),
    );
    const entering = enterSandbox(sandbox, plan, undefined, clock);
    const told = expect(entering).rejects.toMatchObject({
      code: "TOOL_SANDBOX_FAILED",
      message: "The sandbox test gave no answer within 30000 ms.",
    });
    await clock.advance(30_000);
    await told;
    answer({} as SandboxedCommand);
    await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(1));
  });

  it("is not waited for after an abort, and may reject then", async () => {
    const clock = recordingClock();
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const sandbox = wrapWith(
      () =>
        new Promise((_resolve, reject) => {
          fail = reject;
        }),
    );
    const entering = enterSandbox(sandbox, plan, controller.signal, clock);
    controller.abort();
    expect(await entering).toBeUndefined();
    fail(new Error("late"));
    expect(clock.pending).toBe(0);
  });

  it("leaves no timer when it answers", async () => {
    const clock = recordingClock();
    const entered = await enterSandbox(wrapWith(asIs, { name: "" }), plan, new AbortController().signal, clock);
    expect(entered).toMatchObject({ name: "without a name", plan: { file: "true", timeoutMs: 30_000 } });
    expect(clock.pending).toBe(0);
  });
});
