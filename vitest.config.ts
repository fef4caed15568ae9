import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^harness-kit$/, replacement: source("index.ts") },
      { find: /^harness-kit\/(errors|process|permission)$/, replacement: source("$1/index.ts") },
      { find: /^harness-kit\/testing$/, replacement: source("testing/index.ts") },
      { find: /^harness-kit\/(tools|store)$/, replacement: source("adapters/$1/index.ts") },
      { find: /^harness-kit\/compaction$/, replacement: source("adapters/plugins/compaction/index.ts") },
      { find: /^harness-kit\/models\/([a-z-]+)$/, replacement: source("adapters/models/$1/index.ts") },
    ],
  },
  test: {
    include: ["tests/**/*.test.ts"],
    testTimeout: 20_000,
    typecheck: { enabled: false },
    coverage: { provider: "v8", include: ["src/**"], reporter: ["text-summary", "json-summary", "html"] },
  },
});
