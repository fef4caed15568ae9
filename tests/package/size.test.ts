/**
 * How large each subpath is in a bundle: minified, gzipped, without zod and other peers. The limits are what was
 * reached, with little room: whoever passes one looks first at what came in.
 */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

async function kilobytes(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    external: ["zod", "ai"],
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1024;
}

describe("the size of a subpath in a bundle", () => {
  it.each([
    ["index", 58],
    ["errors/index", 17.5],
    ["process/index", 29],
    ["permission/index", 55.5],
    ["adapters/tools/index", 52],
    ["adapters/store/index", 15],
    ["testing/index", 35.5],
    ["adapters/plugins/compaction/index", 21],
    ["adapters/models/local/index", 6.5],
    ["adapters/models/openai/index", 27],
    ["adapters/models/openai-responses/index", 26],
    ["adapters/models/anthropic/index", 26.5],
    ["adapters/models/http/index", 23],
    ["adapters/models/ai-sdk/index", 22],
  ])("%s: at most %s KB", async (entry, limit) => {
    expect(await kilobytes(`export * from "./src/${entry}.ts";`)).toBeLessThanOrEqual(limit);
  });

  it("is little where only the errors are used", async () => {
    const used = 'export { ToolError, toHarnessError } from "./src/index.ts";';
    expect(await kilobytes(used)).toBeLessThanOrEqual(15.5);
  });
});
