/** Starts one mutation run: `npm run mutate -- <suite> [options of stryker]`. The suites: mutation/suites.mjs. */
import { spawnSync } from "node:child_process";
import { SUITES } from "../mutation/suites.mjs";

const [suite, ...options] = process.argv.slice(2);
if (!suite || !Object.hasOwn(SUITES, suite)) {
  console.error(`Which suite? npm run mutate -- ${Object.keys(SUITES).join(" | ")}`);
  process.exit(2);
}

const result = spawnSync("npx", ["stryker", "run", "mutation/stryker.config.mjs", ...options], {
  stdio: "inherit",
  env: { ...process.env, HARNESS_KIT_SUITE: suite },
});
process.exit(result.status ?? 1);
