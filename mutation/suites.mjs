/**
 * What each mutation run changes, by which tests, and the score that it must reach (percent). The tests are the fast
 * ones: a file is left out if it starts many processes, sweeps over thousands of inputs or looks at the clock.
 *
 * @typedef {{ mutate: string[], tests: string[], without?: string[], isolate?: boolean, env?: Record<string, string>, score: number }} Suite
 */

/** Files whose effect shows only in a real process. */
const STARTING = ["run-process", "run-process-sync", "spawn-sync", "start-child"].map(
  (name) => `src/process/${name}.ts`,
);

const REAL_PROCESS_TESTS = ["bug-reports", "cases", "confine*", "host", "node-observations", "run-process"].map(
  (name) => `tests/process/${name}.test.ts`,
);

/** @type {Record<string, Suite>} */
export const SUITES = {
  errors: {
    mutate: ["src/errors/**/*.ts"],
    tests: ["tests/errors/*.test.ts"],
    without: ["tests/errors/docs.test.ts", "tests/errors/properties.test.ts"],
    score: 95,
  },
  permission: {
    mutate: ["src/permission/**/*.ts"],
    tests: ["tests/permission/**/*.test.ts"],
    without: ["tests/permission/fuzz.test.ts", "tests/permission/speed.test.ts"],
    score: 95,
  },
  confine: {
    mutate: ["src/process/confine*.ts"],
    tests: ["tests/process/confine*.test.ts"],
    score: 95,
  },
  process: {
    mutate: ["src/process/*.ts", "!src/process/confine*.ts", ...STARTING.map((path) => `!${path}`)],
    tests: ["tests/process/*.test.ts"],
    without: REAL_PROCESS_TESTS,
    score: 90,
  },
  "process-starting": {
    mutate: STARTING,
    tests: ["tests/process/*.test.ts"],
    without: REAL_PROCESS_TESTS.filter((path) => !path.includes("run-process")),
    score: 90,
  },
  parts: {
    mutate: ["src/{util,contract,registry,events}/*.ts"],
    tests: ["tests/{util,contract,registry,events}/*.test.ts"],
    without: ["tests/util/cost.test.ts", "tests/contract/types.test.ts"],
    score: 85,
  },
  runtime: {
    mutate: ["src/{runtime,retry,context}/**/*.ts"],
    tests: ["tests/{runtime,retry,context}/**/*.test.ts"],
    without: [
      "tests/runtime/{faults,abort-sweep,process-exit,hostile,concurrency,model-of-a-run,kill}.test.ts",
      "tests/**/*properties*",
    ],
    score: 85,
  },
  store: {
    mutate: ["src/adapters/store/**/*.ts"],
    tests: ["tests/adapters/store/**/*.test.ts"],
    without: ["tests/adapters/store/records-page.test.ts", "tests/adapters/store/file/processes.test.ts"],
    isolate: true,
    env: { HARNESS_KIT_FLIPS: "60" },
    score: 85,
  },
};

/** The suite that `HARNESS_KIT_SUITE` names. @returns {Suite & { name: string }} */
export function chosenSuite() {
  const name = process.env.HARNESS_KIT_SUITE ?? "";
  const suite = SUITES[name];
  if (!suite) throw new Error(`No mutation suite is called "${name}". There are: ${Object.keys(SUITES).join(", ")}.`);
  return { name, ...suite };
}
