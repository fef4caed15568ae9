import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** The fast tests of the errors floor, for the mutation run: no network, no child process, no properties. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["tests/errors/*.test.ts"],
    isolate: false,
    exclude: ["tests/errors/docs.test.ts", "tests/errors/properties.test.ts"],
  },
});
