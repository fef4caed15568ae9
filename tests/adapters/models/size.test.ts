/** What an adapter adds to a bundle that has the root already, minified and gzipped, eventsource-parser included. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const LIMIT = 12 * 1024;
const INDEX = 'export * from "./src/index.ts";';

async function bundle(contents: string) {
  const result = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
  });
  const packages = Object.keys(result.metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return { bytes: gzipSync(result.outputFiles[0]?.contents ?? "").length, packages: new Set(packages) };
}

describe("an adapter's subpath", () => {
  it.each([
    ["openai", "openaiModel", ["eventsource-parser"]],
    ["openai-responses", "openaiResponsesModel", ["eventsource-parser"]],
    ["anthropic", "anthropicModel", ["eventsource-parser"]],
    ["http", "httpModel", ["eventsource-parser"]],
    ["ai-sdk", "aiSdkModel", []],
  ] as const)("%s adds under 12 KB and no other dependency", async (name, factory, dependencies) => {
    const base = await bundle(INDEX);
    const whole = await bundle(`${INDEX} export { ${factory} } from "./src/adapters/models/${name}/index.ts";`);
    expect(whole.bytes - base.bytes).toBeLessThan(LIMIT);
    expect([...whole.packages].filter((used) => !base.packages.has(used))).toEqual(dependencies);
  });
});
