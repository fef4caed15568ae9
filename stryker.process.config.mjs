/** Mutation testing of `src/process`: `npx stryker run stryker.process.config.mjs`. */
export default {
  testRunner: "vitest",
  vitest: { configFile: "vitest.process.config.ts" },
  mutate: ["src/process/**/*.ts", "!src/process/index.ts", "!src/process/result.ts", "!src/process/confine*.ts"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ["clear-text", "json", "progress"],
  jsonReporter: { fileName: "reports/mutation/process.json" },
  tempDirName: "reports/stryker-process",
  ignorePatterns: ["dist", "coverage", "reports", "docs", "examples"],
  thresholds: { high: 95, low: 90, break: 90 },
};
