import { execFile } from "node:child_process";
import { format, promisify } from "node:util";
import * as root from "harness-kit";
import * as openai from "harness-kit/models/openai";
import { fakeProvider } from "harness-kit/testing";
import ts from "typescript";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { blocksOf, ROOT, textOf } from "./pages.ts";

const english = textOf("README.md");
const chinese = textOf("README.zh-CN.md");
const blocks = blocksOf(english);
const code = blocks.filter(({ info }) => info === "ts").map(({ text }) => text);
const [demoOutput = "", failureOutput = ""] = blocks.filter(({ info }) => info === "").map(({ text }) => text);

const MODULES: Readonly<Record<string, object>> = {
  "harness-kit": root,
  "harness-kit/models/openai": openai,
  zod: { z },
};

/** Runs TypeScript that imports, waits and prints, and returns what it printed. */
async function printedBy(source: string): Promise<string> {
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const AsyncFunction = Object.getPrototypeOf(printedBy).constructor as FunctionConstructor;
  const lines: string[] = [];
  const print = { log: (...values: unknown[]) => lines.push(format(...values)) };
  await new AsyncFunction("require", "exports", "console", outputText)((name: string) => MODULES[name], {}, print);
  return `${lines.join("\n")}\n`;
}

/** Answers what goes to the real endpoint. */
async function answerWith(replies: NonNullable<Parameters<typeof fakeProvider>[0]>["replies"]) {
  const provider = await fakeProvider({ replies });
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (input: string | URL, init?: RequestInit) =>
    real(String(input).replace("https://api.openai.com/v1", provider.baseUrl), init),
  );
  return provider;
}

const asksForTheSum = {
  toolCalls: [{ name: "add", arguments: { a: 17, b: 38 } }],
  usage: { inputTokens: 90, outputTokens: 18 },
};
const refused = {
  error: { message: "Incorrect API key provided: sk-proj-abcdefghijklmnop1234", code: "invalid_api_key" },
};

describe("the README", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("has lines of code that answer", async () => {
    const provider = await answerWith([asksForTheSum, { text: "The sum is 55." }]);
    expect(await printedBy(code.join("\n"))).toBe("completed The sum is 55. 4\n");
    await provider.close();
  });

  it("shows what really is printed when the key is refused in the second turn", async () => {
    const provider = await answerWith([asksForTheSum, { status: 401, body: refused }]);
    expect(await printedBy(code.join("\n"))).toBe(failureOutput);
    await provider.close();
  });

  it("shows what the command line really prints", async () => {
    const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...env } = process.env;
    const args = ["--import", "tsx", "src/cli/main.ts", "--demo", "What is 17 * 38?"];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    const anyRun = (text: string) => text.replace(/(Run ID {2}: ).*/, "$1…").replace(/\d+ ms/, "… ms");
    expect(anyRun(`${stderr}${stdout}`)).toBe(anyRun(demoOutput));
  });
});

describe("the Chinese README", () => {
  const rowsOf = (page: string) => page.split("\n").filter((line) => line.startsWith("|")).length;

  it("has the same code and the same output", () => {
    expect(blocksOf(chinese).map(({ info, text }) => [info, text])).toEqual(
      blocks.map(({ info, text }) => [info, text]),
    );
  });

  it("has as many rows in its tables, and links to the same pages", () => {
    const linksOf = (page: string) => new Set(page.match(/\]\((?!README)[^)]+\)/g));
    expect(rowsOf(chinese)).toBe(rowsOf(english));
    expect(linksOf(chinese)).toEqual(linksOf(english));
  });

  it("leads back, and is led to", () => {
    expect(chinese).toContain("(README.md)");
    expect(english).toContain("(README.zh-CN.md)");
  });
});
