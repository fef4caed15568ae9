import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ProcessOptions, resolvePlan } from "../../src/process/options.ts";

const planFor = (options: ProcessOptions = {}, args: readonly string[] = ["a"]) =>
  resolvePlan("prog", args, options, 1_000);

/** What is thrown, with Node's code. */
function refusal(call: () => unknown) {
  try {
    call();
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    return `${name} ${code}: ${message}`;
  }
  return "none";
}

const wrongType = (what: string) => `TypeError ERR_INVALID_ARG_TYPE: ${what}.`;
const outOfRange = (what: string) => `RangeError ERR_OUT_OF_RANGE: ${what}.`;

describe("a plan", () => {
  it("has a value for everything", () => {
    expect(planFor()).toEqual({
      file: "prog",
      args: ["a"],
      cwd: undefined,
      env: undefined,
      input: undefined,
      timeoutMs: 30_000,
      graceMs: 2_000,
      drainMs: 250,
      maxOutputBytes: 1_000,
      background: "kill",
      spill: undefined,
      sandbox: undefined,
    });
  });

  it("takes what it is given, 0 too", () => {
    const limits = { timeoutMs: 0, graceMs: 0, drainMs: 0, maxOutputBytes: 0 };
    expect(planFor(limits)).toMatchObject(limits);
    const others = { timeoutMs: 1, graceMs: 2, drainMs: 3, maxOutputBytes: 4, background: "keep", input: "x" } as const;
    expect(planFor(others)).toMatchObject(others);
    const bytes = new Uint8Array([1]);
    expect(planFor({ input: bytes }).input).toBe(bytes);
  });

  it("takes undefined for the default", () => {
    const undefinedOptions = { timeoutMs: undefined, background: undefined, inheritEnv: undefined, env: undefined };
    expect(planFor({ ...undefinedOptions, spillDir: undefined, spillBytes: undefined })).toEqual(planFor());
  });

  it("has an absolute directory, and leaves an absolute one as it is", () => {
    expect(planFor({ cwd: "sub" }).cwd).toBe(join(process.cwd(), "sub"));
    expect(planFor({ cwd: "/a/link/.." }).cwd).toBe("/a/link/..");
  });

  it("has an environment of its own only when it is changed", () => {
    expect(planFor({ env: {} }).env).toEqual({ ...process.env });
    expect(planFor({ env: { A: "1" }, inheritEnv: false }).env).toEqual({ A: "1" });
    expect(planFor({ inheritEnv: false }).env).toEqual({});
  });

  it("says where long outputs go, and what is long: at most what a result keeps", () => {
    const kept = 262_144;
    expect(planFor({ spillDir: "out" }).spill).toEqual({ dir: join(process.cwd(), "out"), fromBytes: kept });
    expect(planFor({ spillDir: "/out", spillBytes: 0 }).spill).toEqual({ dir: "/out", fromBytes: 0 });
    expect(planFor({ spillDir: "/out", spillBytes: 2 * kept }).spill).toEqual({ dir: "/out", fromBytes: kept });
    expect(planFor({ spillBytes: 5 }).spill).toBeUndefined();
  });

  it("holds its sandbox", () => {
    const sandbox = { name: "box", wrap: () => Promise.reject(new Error("closed")) } as never;
    expect(planFor({ sandbox }).sandbox).toBe(sandbox);
  });
});

describe("a call without sense", () => {
  it.each([
    ["file", () => resolvePlan(5 as never, [], {}, 1), wrongType("file must be a string, got 5")],
    ["args", () => planFor({}, "a" as never), wrongType('args must be an array of strings, got "a"')],
    ["one of args", () => planFor({}, ["a", null as never]), wrongType("args[1] must be a string, got null")],
    ["cwd", () => planFor({ cwd: 5 as never }), wrongType("cwd must be a string, got 5")],
    ["input", () => planFor({ input: 5 as never }), wrongType("input must be a string or a Uint8Array, got 5")],
    [
      "background",
      () => planFor({ background: "x" as never }),
      wrongType('background must be "kill" or "keep", got "x"'),
    ],
    ["spillDir", () => planFor({ spillDir: 5 as never }), wrongType("spillDir must be a string, got 5")],
    [
      "sandbox",
      () => planFor({ sandbox: {} as never }),
      wrongType("sandbox must be a sandbox with a function wrap, got {}"),
    ],
    [
      "sandbox null",
      () => planFor({ sandbox: null as never }),
      wrongType("sandbox must be a sandbox with a function wrap, got null"),
    ],
    ["timeoutMs", () => planFor({ timeoutMs: "5" as never }), wrongType('timeoutMs must be a number, got "5"')],
  ])("is refused as Node would: %s", (_, call, message) => {
    expect(refusal(call)).toBe(message);
  });

  it.each(["timeoutMs", "graceMs", "drainMs", "maxOutputBytes", "spillBytes"] as const)("is refused: %s", (name) => {
    for (const value of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const message = outOfRange(`${name} must be a whole number from 0 up, got ${value}`);
      expect(refusal(() => planFor({ [name]: value }))).toBe(message);
    }
  });
});
