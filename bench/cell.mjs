/**
 * Measures one cell for one contestant beside the floor, in a process of its own, and prints it as JSON:
 * `node --expose-gc bench/cell.mjs <contestant> <cell>`.
 */
import { CELLS } from "./cells.mjs";
import { loadContestant } from "./contestant.mjs";
import { floor } from "./floor.mjs";

const ROUNDS = 9;
const WARM_UP_ROUNDS = 3;

const [name, cellName] = process.argv.slice(2);
const cell = CELLS.find((candidate) => candidate.name === cellName);
if (name === undefined || cell === undefined)
  throw new Error("Usage: node --expose-gc bench/cell.mjs <contestant> <cell>");

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function workOf(contestant) {
  if (cell.deltas === undefined) return contestant.turns(cell.turns, cell.options ?? {});
  const streamed = contestant.deltas?.(cell.deltas);
  return streamed === undefined ? undefined : () => readAll(streamed);
}

/** A contestant that loses a piece does less work than the others. */
async function readAll(streamed) {
  let pieces = 0;
  await streamed(() => {
    pieces++;
  });
  if (pieces !== cell.deltas) throw new Error(`${pieces} of ${cell.deltas} pieces arrived.`);
}

/** Processor time of one round, per turn or delta, in microseconds: what other programs do does not count. */
async function round(work, times = cell.times) {
  const startedAt = process.cpuUsage();
  for (let run = 0; run < times; run++) await work();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / (times * (cell.turns ?? cell.deltas));
}

/** Some take a thousand times as long as the floor: they make fewer runs a round. */
const RIVAL_TIMES = Math.ceil(cell.times / 40);

async function cpu(works, times = cell.times) {
  const samples = works.map(() => []);
  for (let number = -WARM_UP_ROUNDS; number < ROUNDS; number++) {
    for (const [index, work] of works.entries()) {
      const sample = await round(work, times);
      if (number >= 0) samples[index].push(sample);
    }
  }
  return samples.map(median);
}

/** What a finished run keeps, in bytes per turn. Code that is compiled meanwhile counts as well, so it is tried often. */
async function kept(work) {
  await work();
  const samples = [];
  for (let number = 0; number < 5; number++) samples.push(await keptOnce(work));
  return median(samples);
}

async function keptOnce(work) {
  const before = await settledHeap();
  const run = await work();
  const bytes = ((await settledHeap()) - before) / cell.turns;
  return run === undefined ? Number.NaN : bytes;
}

async function settledHeap() {
  for (let time = 0; time < 3; time++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
}

/** Processor time per turn of many runs at once, and how the process grew by each of them. */
async function concurrent(work) {
  const batch = () => Promise.all(Array.from({ length: cell.times }, work));
  await batch();
  globalThis.gc();
  const rssBefore = process.memoryUsage().rss;
  let peak = rssBefore;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const samples = [];
  for (let number = 0; number < 5; number++) {
    const startedAt = process.cpuUsage();
    await batch();
    const { user, system } = process.cpuUsage(startedAt);
    samples.push((user + system) / (cell.times * cell.turns));
  }
  clearInterval(watch);
  return { value: median(samples), rssPerRunKb: (peak - rssBefore) / cell.times / 1024 };
}

/** A contestant that keeps hold of async context slows down every later await: the floor comes first. */
async function measure() {
  const base = workOf(floor);
  if (cell.kind === "memory") {
    const floorBytes = await kept(base);
    return { floor: floorBytes, value: await kept(workOf(await loadContestant(name))) };
  }
  if (cell.kind === "concurrent") {
    const floorValue = (await concurrent(base)).value;
    return { floor: floorValue, ...(await concurrent(workOf(await loadContestant(name)))) };
  }
  if (!name.startsWith("ours")) {
    const [floorValue] = await cpu([base]);
    const work = workOf(await loadContestant(name));
    return { floor: floorValue, value: work === undefined ? undefined : (await cpu([work], RIVAL_TIMES))[0] };
  }
  const [floorValue, value] = await cpu([base, workOf(await loadContestant(name))]);
  return { floor: floorValue, value };
}

console.log(JSON.stringify({ contestant: name, cell: cellName, ...(await measure()) }));
