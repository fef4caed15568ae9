/** The error hierarchy as a table: kind, default code, whether a retry may help, and what adoption makes of foreign errors. */
import {
  ContextError,
  HarnessError,
  ModelError,
  PermissionError,
  RuntimeError,
  ToolError,
  toHarnessError,
} from "harness-kit";

const classes = [ModelError, ToolError, RuntimeError, ContextError, PermissionError];
console.log(["class", "kind", "code", "retryable"].join(" | "));
for (const ErrorClass of classes) {
  const error = new ErrorClass("example");
  console.log([error.name, error.kind, error.code, error.retryable].join(" | "));
  console.assert(error instanceof HarnessError && error instanceof Error);
}

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" });
const foreign: [string, unknown][] = [
  ["connection refused", Object.assign(new TypeError("fetch failed"), { cause: refused })],
  ["status 401", Object.assign(new Error("Incorrect API key provided: sk-proj-abcdefghijklmnop1234"), { status: 401 })],
  [
    "status 429, Retry-After 7",
    Object.assign(new Error("slow down"), { status: 429, headers: { "retry-after": "7" } }),
  ],
  ["a thrown string", "because"],
  ["a thrown null", null],
];
console.log(["thrown by a model", "kind", "code", "retryable", "wait", "message"].join(" | "));
for (const [name, value] of foreign) {
  const error = toHarnessError(value, "model");
  console.log([name, error.kind, error.code, error.retryable, error.retryAfterMs ?? "-", error.message].join(" | "));
}
