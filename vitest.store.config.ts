import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** The tests of the stores, for the mutation run: without those whose work is done by child processes. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["tests/adapters/store/**/*.test.ts"],
    exclude: ["tests/adapters/store/records-page.test.ts", "tests/adapters/store/file/processes.test.ts"],
    env: { HARNESS_KIT_FLIPS: "60" },
  },
});
