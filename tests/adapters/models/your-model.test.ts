/** The table "your model, and its three lines" of README.md and docs/models.md. */
import { readFileSync } from "node:fs";
import * as root from "harness-kit";
import * as aiSdk from "harness-kit/models/ai-sdk";
import * as anthropic from "harness-kit/models/anthropic";
import * as local from "harness-kit/models/local";
import * as openai from "harness-kit/models/openai";
import * as responses from "harness-kit/models/openai-responses";
import * as testing from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { scripted } from "./ai-sdk/support.ts";
import { KEY } from "./support.ts";

const MODULES: Readonly<Record<string, object>> = {
  "harness-kit/models/ai-sdk": aiSdk,
  "harness-kit/models/anthropic": anthropic,
  "harness-kit/models/local": local,
  "harness-kit/models/openai": openai,
  "harness-kit/models/openai-responses": responses,
  "harness-kit/testing": testing,
};

function tableOf(page: string): string {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8");
  const [table = ""] = /\| your model \| the three lines \|\n(?:\|.*\n)+/.exec(text) ?? [];
  return table;
}

const rows = tableOf("README.md")
  .split("\n")
  .slice(2, -1)
  .map((row) => row.split(" | "))
  .map(([model = "", lines = ""]) => [model.slice(2), lines.replace(/ \|$/, "").split("<br>")] as const);

/** Runs lines of a page, with what the host has: a key, a client, a provider of the AI SDK. */
function runtimeOf(lines: readonly string[]): object {
  const code = lines
    .map((line) => line.replace(/^`|`$/g, ""))
    .join("\n")
    .replace(/^import (\{.*\}) from (".*");$/m, "const $1 = modules[$2];")
    .replace("createRuntime(", "return createRuntime(");
  const run = new Function("modules", "createRuntime", "apiKey", "openai", "ask", code);
  const provider = () => scripted("v3", {}).languageModel;
  return run(MODULES, root.createRuntime, KEY, provider, async () => "55");
}

describe("the table of models", () => {
  it("is the same in README.md and docs/models.md", () => {
    expect(rows.length).toBeGreaterThan(7);
    expect(tableOf("docs/models.md")).toBe(tableOf("README.md"));
  });

  it.each(rows)("has three lines that run for %s", (_model, lines) => {
    expect(lines).toHaveLength(3);
    expect(runtimeOf(lines)).toHaveProperty("run");
  });
});
