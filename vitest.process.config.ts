import { defineConfig } from "vitest/config";

/** The tests of `src/process` alone, for the mutation run. */
export default defineConfig({
  test: { include: ["tests/process/**/*.test.ts"], testTimeout: 20_000 },
});
