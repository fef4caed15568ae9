import { describe, expect, it } from "vitest";
import { localModel } from "../../../../src/adapters/models/local/index.ts";
import type { ToolDefinition } from "../../../../src/contract/model.ts";

const tools = ["calculator", "bash", "readFile", "grepFiles", "listFiles"].map(
  (name): ToolDefinition => ({ name, description: "", parameters: { type: "object" } }),
);
const context = { signal: new AbortController().signal, attempt: 1, runId: "run" };

async function callsFor(question: string) {
  const { toolCalls } = await localModel().generate(
    { messages: [{ role: "user", content: question }], tools },
    context,
  );
  return toolCalls.map(({ name, arguments: args }) => [name, args]);
}

describe("the demo model with file tools", () => {
  it.each([
    ["read README.md", "README.md"],
    ["Please show me the file src/index.ts, thanks.", "src/index.ts"],
    ["open ./notes/2024-01-01.txt", "./notes/2024-01-01.txt"],
    ["cat /etc/hosts", "/etc/hosts"],
    ["read ../../up.md", "../../up.md"],
    ["read .gitignore", ".gitignore"],
    ['read "my notes.txt"', "my notes.txt"],
    ["read `Makefile`", "Makefile"],
    ["读 README.md", "README.md"],
    ["帮我看看 src/index.ts", "src/index.ts"],
    ["打开文件「说明.md」", "说明.md"],
  ])("reads: %s", async (question, path) => {
    expect(await callsFor(question)).toEqual([["readFile", { path }]]);
  });

  it.each([
    ["search for TODO", { pattern: "TODO" }],
    ['search for "retry budget" in src', { pattern: "retry budget", path: "src" }],
    ["grep for createRuntime in ./src/runtime.", { pattern: "createRuntime", path: "./src/runtime" }],
    ["look for `a.b(c)`", { pattern: "a.b(c)" }],
    ["搜索 TODO", { pattern: "TODO" }],
    ["在 src 里搜索 TODO", { pattern: "TODO", path: "src" }],
  ])("searches: %s", async (question, args) => {
    expect(await callsFor(question)).toEqual([["grepFiles", { ...args, literal: true }]]);
  });

  it.each([
    ["list files", {}],
    ["list the files in src", { path: "src" }],
    ["列出文件", {}],
    ["列出 src 里的文件", { path: "src" }],
  ])("lists: %s", async (question, args) => {
    expect(await callsFor(question)).toEqual([["listFiles", args]]);
  });

  it.each([
    "don't read README.md",
    "不要读 README.md",
    "I read a lot",
    "read 3.5 and 4.5",
    "the list of files is long",
  ])("does not touch files for: %s", async (question) => {
    expect((await callsFor(question)).filter(([name]) => name !== "calculator")).toEqual([]);
  });

  it("does several things at once, and takes no number out of a path", async () => {
    expect(await callsFor("read notes-2+3.txt and tell me what is 17 * 38")).toEqual([
      ["readFile", { path: "notes-2+3.txt" }],
      ["calculator", { expression: "17 * 38" }],
    ]);
  });

  it("tells what it found, and what failed, in the language of the question", async () => {
    const told = async (question: string, content: string, isError = false) => {
      const user = { role: "user" as const, content: question };
      const { toolCalls } = await localModel().generate({ messages: [user], tools }, context);
      const messages = [
        user,
        { role: "assistant" as const, content: "", toolCalls },
        ...toolCalls.map(({ id, name }) => ({ role: "tool" as const, toolCallId: id, name, content, isError })),
      ];
      return (await localModel().generate({ messages, tools }, context)).content;
    };
    expect(await told("read a.txt", "1\thello\n")).toBe("a.txt:\n1\thello");
    expect(await told("读 a.txt", "1\thello\n")).toBe("a.txt：\n1\thello");
    expect(await told("search for x", "nothing", true)).toBe('"x" failed: nothing');
    expect(await told("列出文件", "没有", true)).toBe(". 失败了：没有");
  });
});
