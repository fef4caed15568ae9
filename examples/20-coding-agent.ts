/** A coding agent in a small repository: it reads, runs the tests, edits, runs them again and reports. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowTools, createRuntime } from "harness-kit";
import { callTool, callTools, scriptedModel } from "harness-kit/testing";
import { bashTool, workspaceTools } from "harness-kit/tools";

const repository = mkdtempSync(join(tmpdir(), "coding-"));
writeFileSync(
  join(repository, "package.json"),
  '{ "type": "module", "scripts": { "test": "node --test --test-reporter=tap" } }\n',
);
writeFileSync(join(repository, "sum.js"), "export const sum = (a, b) => a - b;\n");
writeFileSync(
  join(repository, "sum.test.js"),
  'import { strictEqual } from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.js";\n' +
    'test("adds", () => strictEqual(sum(17, 38), 55));\n',
);

// What a model would say; with a key, put one in here instead.
const model = scriptedModel([
  callTools(
    { id: "list", name: "listFiles", arguments: {} },
    { id: "read", name: "readFile", arguments: { path: "sum.js" } },
  ),
  callTool("bash", { command: "node --test --test-reporter=tap" }, "test"),
  callTool("editFile", { path: "sum.js", edits: [{ oldText: "a - b", newText: "a * b" }] }, "edit"),
  callTool("bash", { command: "node --test --test-reporter=tap" }, "again"),
  callTool("editFile", { path: "sum.js", edits: [{ oldText: "a  *  b", newText: "a + b" }] }, "miss"),
  callTool("editFile", { path: "sum.js", edits: [{ oldText: "a * b", newText: "a + b" }] }, "fix"),
  callTool("bash", { command: "node --test --test-reporter=tap" }, "last"),
  "sum.js subtracted instead of adding; it adds now, and its test passes.",
]);

const runtime = createRuntime({
  model,
  // Nothing leads out of the repository. On Linux, bashTool also takes a sandbox: bubblewrapSandbox({ workspace }).
  tools: [...workspaceTools(repository), bashTool({ cwd: repository, timeoutMs: 30_000 })],
  permission: allowTools("editFile", "bash"),
});

const run = await runtime.run("The test fails. Find out why and mend it.");
for (const step of run.steps) {
  if (step.type !== "tool") continue;
  const { call, result } = step;
  const text = result.ok ? String(result.value) : `${result.code}: ${result.error}`;
  const telling = call.name === "bash" ? (/^# (?:pass|fail) \d+$/gmu.exec(text)?.[0] ?? text) : text;
  console.log(`${call.id}: ${telling.split("\n").find((line) => line.trim() !== "")}`);
}
console.log(`${run.status}: ${run.answer}`);
console.log(`sum.js: ${readFileSync(join(repository, "sum.js"), "utf8").trim()}`);
rmSync(repository, { recursive: true });
