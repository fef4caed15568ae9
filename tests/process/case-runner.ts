/**
 * Reads `tests/cases/process.json`: expands its conventions, runs a case in one mode, checks what it expects.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type ProcessOptions, type ProcessResult, runProcess, runProcessSync } from "../../src/process/index.ts";

export type Mode = "sync" | "async";

type Expectation = Record<string, unknown>;

export interface ProcessCase {
  id: string;
  file: string;
  args: string[];
  options: ProcessOptions & { abortAtMs?: number };
  modes: Mode[];
  expect: Expectation;
}

export function readCases(): ProcessCase[] {
  const path = fileURLToPath(new URL("../cases/process.json", import.meta.url));
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: ProcessCase[] }).cases;
}

/** Makes the files that the cases name, in a folder that every user can read. */
export function makeFixtures(): string {
  const folder = mkdtempSync(join(tmpdir(), "harness-kit-process-"));
  chmodSync(folder, 0o755);
  const file = (name: string, text: string, mode: number) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  mkdirSync(join(folder, "adir"));
  mkdirSync(join(folder, "home"));
  file("noexec.sh", "#!/bin/sh\necho hi\n", 0o644);
  file("badshebang", "#!/no/such/interp\n", 0o755);
  file("noshebang", "echo hi\n", 0o755);
  file("afile", "plain\n", 0o644);
  file("home/.bashrc", "echo RC-RAN\n", 0o644);
  return folder;
}

/** Expands `@fixtures/…`, `@repeat:C:N`, `@undefined` and `@process.env.NAME` everywhere in a value. */
export function expand(value: unknown, fixtures: string): unknown {
  if (typeof value === "string") return expandText(value, fixtures);
  if (Array.isArray(value)) return value.map((item) => expand(item, fixtures));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, fixtures)]));
}

function expandText(text: string, fixtures: string): unknown {
  if (text === "@undefined") return undefined;
  const repeat = /^@repeat:(.):(\d+)$/s.exec(text);
  if (repeat) return repeat[1]?.repeat(Number(repeat[2]));
  if (text.startsWith("@process.env.")) return process.env[text.slice("@process.env.".length)];
  return text.replaceAll("@fixtures", fixtures);
}

export async function runCase(one: ProcessCase, mode: Mode): Promise<ProcessResult> {
  const { abortAtMs, ...options } = one.options;
  if (mode === "sync") return runProcessSync(one.file, one.args, options);
  if (abortAtMs === undefined) return runProcess(one.file, one.args, options);
  const controller = new AbortController();
  if (abortAtMs < 0) controller.abort();
  const timer = setTimeout(() => controller.abort(), abortAtMs);
  try {
    return await runProcess(one.file, one.args, { ...options, signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Bounds in the cases are nominal; the machine that runs the tests may be a busy one. */
const PATIENCE = 3;

export async function checkCase(one: ProcessCase, mode: Mode, result: ProcessResult): Promise<void> {
  const expectation = (one.expect[mode] ?? one.expect) as Expectation;
  for (const [field, value] of Object.entries(expectation)) await checkField(result, field, forMode(value, mode));
}

const ANYTHING = Symbol("not checked in this mode");

function forMode(value: unknown, mode: Mode): unknown {
  if (typeof value !== "object" || value === null) return value;
  return mode in value ? (value as Record<Mode, unknown>)[mode] : ANYTHING;
}

async function checkField(result: ProcessResult, field: string, value: unknown): Promise<void> {
  if (value === ANYTHING) return;
  if (field === "maxDurationMs") expect(result.durationMs).toBeLessThan((value as number) * PATIENCE);
  else if (field === "minDurationMs") expect(result.durationMs).toBeGreaterThanOrEqual(value as number);
  else if (field === "stdoutPrefix") expect(result.stdout.startsWith(value as string)).toBe(true);
  else if (field === "stderrMatch") expect(result.stderr).toContain(value);
  else if (field === "noSurvivor") await expectNoSurvivor(value as string);
  else expect({ [field]: (result as unknown as Expectation)[field] }).toEqual({ [field]: value });
}

/** Fails while `pgrep -f` still finds a live process; killed ones may take a moment to go. */
export async function expectNoSurvivor(pattern: string): Promise<void> {
  await sleep(100);
  let found = livePids(pattern);
  for (let waited = 0; found.length > 0 && waited < 2_000; waited += 100) {
    await sleep(100);
    found = livePids(pattern);
  }
  expect(found).toEqual([]);
}

/** Pids of processes, zombies left out, whose command line matches. */
export function livePids(pattern: string): number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, stat = "", args = ""] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return !stat.startsWith("Z") && new RegExp(pattern).test(args) ? [Number(pid)] : [];
  });
}
