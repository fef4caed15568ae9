/**
 * What the errors floor costs: adoption, serialisation, redaction. Prints microseconds per call.
 *
 * Run with: node bench/errors.mjs
 */

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const entry = fileURLToPath(new URL("../src/errors/index.ts", import.meta.url));
const { outputFiles } = await build({
  entryPoints: [entry],
  bundle: true,
  write: false,
  format: "esm",
  platform: "neutral",
});
const { ModelError, redactSecrets, serializeError, toHarnessError } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);

/** The figure the project promises for the first line. */
const TARGET_US = 50;

const headers = new Headers({ "retry-after": "7", "x-request-id": "req_123", "content-type": "application/json" });
const body = { message: "Rate limit reached for gpt-x", type: "requests", param: null, code: "rate_limit_exceeded" };
const httpError = () =>
  Object.assign(new Error(`429 ${body.message}`), {
    status: 429,
    headers,
    error: body,
    code: body.code,
    type: body.type,
    requestID: "req_123",
  });
const networkError = () =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" }),
  });

const http = httpError();
const network = networkError();
const own = toHarnessError(http, "model");
const adversarial = "authorization: ".repeat(1_400);

const cases = [
  ["adopt an HTTP error (429 with headers and body)", () => toHarnessError(http, "model")],
  ["adopt a network error (two deep)", () => toHarnessError(network, "model")],
  ["adopt an error of ours", () => toHarnessError(own, "model")],
  ["adopt a tool's plain error", () => toHarnessError(http, "tool")],
  ["new ModelError", () => new ModelError("x", { code: "MODEL_AUTH" })],
  ["serialise an adopted error", () => serializeError(own)],
  ["redact a usual message", () => redactSecrets(http.message)],
  ["redact 20 kB of hostile text", () => redactSecrets(adversarial), 50],
];

/** The median of seven rounds, in microseconds of processor time per call: other programs do not count. */
function measure(work, perRound) {
  for (let index = 0; index < perRound; index++) work();
  const rounds = Array.from({ length: 7 }, () => {
    const started = process.cpuUsage();
    for (let index = 0; index < perRound; index++) work();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / perRound;
  });
  return rounds.sort((a, b) => a - b)[3];
}

const figures = cases.map(([name, work, perRound = 3_000]) => [name, measure(work, perRound)]);
for (const [name, us] of figures) console.log(`${us.toFixed(1).padStart(9)} µs  ${name}`);
const [, adoption] = figures[0];
console.log(`Adoption of a typical HTTP error: ${adoption.toFixed(1)} µs (target: under ${TARGET_US} µs).`);
if (adoption >= TARGET_US) process.exitCode = 1;
