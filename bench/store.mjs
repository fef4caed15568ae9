/**
 * What a file store costs, in both of its durabilities. Run it with `npm run bench:store [folder]`: the folder
 * decides which disk is measured. The target: an event is added in less than 50 µs where nothing waits for the disk.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "../dist/store.js";

const TARGET_US = 50;
const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), "harness-kit-bench-"));

const message = (index) => ({ role: index % 2 === 0 ? "user" : "assistant", content: `Message ${index}. `.repeat(20) });
const start = { type: "run:start", schemaVersion: 1, at: 1_000, input: "What is 17 + 38?", messages: [message(0)] };
const effect = (index, chars) => [
  {
    type: "effect:end",
    key: `${index}/tool/call_${index}`,
    at: 1_000 + index,
    value: { ok: true, value: "x".repeat(chars) },
  },
];
const run = (index) => ({
  schemaVersion: 1,
  id: `run-${index}`,
  input: "What is 17 + 38?",
  status: "completed",
  stopReason: "finished",
  answer: "It is 55.",
  history: Array.from({ length: 40 }, (_, at) => message(at)),
  steps: [{ type: "finish", index: 0, startedAt: 1, durationMs: 1, stopReason: "finished", answer: "It is 55." }],
  iterations: 20,
  startedAt: index,
  endedAt: index + 10,
  usage: { inputTokens: 10_000, outputTokens: 1_000 },
});

async function measure(name, count, work) {
  for (let index = 0; index < count / 10; index++) await work(index);
  const times = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    await work(index);
    times.push((performance.now() - startedAt) * 1_000);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor((times.length - 1) * share)];
  const figures = [at(0.5), at(0.9), at(0.99)].map((us) => us.toFixed(1).padStart(10)).join("");
  console.log(`${name.padEnd(44)}${figures} µs`);
  return at(0.5);
}

async function measureStore(durability, counts) {
  const store = fileStore(join(folder, durability), { durability });
  await store.append("journal", [start]);
  const small = await measure("append an event of 0.3 KB", counts.many, (at) =>
    store.append("journal", effect(at, 200)),
  );
  await measure("append an event of 10 KB", counts.some, (at) => store.append("long", effect(at, 10_000)));
  let fresh = 0;
  await measure("begin a journal", counts.some, () => store.append(`fresh-${fresh++}`, [start]));
  await measure("save a new run of 13 KB", counts.some, () => store.saveRun(run(fresh++)));
  await measure("save a run in place of the one before", counts.few, () => store.saveRun(run(0)));
  let key = 0;
  await measure("claim a key", counts.some, () => store.claim(`key ${key++}`, "a"));
  await measure("lock and unlock", counts.some, async () => (await store.lock("run-0"))());
  return { store, small };
}

console.log(`${folder}\n${"".padEnd(44)}       p50       p90       p99`);
console.log('\ndurability "process": survives the end of the process (kill -9), not that of the machine');
const { store, small } = await measureStore("process", { many: 20_000, some: 1_000, few: 200 });
await measure("load a run of 13 KB", 1_000, () => store.loadRun("run-0"));
await measure("read a journal of 22,000 events", 5, () => store.readJournal("journal"));
const { length } = await store.listRuns({ limit: Number.POSITIVE_INFINITY });
await measure(`list ${length} runs`, 5, () => store.listRuns());
console.log('\ndurability "system": survives the end of the machine, as far as the disk keeps its word on fdatasync');
await measureStore("system", { many: 300, some: 100, few: 100 });
rmSync(folder, { recursive: true });
console.log(`\nan event without waiting for the disk: ${small.toFixed(1)} µs, target ${TARGET_US} µs`);
process.exitCode = small < TARGET_US ? 0 : 1;
