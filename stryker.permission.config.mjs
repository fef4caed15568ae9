/** Mutation testing of the gate: `npx stryker run stryker.permission.config.mjs`. */
export default {
  testRunner: "vitest",
  vitest: { configFile: "vitest.permission.config.ts" },
  mutate: ["src/permission/**/*.ts", "src/process/confine*.ts", "!src/permission/index.ts"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ["clear-text", "json", "progress"],
  jsonReporter: { fileName: "reports/mutation/permission.json" },
  tempDirName: "reports/stryker-permission",
  ignorePatterns: ["dist", "coverage", "reports", "docs", "examples"],
  thresholds: { high: 95, low: 90, break: 90 },
};
