/** One mutation run, of the suite that `npm run mutate -- <suite>` names. */
import { chosenSuite } from "./suites.mjs";

const { name, mutate, score } = chosenSuite();

export default {
  testRunner: "vitest",
  vitest: { configFile: "mutation/vitest.config.mjs" },
  mutate,
  ignorePatterns: ["/dist", "/coverage", "/reports", "/bench"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 5_000,
  reporters: ["clear-text", "json", "progress-append-only"],
  jsonReporter: { fileName: `reports/mutation/${name}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: `.stryker-tmp/${name}`,
  thresholds: { high: 98, low: score, break: score },
};
