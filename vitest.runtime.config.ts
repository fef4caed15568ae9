import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** The fast tests of the runtime's floors, for the mutation run: no child process, no sweep, no large input. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["tests/{runtime,retry,context}/**/*.test.ts"],
    exclude: [
      "tests/runtime/{faults,abort-sweep,process-exit,hostile,concurrency,model-of-a-run,kill}.test.ts",
      "tests/**/*properties*",
    ],
  },
});
