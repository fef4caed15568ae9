import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

const parts = ["util", "contract", "registry", "context", "events", "retry"];

/** The tests of the parts below the runtime, for the mutation run: without those of costs and of types. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [...parts.map((part) => `tests/${part}/*.test.ts`), "tests/permission/{allow-tools,check-call}.test.ts"],
    exclude: ["tests/util/cost.test.ts", "tests/contract/types.test.ts"],
    isolate: false,
  },
});
