/**
 * How soon a process ends by itself after "run:end", in milliseconds: `node bench/exit.mjs`. Uses the built package.
 *
 * Each scenario is a process of its own; a timer, a socket or a listener that is left would keep it.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const TIMES = 7;
const AIM_MS = 100;

const PRELUDE = `
  import { createRuntime } from "harness-kit";
  import { memoryStore } from "harness-kit/store";
  const never = () => new Promise(() => {});
  const tool = (name, execute) => ({ name, description: name, parameters: { type: "object" }, execute });
  const ask = (name) => ({ content: "", toolCalls: [{ id: "c1", name, arguments: {} }], finishReason: "toolCalls" });
  const done = { content: "done", toolCalls: [], finishReason: "stop" };
  const after = (first, then) => { let turn = 0; return async () => (++turn === 1 ? first : then()); };
  let endedAt = 0;
  const start = (options, input = {}) => {
    const runtime = createRuntime({ graceMs: 10, ...options });
    runtime.on("run:end", () => { endedAt = performance.now(); });
    return runtime.run("Go.", input);
  };
  process.on("exit", () => console.log(performance.now() - endedAt));
`;

const SCENARIOS = {
  "an answer": "await start({ model: async () => done });",
  "a tool and an answer": `await start({ model: after(ask("t"), () => done), tools: [tool("t", () => 1)] });`,
  "a refused key": `await start({ model: async () => { throw Object.assign(new Error("no"), { status: 401 }); } });`,
  "retries used up": `await start({ model: async () => { throw Object.assign(new Error("busy"), { status: 503 }); }, retry: { baseMs: 1 } });`,
  "an abort": `const stop = new AbortController(); setTimeout(() => stop.abort(), 20); await start({ model: never }, { signal: stop.signal });`,
  "a deadline": "await start({ model: never, timeoutMs: 30 });",
  "a tool that never returns": `await start({ model: after(ask("t"), () => done), toolTimeoutMs: 30, tools: [tool("t", never)] });`,
  "a fallback": `await start({ model: async () => { throw Object.assign(new Error("no"), { status: 401 }); }, fallback: [async () => done] });`,
  "a journal": `await start({ model: after(ask("t"), () => done), tools: [tool("t", () => 1)], store: memoryStore() });`,
  "a plugin that loses a promise": `await start({ model: async () => { throw new Error("inner"); }, plugins: [{ name: "p", wrapModel: (request, next) => { next(request); throw new Error("own"); } }] });`,
};

const cwd = fileURLToPath(new URL(".", import.meta.url));
let worst = 0;
for (const [name, body] of Object.entries(SCENARIOS)) {
  const times = Array.from({ length: TIMES }, () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "-e", PRELUDE + body], { cwd, timeout: 20_000 })),
  ).sort((a, b) => a - b);
  const median = times[Math.floor(TIMES / 2)];
  worst = Math.max(worst, median);
  console.log(`${median.toFixed(1).padStart(7)} ms (most ${times[TIMES - 1].toFixed(1)})  ${name}`);
}
console.log(`The slowest median: ${worst.toFixed(1)} ms after "run:end" (aim: ${AIM_MS} ms).`);
if (worst > AIM_MS) process.exitCode = 1;
