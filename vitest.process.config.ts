import { defineConfig } from "vitest/config";

const PURE = [
  "binary",
  "capture",
  "classify",
  "describe",
  "environment",
  "exit-meaning",
  "kill-tree",
  "live-groups",
  "stopper",
];

/** The tests of `src/process` alone, for the mutation run. With `PURE=1` only those that start no process. */
export default defineConfig({
  test: {
    include: process.env["PURE"] ? PURE.map((name) => `tests/process/${name}.test.ts`) : ["tests/process/**/*.test.ts"],
    testTimeout: 20_000,
  },
});
