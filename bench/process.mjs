/**
 * Commands side by side: `node bench/process.mjs [hard] [start] [throughput]` (all without an argument).
 * Uses the built package. nano-spawn, tinyexec and zx take part after `npm install --prefix bench/rivals`.
 *
 * Each cost is the CPU time of this process alone, in rounds that take turns, as a ratio to raw spawn.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { runProcess, runProcessSync } from "harness-kit/process";

const rivals = await import("./rivals/index.mjs").catch(() => ({}));
const LIMIT_MS = 1_000;

/** Raw spawn as people write it: output collected, Node's own timeout. */
function rawSpawn(file, args, timeout) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { timeout, stdio: ["ignore", "pipe", "pipe"] });
    const out = [];
    const err = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    child.on("close", (status, signal) => {
      const stdout = Buffer.concat(out).toString();
      resolve({
        says: status === null ? `signal ${signal}` : `exit ${status}`,
        stdout,
        stderr: Buffer.concat(err).toString(),
      });
    });
  });
}

function rawSpawnSync(file, args, timeout) {
  const result = spawnSync(file, args, { timeout, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 256 * 2 ** 20 });
  const code = result.error?.code ? ` ${result.error.code}` : "";
  return { says: `status ${result.status} signal ${result.signal}${code}`, stdout: result.stdout?.toString() ?? "" };
}

const ours = (result) => ({ says: result.code, stdout: result.stdout });

/** What a library says, whether it resolves or rejects. */
async function settled(promise) {
  try {
    const result = await promise;
    return { says: `success, exit ${result.exitCode}`, stdout: result.stdout };
  } catch (error) {
    const words = [error.timedOut && "timed out", error.signal ?? error.signalName, `exit ${error.exitCode}`];
    return { says: `failure, ${words.filter(Boolean).join(", ")}`, stdout: error.stdout ?? error.output?.stdout ?? "" };
  }
}

/** name → (file, args, time limit or undefined) → what it says */
const contestants = {
  "harness-kit": async (file, args, timeoutMs = 0) =>
    ours(await runProcess(file, args, { timeoutMs, maxOutputBytes: 0 })),
  "harness-kit sync": (file, args, timeoutMs = 0) =>
    ours(runProcessSync(file, args, { timeoutMs, maxOutputBytes: 256 * 2 ** 20 })),
  spawn: rawSpawn,
  spawnSync: rawSpawnSync,
  execa: (file, args, timeout) =>
    settled(execa(file, args, { ...(timeout && { timeout }), stdin: "ignore", maxBuffer: 256 * 2 ** 20 })),
  ...(rivals.nanoSpawn && {
    "nano-spawn": (file, args, timeout) =>
      settled(rivals.nanoSpawn(file, args, { ...(timeout && { timeout }), stdin: "ignore" })),
    tinyexec: (file, args, timeout) =>
      settled(rivals.tinyexec(file, args, { ...(timeout && { timeout }), throwOnError: true })),
    zx: (file, args, timeout) => settled(zxRun(file, args, timeout)),
  }),
};

function zxRun(file, args, timeout) {
  // zx runs text through bash; given a script, it is given as it is.
  const $ = rivals.zx({ quiet: true, stdio: ["ignore", "pipe", "pipe"], ...(timeout && { timeout }) });
  return file === "bash" ? $([args[1]]) : $`${[file, ...args]}`;
}

const HARD = [
  ["a background process holds the pipe", (n) => `(sleep ${n} &) ; echo started`, "started"],
  ["sleep 4 & wait", (n) => `echo part; sleep ${n} & wait`, "part"],
  ["SIGTERM is ignored", (n) => `trap "" TERM; echo a; sleep ${n}; sleep 0.01`, "a"],
  ["kill -9 $$", () => "echo before; kill -9 $$", "before"],
];

function survivors(pattern) {
  try {
    return execFileSync("pgrep", ["-fc", `^sleep ${pattern}$`], { encoding: "utf8" }).trim();
  } catch {
    return "0";
  }
}

async function hardCases() {
  let number = 0;
  for (const [title, script, output] of HARD) {
    console.log(`\n${title} (limit ${LIMIT_MS} ms)`);
    for (const [name, run] of Object.entries(contestants)) {
      const seconds = `4.${process.pid}${++number}`;
      const started = performance.now();
      const { says, stdout } = await run("bash", ["-c", script(seconds)], LIMIT_MS);
      const ms = Math.round(performance.now() - started);
      await sleep(100);
      const kept = stdout.includes(output) ? "kept" : "LOST";
      console.log(
        `  ${name.padEnd(17)} ${String(ms).padStart(5)} ms  left: ${survivors(seconds)}  output ${kept}  ${says}`,
      );
      await sleep(200);
    }
  }
}

/** A contestant that failed at once would win. */
function checkSaid(name, { says }) {
  if (!/EXIT_ZERO|exit 0|status 0|success/.test(says)) throw new Error(`${name}: ${says}`);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Median CPU and wall time of one call, per contestant, in rounds that take turns. */
async function measure(rounds, perRound, file, args) {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, { cpu: [], wall: [] }]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, run] of Object.entries(contestants)) {
      const wall = performance.now();
      const before = process.cpuUsage();
      for (let i = 0; i < perRound; i++) checkSaid(name, await run(file, args));
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue; // warm-up
      times[name].cpu.push((user + system) / 1_000 / perRound);
      times[name].wall.push((performance.now() - wall) / perRound);
    }
  }
  return times;
}

/** A ratio of medians, each round against the same round of its yardstick. */
const ratio = (mine, theirs) => median(mine.map((value, i) => value / theirs[i])).toFixed(2);

function yardstick(name) {
  return name.endsWith("ync") ? "spawnSync" : "spawn";
}

async function startUp() {
  console.log("\nstarting `true`: CPU time of this process per command");
  const times = await measure(30, 30, "true", []);
  for (const [name, { cpu, wall }] of Object.entries(times)) {
    const against = `${ratio(cpu, times[yardstick(name)].cpu)} x ${yardstick(name)}`;
    console.log(
      `  ${name.padEnd(17)} ${median(cpu).toFixed(2)} ms CPU  ${median(wall).toFixed(2)} ms wall  ${against}`,
    );
  }
}

async function throughput() {
  console.log("\n100 MB of output");
  const times = await measure(9, 1, "head", ["-c", "100000000", "/dev/zero"]);
  for (const [name, { cpu, wall }] of Object.entries(times)) {
    const rate = `${Math.round(100_000 / median(wall))} MB/s`.padStart(9);
    const against = `${ratio(times[yardstick(name)].wall, wall)} x the throughput of ${yardstick(name)}`;
    console.log(`  ${name.padEnd(17)} ${rate}  ${Math.round(median(cpu))} ms CPU  ${against}`);
  }
}

const parts = { hard: hardCases, start: startUp, throughput };
const wanted = process.argv.slice(2);
console.log(
  `Node ${process.version}, ${process.platform}${rivals.zx ? "" : "; nano-spawn, tinyexec and zx are not installed"}`,
);
for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part();
