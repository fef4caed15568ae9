/**
 * Makes scripts, asks the permission gate about them and runs them in real bash in a throw-away directory:
 * nothing that the gate allows may run the marker or change a file.
 *
 * `npx tsx scripts/fuzz-gate.mjs [count] [seed]`; 20,000 scripts take some minutes.
 */
import { fuzzGate } from "../tests/permission/fuzz-scripts.ts";

const count = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const total = { scripts: 0, allowed: 0, denied: 0, marked: 0, unsafe: [], asked: [] };
const summary = () =>
  `${total.scripts} scripts, ${total.allowed} allowed, ${total.marked} ran the marker ` +
  `(${total.asked.length} of them asked about), ${total.unsafe.length} unsafe`;
for (let batch = 0; total.scripts < count; batch++) {
  const report = await fuzzGate(Math.min(1_000, count - total.scripts), seed + batch);
  for (const name of Object.keys(total)) {
    total[name] = Array.isArray(total[name]) ? [...total[name], ...report[name]] : total[name] + report[name];
  }
  for (const script of report.unsafe) console.log(`UNSAFE ${JSON.stringify(script)}`);
  console.error(summary());
}
console.log(`seed ${seed}: ${summary()}`);
for (const script of total.asked.slice(0, 20)) console.log(`asked  ${JSON.stringify(script)}`);
process.exitCode = total.unsafe.length > 0 ? 1 : 0;
