import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "harness-kit-exit-"));
const root = fileURLToPath(new URL("../..", import.meta.url));

beforeAll(() =>
  build({
    entryPoints: [join(root, "src/index.ts")],
    outfile: join(folder, "kit.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
  }),
);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEADER = `
import { createRuntime } from "./kit.mjs";
const failures = [];
for (const name of ["unhandledRejection", "uncaughtException", "warning"]) process.on(name, (error) => failures.push(name + ": " + error));
const tool = (name, execute) => ({ name, description: name, parameters: { type: "object" }, execute });
const ask = (name) => ({ content: "", toolCalls: [{ id: "c1", name, arguments: {} }], finishReason: "toolCalls" });
const later = (ms, act) => new Promise((resolve, reject) => setTimeout(() => act(resolve, reject), ms));
const never = () => new Promise(() => {});
let endedAt = 0;
const report = (...runs) => { endedAt = performance.now(); statuses = runs.map((run) => run.stopReason); };
let statuses = [];
process.on("exit", () => console.log(JSON.stringify({ statuses, failures, afterMs: performance.now() - endedAt })));
`;

interface Exit {
  readonly code: number;
  readonly statuses: readonly string[];
  readonly failures: readonly string[];
  readonly afterMs: number;
}

let scripts = 0;
const exitOf = (body: string) =>
  new Promise<Exit>((resolve, reject) => {
    const file = join(folder, `script-${++scripts}.mjs`);
    writeFileSync(file, `${HEADER}\n${body}`);
    execFile(process.execPath, [file], { timeout: 30_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      if (stdout === "") reject(new Error(`The child died (${String(error)}): ${stderr}`));
      else resolve({ code, ...JSON.parse(stdout) });
    });
  });

/** Ten times what a loaded machine takes; a forgotten timer would keep the child for a minute. */
const SOON_MS = 5_000;

describe("a process whose runs are over", () => {
  it("HK-057: exits by itself when guards of a minute were set and everything failed at once", async () => {
    const exit = await exitOf(`
      const options = { toolTimeoutMs: 60000, modelTimeoutMs: 60000, timeoutMs: 60000 };
      let turn = 0;
      const model = async () => { if (++turn === 1) return ask("bad"); throw Object.assign(new Error("no"), { status: 401 }); };
      report(await createRuntime({ ...options, model, tools: [tool("bad", () => Promise.reject(new Error("no")))] }).run("Go."));
    `);
    expect(exit).toMatchObject({ code: 0, statuses: ["failed"], failures: [] });
    expect(exit.afterMs).toBeLessThan(SOON_MS);
  });

  it("HK-061: feels nothing of rejections that come after the abort of a stream and after timeouts", async () => {
    const exit = await exitOf(`
      const model = { generate: never, async *stream() { yield { type: "text", text: "a" }; await later(200, (_, reject) => reject(new Error("late"))); } };
      const stream = createRuntime({ model, graceMs: 10 }).stream("Go.");
      for await (const event of stream) if (event.type === "model:delta") stream.abort();
      const slow = () => later(200, (_, reject) => reject(new Error("late model")));
      const second = await createRuntime({ model: slow, timeoutMs: 50, graceMs: 10 }).run("Go.");
      let turn = 0;
      const third = await createRuntime({
        model: async () => (++turn === 1 ? ask("slow") : never()), timeoutMs: 50, graceMs: 10,
        tools: [tool("slow", () => later(200, (_, reject) => reject(new Error("late tool"))))],
      }).run("Go.");
      await later(300, (resolve) => resolve());
      report(await stream.result, second, third);
    `);
    expect(exit).toMatchObject({ code: 0, statuses: ["aborted", "timeout", "timeout"], failures: [] });
    expect(exit.afterMs).toBeLessThan(SOON_MS);
  });

  it("exits soon after an abort, an exhausted retry and a stream that was left, and from a plugin's lost promise", async () => {
    const exit = await exitOf(`
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      const aborted = await createRuntime({ model: never }).run("Go.", { signal: controller.signal });
      const tired = await createRuntime({ model: async () => { throw Object.assign(new Error("503"), { status: 503 }); }, retry: { baseMs: 1 } }).run("Go.");
      const model = { generate: never, async *stream(_r, { signal }) { for (;;) { if (signal.aborted) return; yield { type: "text", text: "a" }; await later(1, (resolve) => resolve()); } } };
      const left = createRuntime({ model }).stream("Go.");
      for await (const event of left) if (event.type === "model:delta") break;
      const lost = await createRuntime({
        model: async () => { throw new Error("inner"); },
        plugins: [{ name: "p", wrapModel: (request, next) => { next(request); throw new Error("own"); } }],
      }).run("Go.");
      report(aborted, tired, await left.result, lost);
    `);
    expect(exit).toMatchObject({ code: 0, statuses: ["aborted", "failed", "aborted", "failed"], failures: [] });
    expect(exit.afterMs).toBeLessThan(SOON_MS);
  });
});
