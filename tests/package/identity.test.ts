import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import vm from "node:vm";
import { type BuildOptions, build } from "esbuild";
import type * as Errors from "harness-kit/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const entry = fileURLToPath(new URL("../../src/errors/index.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "harness-kit-identity-"));
const copies: Record<string, typeof Errors> = {};

async function bundle(file: string, options: BuildOptions): Promise<string> {
  const outfile = join(folder, file);
  await build({ entryPoints: [entry], bundle: true, outfile, platform: "neutral", target: "es2022", ...options });
  return outfile;
}

beforeAll(async () => {
  const [first, second, cjs, minified, minifiedCjs, script] = await Promise.all([
    bundle("first.mjs", { format: "esm" }),
    bundle("second.mjs", { format: "esm" }),
    bundle("copy.cjs", { format: "cjs" }),
    bundle("minified.mjs", { format: "esm", minify: true }),
    bundle("minified.cjs", { format: "cjs", minify: true }),
    build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: "iife",
      globalName: "errors",
      platform: "neutral",
    }),
  ]);
  const require = createRequire(import.meta.url);
  copies["first"] = await import(pathToFileURL(first).href);
  copies["second"] = await import(pathToFileURL(second).href);
  copies["cjs"] = require(cjs);
  copies["minified"] = await import(pathToFileURL(minified).href);
  copies["minified cjs"] = require(minifiedCjs);
  // A realm without process, Buffer or require: what a browser or a worker would have.
  copies["realm"] = vm.runInNewContext(`${script.outputFiles[0]?.text};errors`, { TextEncoder });
});
afterAll(() => rmSync(folder, { recursive: true }));

const names = ["first", "second", "cjs", "minified", "minified cjs", "realm"];
const pairs = names.flatMap((maker) => names.map((reader) => [maker, reader] as const));

function copy(name: string): typeof Errors {
  const found = copies[name];
  if (found === undefined) throw new Error(`There is no copy named ${name}.`);
  return found;
}

describe.each(pairs)("an error that the copy %s made, in the hands of the copy %s", (maker, reader) => {
  const kinds = ["model", "tool", "runtime", "context", "permission"] as const;
  const classes = (hk: typeof Errors) => [
    hk.ModelError,
    hk.ToolError,
    hk.RuntimeError,
    hk.ContextError,
    hk.PermissionError,
  ];

  it("is an instance of the class of its kind and of no other", () => {
    const [made, read] = [classes(copy(maker)), classes(copy(reader))];
    for (const [index, MadeClass] of made.entries()) {
      const error: unknown = new MadeClass("x");
      expect(read.map((ReadClass) => error instanceof ReadClass)).toEqual(kinds.map((_, other) => other === index));
      expect(error instanceof copy(reader).HarnessError).toBe(true);
      expect(kinds.filter((kind) => copy(reader).isHarnessError(error, kind))).toEqual([kinds[index]]);
    }
  });

  it("passes adoption as the same object, also as the reason of a signal and inside a wrapper", () => {
    const hk = copy(reader);
    const error = new (copy(maker).ModelError)("no key", { code: "MODEL_AUTH" });
    expect(hk.toHarnessError(error, "tool")).toBe(error);
    expect(hk.toHarnessError("x", "tool", { signal: AbortSignal.abort(error) })).toBe(error);
    expect(hk.toHarnessError(new Error("outer", { cause: error }), "model")).toBe(error);
    expect(hk.toHarnessError(new Error("outer", { cause: error }), "tool")).toMatchObject({
      kind: "tool",
      cause: { cause: error },
    });
  });

  it("keeps its identity when a class of a user extends it", () => {
    class NoTicket extends copy(maker).ToolError {}
    const error: unknown = new NoTicket("x", { code: "TOOL_NO_TICKET" });
    expect(error instanceof NoTicket && error instanceof copy(reader).ToolError).toBe(true);
    expect(new (copy(reader).ToolError)("x") instanceof NoTicket).toBe(false);
    expect(copy(reader).isToolError(error)).toBe(true);
  });

  it("travels as JSON", () => {
    const error = new (copy(maker).ModelError)("slow down", {
      code: "MODEL_RATE_LIMITED",
      retryAfterMs: 7,
      cause: new Error("429"),
    });
    const revived = copy(reader).deserializeError(JSON.parse(JSON.stringify(error)));
    expect(revived instanceof copy(reader).ModelError).toBe(true);
    expect(JSON.stringify(revived)).toBe(JSON.stringify(error));
  });
});

describe.each(names)("the copy %s", (name) => {
  it("names its errors by literals, also in the stack and in what is printed", () => {
    const error = new (copy(name).PermissionError)("refused");
    expect(error.name).toBe("PermissionError");
    expect(error.stack).toMatch(/^PermissionError: refused/);
    expect(String(error)).toBe("PermissionError: refused");
    expect(inspect(error)).toContain('kind: "permission", code: "PERMISSION_UNKNOWN"');
  });

  it("adopts without anything of Node", () => {
    const value = new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNRESET" }) });
    expect(copy(name).toHarnessError(value, "model")).toMatchObject({
      kind: "model",
      code: "MODEL_NETWORK",
      retryable: true,
    });
    expect(copy(name).serializeError(value).name).toBe("RuntimeError");
  });
});
