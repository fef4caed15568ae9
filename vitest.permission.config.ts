import { defineConfig } from "vitest/config";

/** The tests of `src/permission` and of path confinement alone, without the fuzz and the clock, for the mutation run. */
export default defineConfig({
  test: {
    include: ["tests/permission/**/*.test.ts", "tests/process/confine*.test.ts"],
    exclude: ["tests/permission/fuzz.test.ts", "tests/permission/speed.test.ts"],
    testTimeout: 20_000,
  },
});
