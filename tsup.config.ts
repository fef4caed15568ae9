import { defineConfig, type Options } from "tsup";

/** One entry per `package.json` subpath. `splitting` keeps one copy of the error classes for all of them. */
const entries = {
  index: "src/index.ts",
  errors: "src/errors/index.ts",
  process: "src/process/index.ts",
  permission: "src/permission/index.ts",
  tools: "src/adapters/tools/index.ts",
  store: "src/adapters/store/index.ts",
  testing: "src/testing/index.ts",
  compaction: "src/adapters/plugins/compaction/index.ts",
  "models/local": "src/adapters/models/local/index.ts",
  "models/openai": "src/adapters/models/openai/index.ts",
  "models/ai-sdk": "src/adapters/models/ai-sdk/index.ts",
  "models/openai-responses": "src/adapters/models/openai-responses/index.ts",
  "models/http": "src/adapters/models/http/index.ts",
  "models/anthropic": "src/adapters/models/anthropic/index.ts",
};

const shared = {
  // `resolve` is `noExternal` for types: without it a consumer would have to install them.
  dts: { entry: entries, resolve: ["@standard-schema/spec"], compilerOptions: { ignoreDeprecations: "6.0" } },
  target: "es2022",
  splitting: true,
  sourcemap: false,
  // A bare "fs" is a package to some bundlers and to runtimes other than Node.
  removeNodeProtocol: false,
  noExternal: ["eventemitter3", "@cfworker/json-schema", "diff", "ignore"],
} satisfies Options;

export default defineConfig([
  { ...shared, entry: { ...entries, cli: "src/cli/main.ts" }, format: ["esm"], clean: true },
  { ...shared, entry: entries, format: ["cjs"], clean: false },
]);
