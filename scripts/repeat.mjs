/** Runs tests again and again to find one that is not sure of itself: `npm run test:repeat -- <times> <paths…>`. */
import { spawnSync } from "node:child_process";

const [times, ...paths] = process.argv.slice(2);
if (!(Number(times) >= 1) || paths.length === 0) {
  console.error("How often, and what? npm run test:repeat -- 50 tests/process");
  process.exit(2);
}

let failed = 0;
for (let round = 1; round <= Number(times); round++) {
  const { status, stdout, stderr } = spawnSync("npx", ["vitest", "run", "--reporter=dot", ...paths], {
    encoding: "utf8",
  });
  if (status === 0) continue;
  failed++;
  console.error(`Round ${round} failed:\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`);
}
console.log(`${times} rounds of ${paths.join(" ")}: ${failed} failed.`);
process.exit(failed === 0 ? 0 : 1);
