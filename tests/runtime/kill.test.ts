import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type AgentRun, parseRun } from "harness-kit";
import { fileStore } from "harness-kit/store";
import { assertRunInvariants } from "harness-kit/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

/** Processes to kill at a random moment, over all scenarios; the script `test:kill` takes 1,000. */
const KILLS = Number(process.env["HARNESS_KIT_KILLS"] ?? 30);
/** Every process is killed behind each write in the script, behind every second one otherwise. */
const STRIDE = process.env["HARNESS_KIT_KILLS"] === undefined ? 2 : 1;
const SCENARIOS = ["sequence", "parallel", "approval"];

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = (path: string) => join(root, "src", path);
let program = "";
let dir = "";

beforeAll(async () => {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  program = join(mkdtempSync(join(cache, "harness-kit-kill-")), "child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("kill-child.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2022",
    external: ["unbash"],
    alias: {
      "harness-kit": source("index.ts"),
      "harness-kit/permission": source("permission/index.ts"),
      "harness-kit/store": source("adapters/store/index.ts"),
    },
    logLevel: "silent",
  });
}, 60_000);
afterAll(() => rmSync(dirname(program), { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "harness-kit-kill-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the program; kills it after a while, when that is asked for. */
async function child(scenario: string, mode: "run" | "resume", death: readonly string[] = [], killAfterMs?: number) {
  const process_ = spawn(process.execPath, [program, dir, scenario, mode, ...death], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  process_.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  const startedAt = performance.now();
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => process_.kill("SIGKILL"), killAfterMs);
  const signal = await new Promise<string | null>((resolve) => process_.on("close", (_, name) => resolve(name)));
  clearTimeout(timer);
  return { wasKilled: signal === "SIGKILL", err, tookMs: performance.now() - startedAt };
}

/** How long a scenario takes when nobody disturbs it. */
async function durationOf(scenario: string): Promise<number> {
  const startedAt = performance.now();
  const own = mkdtempSync(join(dir, "undisturbed-"));
  const process_ = spawn(process.execPath, [program, own, scenario, "run"], { stdio: "ignore" });
  await new Promise((resolve) => process_.on("close", resolve));
  return performance.now() - startedAt;
}

function effects(): string[] {
  const file = join(dir, "effects.log");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

const times = (line: string) => effects().filter((each) => each === line).length;

/** What the journal has of the calls, by id: whether each had ended, or was in flight. */
async function journalled(): Promise<Map<string, "ended" | "in flight">> {
  const entries = (await fileStore(dir).readJournal("r1"))?.entries ?? [];
  const calls = new Map<string, "ended" | "in flight">();
  for (const entry of entries) {
    if (!("key" in entry) || !entry.key.includes("/tool/")) continue;
    calls.set(entry.key.split("/")[2] ?? "", entry.type === "effect:end" ? "ended" : "in flight");
  }
  return calls;
}

/** Goes on until the run is over, and holds what was done against what was written down before. */
async function resumeAndCheck(scenario: string): Promise<{ flagged: number }> {
  const before = await journalled();
  let run = await finish(scenario);
  while (run.status === "paused") run = await finish(scenario);
  assertRunInvariants(run);
  expect(run).toMatchObject({ status: "completed", answer: "All done." });
  let flagged = 0;
  for (const step of run.steps) {
    if (step.type !== "tool") continue;
    const line = `begin ${step.call.name} ${step.call.id.split("-")[1]}`;
    const mayRepeat = step.call.name === "look";
    const state = before.get(step.call.id);
    if (!mayRepeat) expect(times(line), `${line} in ${scenario}`).toBeLessThanOrEqual(1);
    if (state === "ended") expect(times(line)).toBe(1);
    if (state === "in flight" && !mayRepeat) {
      flagged++;
      expect(step.result).toMatchObject({ ok: false, code: "TOOL_OUTCOME_UNKNOWN" });
    } else {
      expect(step.result).toMatchObject({ ok: true });
    }
  }
  return { flagged };
}

async function finish(scenario: string): Promise<AgentRun> {
  const stored = await fileStore(dir).loadRun("r1");
  const hasBegun = stored !== undefined || ((await fileStore(dir).readJournal("r1"))?.entries ?? []).length > 0;
  if (stored?.status !== "completed") {
    const { err, wasKilled } = await child(scenario, hasBegun ? "resume" : "run");
    expect({ err, wasKilled }).toEqual({ err: "", wasKilled: false });
  }
  return parseRun(await fileStore(dir).loadRun("r1"));
}

describe.runIf(process.platform !== "win32")("a run whose process is killed with SIGKILL", () => {
  for (const scenario of SCENARIOS) {
    it(`repeats nothing that was written down, at the writes of: ${scenario}`, { timeout: 600_000 }, async () => {
      let deaths = 0;
      for (let at = 1; ; at += STRIDE) {
        for (const when of STRIDE === 1 ? ["before", "after"] : [at % 4 === 1 ? "before" : "after"]) {
          rmSync(dir, { recursive: true, force: true });
          mkdirSync(dir);
          const { wasKilled } = await child(scenario, "run", [String(at), when]);
          if (!wasKilled) return void expect(deaths).toBeGreaterThan(1);
          deaths++;
          await resumeAndCheck(scenario);
        }
      }
    });
  }

  it("repeats nothing that was written down, at random moments", { timeout: 3_600_000 }, async () => {
    let killed = 0;
    const durations: number[] = [];
    for (const scenario of SCENARIOS) durations.push(await durationOf(scenario));
    for (let each = 0; each < KILLS; each++) {
      const scenario = SCENARIOS[each % SCENARIOS.length] ?? "sequence";
      rmSync(dir, { recursive: true, force: true });
      mkdirSync(dir);
      const place = each % SCENARIOS.length;
      const killAfterMs = (0.2 + 0.7 * Math.random()) * (durations[place] ?? 0);
      const { wasKilled, tookMs } = await child(scenario, "run", [], killAfterMs);
      if (wasKilled) killed++;
      // One that came to its end tells how long it takes on this machine at this moment.
      else durations[place] = tookMs;
      await resumeAndCheck(scenario);
    }
    // How many are still running when they are killed depends on the machine; none would prove nothing.
    expect(killed).toBeGreaterThan(0);
  });

  it("answers a question once, wherever the process dies behind the answer", { timeout: 600_000 }, async () => {
    for (let at = 1; ; at += STRIDE) {
      rmSync(dir, { recursive: true, force: true });
      mkdirSync(dir);
      await child("approval", "run");
      const { wasKilled } = await child("approval", "resume", [String(at), "after"]);
      await resumeAndCheck("approval");
      expect(times("begin send 2")).toBeLessThanOrEqual(1);
      if (!wasKilled) return void expect(at).toBeGreaterThan(3);
    }
  });
});
