import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { runProcessSync, type SpawnSpec } from "../../../src/process/index.ts";
import { asIs, wrapWith } from "./fake-sandbox.ts";

// What Bun and Deno give back: the three usual streams, whatever else was asked for.
vi.mock("node:child_process", async (load) => {
  const real = await load<typeof import("node:child_process")>();
  const spawnSync = (...call: Parameters<typeof real.spawnSync>) => {
    const result = real.spawnSync(...call);
    return { ...result, output: result.output?.slice(0, 3) };
  };
  return { ...real, spawnSync };
});

const folder = mkdtempSync(join(tmpdir(), "harness-kit-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a runtime whose spawnSync gives back no report", () => {
  const control = { groupOf: () => undefined, outcomeOf: () => ({ status: "ran", exitCode: 0, signal: null }) };

  it("runs nothing behind a wrapper that reports, and says what to use instead", () => {
    const wrap = (spec: SpawnSpec) => asIs(spec, { control });
    const result = runProcessSync("touch", ["ran"], { cwd: folder, sandbox: wrapWith(wrap, { wrapSync: wrap }) });
    expect(result).toMatchObject({ status: "notStarted", code: "SANDBOX_FAILED" });
    expect(result).toHaveProperty("cause.message", expect.stringContaining("Use runProcess instead"));
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("runs behind a wrapper that reports nothing", () => {
    const wrap = (spec: SpawnSpec) => asIs(spec);
    const result = runProcessSync("sh", ["-c", "exit 3"], { cwd: folder, sandbox: wrapWith(wrap, { wrapSync: wrap }) });
    expect(result).toMatchObject({ status: "completed", exitCode: 3 });
  });
});
