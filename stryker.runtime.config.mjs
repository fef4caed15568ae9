/** Mutation run over the runtime, its retries and its contexts. Run with: npx stryker run stryker.runtime.config.mjs */
export default {
  testRunner: "vitest",
  vitest: { configFile: "vitest.runtime.config.ts" },
  mutate: ["src/runtime/**/*.ts", "src/retry/**/*.ts", "src/context/**/*.ts"],
  ignorePatterns: ["/dist", "/coverage", "/reports", "/docs", "/bench", "/tests/adapters", "/tests/process"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 15_000,
  reporters: ["clear-text", "json"],
  jsonReporter: { fileName: "reports/mutation/runtime.json" },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: ".stryker-tmp/runtime",
  thresholds: { high: 90, low: 85, break: null },
};
