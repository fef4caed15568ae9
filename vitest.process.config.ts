import { defineConfig } from "vitest/config";

/** Test doubles, or a command or two. */
const QUICK = [
  "background",
  "build-result",
  "capture",
  "classify",
  "describe",
  "environment",
  "exit-meaning",
  "fit-output",
  "kill-tree",
  "live-groups",
  "options",
  "probe",
  "spill",
  "stopper",
  "supervise",
];

/** For what cannot be seen without many real commands. */
const REAL = [...QUICK, "run-process"];

/** The tests of `src/process` alone, for the mutation run; with `REAL=1` also those that are slow. */
export default defineConfig({
  test: {
    include: (process.env["REAL"] ? REAL : QUICK).map((name) => `tests/process/${name}.test.ts`),
    testTimeout: 20_000,
  },
});
