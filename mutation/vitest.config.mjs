import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import base from "../vitest.config.ts";
import { chosenSuite } from "./suites.mjs";

const { tests, without, isolate, env } = chosenSuite();

/** The tests of one mutation run. */
export default defineConfig({
  ...base,
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: { ...base.test, include: tests, exclude: without ?? [], env: env ?? {}, isolate: isolate ?? false },
});
