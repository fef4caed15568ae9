/**
 * Mutation run over util, contract, registry, context, events, retry and the gates of the root.
 * Run with: npx stryker run stryker.parts.config.mjs
 */
export default {
  testRunner: "vitest",
  vitest: { configFile: "vitest.parts.config.ts" },
  mutate: ["src/{util,contract,registry,context,events,retry}/*.ts", "src/permission/{allow-tools,check-call}.ts"],
  ignorePatterns: [
    ...["/dist", "/coverage", "/reports", "/docs", "/examples", "/bench"],
    ...["/src/*", "!/src/errors", "!/src/util", "!/src/contract", "!/src/registry", "!/src/context"],
    ...["!/src/events", "!/src/retry", "!/src/permission"],
    ...["/tests/*", "!/tests/util", "!/tests/contract", "!/tests/registry", "!/tests/context"],
    ...["!/tests/events", "!/tests/retry", "!/tests/permission"],
  ],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ["clear-text", "json"],
  jsonReporter: { fileName: "reports/mutation/parts.json" },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: ".stryker-tmp/parts",
  thresholds: { high: 95, low: 85, break: 85 },
};
