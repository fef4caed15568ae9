/**
 * CPU time per turn against the floor: `node --expose-gc bench/turns.mjs`. Uses the built package.
 */
import { createRuntime } from "harness-kit";
import { floorRun } from "./floor.mjs";
import { addTool, turnsModel } from "./workloads.mjs";

const LIMITS = { maxSteps: 0, limits: { identicalCalls: 0 } };

const ours = (turns, options = {}) => {
  const tool = addTool(options.text);
  return async () => {
    const runtime = createRuntime({ model: turnsModel(turns, options), tools: [tool], ...LIMITS });
    if (options.listener) runtime.on("*", () => {});
    const run = await runtime.run("go");
    if (run.status !== "completed") throw new Error(`${run.errorCode}: ${run.error}`);
  };
};
const floor = (turns, options = {}) => {
  const tools = new Map([["add", addTool(options.text)]]);
  return () => floorRun(turnsModel(turns, options), tools, "go");
};

const big = "x".repeat(100_000);
const WORKLOADS = [
  ["N=1", 1, 2000, {}],
  ["N=10", 10, 500, {}],
  ["N=100", 100, 100, {}],
  ["N=1000", 1000, 40, {}],
  ["N=10000", 10_000, 4, {}],
  ["8 parallel, N=100", 100, 60, { calls: 8 }],
  ["100 KB result, N=100", 100, 60, { text: big }],
  ["a listener on all, N=100", 100, 60, { listener: true }],
];

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function cpuPerTurn(run, turns, times) {
  for (let i = 0; i < Math.min(20, times); i++) await run();
  const samples = [];
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.();
    const start = process.cpuUsage();
    for (let i = 0; i < times; i++) await run();
    const { user, system } = process.cpuUsage(start);
    samples.push((user + system) / (times * turns));
  }
  return median(samples);
}

for (const [name, turns, times, options] of WORKLOADS) {
  const base = await cpuPerTurn(floor(turns, options), turns, times);
  const own = await cpuPerTurn(ours(turns, options), turns, times);
  console.log(
    `${name.padEnd(26)} floor ${base.toFixed(2).padStart(8)} us/turn   ours ${own.toFixed(2).padStart(8)} us/turn   ratio ${(own / base).toFixed(1)}`,
  );
}
