/**
 * Mutation run over the stores. Run with: npx stryker run stryker.store.config.mjs
 */
export default {
  testRunner: "vitest",
  vitest: { configFile: "vitest.store.config.ts" },
  mutate: ["src/adapters/store/**/*.ts"],
  ignorePatterns: [
    ...["/dist", "/coverage", "/reports", "/docs", "/examples", "/bench"],
    ...["/tests/*", "!/tests/adapters"],
  ],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 30_000,
  reporters: ["clear-text", "json"],
  jsonReporter: { fileName: "reports/mutation/store.json" },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: ".stryker-tmp/store",
  thresholds: { high: 95, low: 85, break: 85 },
};
