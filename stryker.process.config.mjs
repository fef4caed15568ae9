/**
 * Mutation testing of `src/process` in two runs, see `mutate:process`: all but the files that start processes, by
 * quick tests; then, with `REAL=1`, those. Path confinement and the sandbox have runs of their own.
 */
const STARTING = ["run-process", "run-process-sync", "spawn-sync", "start-child"].map(
  (name) => `src/process/${name}.ts`,
);
const REST = [
  "src/process/*.ts",
  "!src/process/{index,result}.ts",
  "!src/process/confine*.ts",
  ...STARTING.map((path) => `!${path}`),
];

export default {
  testRunner: "vitest",
  vitest: { configFile: "vitest.process.config.ts" },
  mutate: process.env.REAL ? STARTING : REST,
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ["clear-text", "json", "progress"],
  jsonReporter: { fileName: `reports/mutation/process${process.env.REAL ? "-starting" : ""}.json` },
  tempDirName: "reports/stryker-process",
  ignorePatterns: ["dist", "coverage", "reports", "docs", "examples"],
  thresholds: { high: 95, low: 90, break: 90 },
};
