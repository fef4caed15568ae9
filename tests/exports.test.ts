import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  ".": () => import("harness-kit"),
  "./errors": () => import("harness-kit/errors"),
  "./process": () => import("harness-kit/process"),
  "./permission": () => import("harness-kit/permission"),
  "./tools": () => import("harness-kit/tools"),
  "./store": () => import("harness-kit/store"),
  "./testing": () => import("harness-kit/testing"),
  "./compaction": () => import("harness-kit/compaction"),
  "./models/local": () => import("harness-kit/models/local"),
  "./models/openai": () => import("harness-kit/models/openai"),
  "./models/ai-sdk": () => import("harness-kit/models/ai-sdk"),
  "./models/openai-responses": () => import("harness-kit/models/openai-responses"),
  "./models/http": () => import("harness-kit/models/http"),
  "./models/anthropic": () => import("harness-kit/models/anthropic"),
};

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { exports: object };
const subpaths = Object.keys(manifest.exports).filter((path) => path !== "./package.json");

describe("the public surface", () => {
  it("has a subpath for each entry of package.json and no other", () => {
    expect(subpaths.sort()).toEqual(Object.keys(MODULES).sort());
  });

  it.each(Object.entries(MODULES))("%s exports exactly these names", async (_path, load) => {
    expect(Object.keys(await load()).sort()).toMatchSnapshot();
  });
});
