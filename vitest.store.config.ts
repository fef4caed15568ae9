import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** The tests of the stores, for the mutation run: without those that take long. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["tests/adapters/store/**/*.test.ts"],
    exclude: ["tests/adapters/store/records-page.test.ts"],
    env: { HARNESS_KIT_FLIPS: "150" },
  },
});
