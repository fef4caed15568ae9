import {
  ContextError,
  defineErrorCode,
  errorMessage,
  ModelError,
  PermissionError,
  RuntimeError,
  ToolError,
  toHarnessError,
} from "harness-kit/errors";
import { describe, expect, it, vi } from "vitest";

const named = (name: string, message = "boom", facts: object = {}) =>
  Object.assign(new Error(message), { name, ...facts });
const caused = (message: string, cause: unknown, facts: object = {}) =>
  Object.assign(new Error(message, { cause }), facts);
const seen = (error: { kind: string; code: string; retryable: boolean }) =>
  `${error.kind} ${error.code} ${error.retryable ? "yes" : "no"}`;

describe("adoption of an aborted operation", () => {
  it("takes the run's own typed reason, whatever was thrown", () => {
    const reason = new RuntimeError("The deadline passed.", { code: "RUN_TIMEOUT" });
    expect(toHarnessError("anything", "tool", { signal: AbortSignal.abort(reason) })).toBe(reason);
  });

  it.each([
    ["the default reason", undefined, "This operation was aborted"],
    ["a string", "because", "because"],
    ["an error", new Error("user clicked stop"), "user clicked stop"],
    ["null", null, "The run was aborted."],
    ["a number", 7, "7"],
    [
      "a timeout of the caller",
      new DOMException("The operation was aborted due to timeout", "TimeoutError"),
      "The operation was aborted due to timeout",
    ],
  ])("is RUN_ABORTED with %s as reason", (_, reason, message) => {
    const cause = new Error("fetch failed");
    const error = toHarnessError(cause, "model", { signal: AbortSignal.abort(reason) });
    expect(seen(error)).toBe("runtime RUN_ABORTED no");
    expect(error.message).toBe(message);
    expect(error.cause).toBe(cause);
  });

  it("is RUN_ABORTED when the caller's timeout signal fires", async () => {
    const signal = AbortSignal.timeout(1);
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    expect(seen(toHarnessError(signal.reason, "model", { signal }))).toBe("runtime RUN_ABORTED no");
  });

  it("says so when a signal of another make has no reason", () => {
    const signal = { aborted: true } as AbortSignal;
    expect(toHarnessError("x", "model", { signal }).message).toBe("The run was aborted.");
  });

  it("redacts the reason", () => {
    const signal = AbortSignal.abort("my-secret-word");
    expect(toHarnessError("x", "model", { signal, secrets: ["my-secret-word"] }).message).toBe("[redacted]");
  });

  it("does not look at a signal that has not fired", () => {
    const { signal } = new AbortController();
    expect(seen(toHarnessError(named("AbortError"), "model", { signal }))).toBe("model MODEL_ABORTED no");
  });
});

describe("adoption of an error of ours", () => {
  it.each([
    new ModelError("x"),
    new ToolError("x"),
    new RuntimeError("x"),
    new ContextError("x"),
    new PermissionError("x"),
  ])("returns the same object for %s", (error) => {
    expect(toHarnessError(error, "model", { delivered: 3, signal: AbortSignal.abort() })).toBe(error);
  });

  it("surfaces it from a foreign wrapper of the same layer, also from deep inside", () => {
    const inner = new ModelError("no key", { code: "MODEL_AUTH" });
    expect(toHarnessError(caused("a", caused("b", inner)), "model")).toBe(inner);
    expect(toHarnessError(caused("a", inner), "tool")).not.toBe(inner);
  });

  it("surfaces an abort of the run from any wrapper", () => {
    const aborted = new RuntimeError("stopped", { code: "RUN_ABORTED" });
    expect(toHarnessError(caused("a", aborted), "tool")).toBe(aborted);
    expect(toHarnessError(new AggregateError([new Error("x"), aborted]), "model")).toBe(aborted);
    expect(toHarnessError(new AggregateError([new Error("x"), new RuntimeError("y")]), "tool").kind).toBe("tool");
    expect(toHarnessError(new AggregateError([{ code: "RUN_ABORTED" }]), "tool").kind).toBe("tool");
  });

  it("does not look through an error of ours for another one", () => {
    const inner = new ModelError("no key", { code: "MODEL_AUTH" });
    const error = toHarnessError(caused("a", new ToolError("tool", { cause: inner })), "model");
    expect(seen(error)).toBe("model MODEL_UNKNOWN no");
  });

  it("keeps the refusal of what it wraps", () => {
    expect(toHarnessError(caused("a", new PermissionError("no")), "model").retryable).toBe(false);
    expect(toHarnessError(caused("a", new ToolError("x", { retryable: true })), "model").retryable).toBe(true);
  });
});

describe("adoption in the tool layer", () => {
  it.each([
    ["a plain error", new Error("x"), "TOOL_THREW"],
    ["a string", "x", "TOOL_THREW"],
    ["an abort", named("AbortError"), "TOOL_ABORTED"],
    ["an abort code", Object.assign(new Error("x"), { code: "ABORT_ERR" }), "TOOL_ABORTED"],
    ["a timeout", named("TimeoutError"), "TOOL_TIMEOUT"],
    ["a socket timeout", Object.assign(new Error("x"), { code: "ETIMEDOUT" }), "TOOL_TIMEOUT"],
    ["a command that timed out", Object.assign(new Error("x"), { timedOut: true }), "TOOL_TIMEOUT"],
    ["a timeout inside", caused("x", named("TimeoutError")), "TOOL_TIMEOUT"],
    ["a timeout over its abort", caused("x", named("AbortError"), { name: "TimeoutError" }), "TOOL_TIMEOUT"],
    ["a zod error of its own", named("ZodError"), "TOOL_THREW"],
  ])("makes %s %s", (_, value, code) => {
    expect(seen(toHarnessError(value, "tool"))).toBe(`tool ${code} no`);
  });

  it.each([
    ["a zod error", named("ZodError")],
    ["a zod 4 error", named("$ZodError")],
    ["issues of any schema", Object.assign(new Error("x"), { issues: [] })],
    ["broken JSON", new SyntaxError("Unexpected end of JSON input")],
    ["a wrapped zod error", caused("x", named("ZodError"))],
  ])("makes %s TOOL_INVALID_ARGUMENTS while arguments are checked", (_, value) => {
    expect(seen(toHarnessError(value, "tool", { phase: "arguments", idempotent: true }))).toBe(
      "tool TOOL_INVALID_ARGUMENTS no",
    );
  });

  it("makes a defect of a schema TOOL_THREW while arguments are checked", () => {
    expect(seen(toHarnessError(new TypeError("x"), "tool", { phase: "arguments" }))).toBe("tool TOOL_THREW no");
  });

  it.each([
    ["a reset", Object.assign(new Error("x"), { code: "ECONNRESET" }), "TOOL_THREW yes"],
    ["a 503", Object.assign(new Error("x"), { status: 503 }), "TOOL_THREW yes"],
    ["a 429", Object.assign(new Error("x"), { status: 429 }), "TOOL_THREW yes"],
    ["a 500", Object.assign(new Error("x"), { status: 500 }), "TOOL_THREW yes"],
    ["a timeout", named("TimeoutError"), "TOOL_TIMEOUT yes"],
    [
      "a passing failure of a sub-agent",
      caused("x", new ModelError("y", { code: "MODEL_OVERLOADED" })),
      "TOOL_THREW yes",
    ],
    ["a lasting failure of a sub-agent", caused("x", new ModelError("y", { code: "MODEL_AUTH" })), "TOOL_THREW no"],
    [
      "a passing failure that was vetoed",
      caused("x", new ModelError("y", { code: "MODEL_OVERLOADED", retryable: false })),
      "TOOL_THREW no",
    ],
    ["an unknown failure of a sub-agent", caused("x", new ModelError("y")), "TOOL_THREW no"],
    ["a 501", Object.assign(new Error("x"), { status: 501 }), "TOOL_THREW no"],
    ["a 401", Object.assign(new Error("x"), { status: 401 }), "TOOL_THREW no"],
    ["broken data", named("ZodError"), "TOOL_THREW no"],
    ["a plain error", new Error("x"), "TOOL_THREW no"],
    ["an abort", named("AbortError"), "TOOL_ABORTED no"],
    ["a reset over an abort", caused("x", named("AbortError"), { code: "ECONNRESET" }), "TOOL_ABORTED no"],
    ["a foreign veto", Object.assign(new Error("x"), { code: "ECONNRESET", isRetryable: false }), "TOOL_THREW no"],
  ])("lets an idempotent tool try again after %s only if it may pass", (_, value, expected) => {
    expect(seen(toHarnessError(value, "tool", { idempotent: true }))).toBe(`tool ${expected}`);
  });

  it("keeps status, wait and request id", () => {
    const value = Object.assign(new Error("x"), {
      status: 503,
      headers: { "retry-after": "2", "x-request-id": "req_1" },
    });
    expect(toHarnessError(value, "tool")).toMatchObject({ status: 503, retryAfterMs: 2000, requestId: "req_1" });
  });

  it("does not speak of delivered deltas", () => {
    expect(toHarnessError(named("TimeoutError"), "tool", { delivered: 2, idempotent: true }).retryable).toBe(true);
  });
});

describe("adoption in the other layers", () => {
  it.each([
    ["runtime", new Error("x"), "runtime RUNTIME_UNKNOWN yes"],
    ["runtime", named("AbortError"), "runtime RUN_ABORTED no"],
    ["runtime", named("TimeoutError"), "runtime RUN_TIMEOUT yes"],
    ["runtime", new TypeError("x"), "runtime RUNTIME_INTERNAL no"],
    ["runtime", new RangeError("x"), "runtime RUNTIME_INTERNAL no"],
    ["runtime", caused("x", new TypeError("y")), "runtime RUNTIME_INTERNAL no"],
    ["runtime", new ReferenceError("x"), "runtime RUNTIME_INTERNAL no"],
    ["runtime", new SyntaxError("x"), "runtime RUNTIME_UNKNOWN yes"],
    ["runtime", new TypeError("fetch failed"), "runtime RUNTIME_UNKNOWN yes"],
    [
      "runtime",
      Object.assign(new TypeError("x"), { code: "RUNTIME_INVALID_CONFIG" }),
      "runtime RUNTIME_INVALID_CONFIG no",
    ],
    ["runtime", null, "runtime RUNTIME_UNKNOWN yes"],
    ["context", named("AbortError"), "context CONTEXT_UNKNOWN no"],
    ["permission", new TypeError("x"), "permission PERMISSION_UNKNOWN no"],
  ] as const)("%s makes of %s: %s", (layer, value, expected) => {
    expect(seen(toHarnessError(value, layer))).toBe(expected);
  });

  it("is the runtime when no layer or an unknown one is given", () => {
    expect(toHarnessError("x").kind).toBe("runtime");
    expect(toHarnessError("x", "nonsense" as "tool").kind).toBe("runtime");
    expect(toHarnessError("x", "tool", null as unknown as undefined).kind).toBe("tool");
  });
});

describe("what others say about retrying", () => {
  const answered = (status: number, facts: object) =>
    toHarnessError(Object.assign(new Error("x"), { status, ...facts }), "model");

  it.each([
    [503, { isRetryable: false }],
    [503, { nonRetryable: true }],
    [503, { retryable: false }],
    [503, { headers: { "x-should-retry": "false" } }],
    [503, { cause: { isRetryable: false } }],
    [503, { isRetryable: false, headers: { "x-should-retry": "true" } }],
  ])("takes it away: %i with %j", (status, facts) => {
    expect(answered(status, facts).retryable).toBe(false);
  });

  it.each([
    [400, { isRetryable: true }],
    [400, { retryable: true, nonRetryable: false }],
    [501, { isRetryable: true }],
  ])("does not grant it: %i with %j", (status, facts) => {
    expect(answered(status, facts).retryable).toBe(false);
  });

  it.each([400, 404, 422, 501])("grants it for a %i only by the provider's own header", (status) => {
    expect(answered(status, { headers: new Headers({ "X-Should-Retry": " TRUE " }) }).retryable).toBe(true);
    expect(answered(status, { headers: new Headers({ "X-Should-Retry": "yes" }) }).retryable).toBe(false);
  });

  it.each([401, 402, 403, 413])("does not grant it by any header for a %i", (status) => {
    expect(answered(status, { headers: { "x-should-retry": "true" } }).retryable).toBe(false);
  });

  it.each([{ code: "content_filter", status: 400 }, { name: "AbortError" }, { code: "EPROTO" }])(
    "does not grant it by any header for %j",
    (facts) => {
      const error = Object.assign(new Error("x"), facts, { headers: { "x-should-retry": "true" } });
      expect(toHarnessError(error, "model").retryable).toBe(false);
    },
  );
});

describe("adoption after deltas were delivered", () => {
  it.each([
    [{ code: "ECONNRESET" }, "MODEL_NETWORK"],
    [{ name: "TimeoutError" }, "MODEL_TIMEOUT"],
    [{ name: "ZodError" }, "MODEL_BAD_RESPONSE"],
    [{}, "MODEL_UNKNOWN"],
  ])("%j is an interrupted stream that remembers %s", (facts, interruptedBy) => {
    const error = toHarnessError(Object.assign(new Error("x"), facts), "model", { delivered: 1 });
    expect(seen(error)).toBe("model MODEL_STREAM_INTERRUPTED no");
    expect(error.detail).toEqual({ interruptedBy });
  });

  it.each([
    [{ type: "overloaded_error" }, "MODEL_OVERLOADED"],
    [{ status: 429 }, "MODEL_RATE_LIMITED"],
    [{ status: 401 }, "MODEL_AUTH"],
  ])("%j keeps its code and is not retryable", (facts, code) => {
    const error = toHarnessError(Object.assign(new Error("x"), facts), "model", { delivered: 1 });
    expect(seen(error)).toBe(`model ${code} no`);
    expect(error.detail).toBeUndefined();
  });

  it("is as usual while nothing was delivered", () => {
    expect(seen(toHarnessError(new Error("x"), "model", { delivered: 0 }))).toBe("model MODEL_UNKNOWN yes");
  });
});

describe("the judgement of an adapter", () => {
  const adopt = (value: unknown, classify: (error: unknown) => unknown) =>
    toHarnessError(value, "model", { classify: classify as () => undefined });

  it("gets the value and gives code, retry answer and wait", () => {
    const value = new Error("x");
    const classify = vi.fn(() => ({ code: "MODEL_OVERLOADED", retryable: false, retryAfterMs: 5 }));
    expect(adopt(value, classify)).toMatchObject({
      code: "MODEL_OVERLOADED",
      retryable: false,
      retryAfterMs: 5,
      cause: value,
    });
    expect(classify).toHaveBeenCalledWith(value);
  });

  it("takes the retry answer of its code", () => {
    expect(adopt(new Error("x"), () => ({ code: "MODEL_AUTH" })).retryable).toBe(false);
    expect(adopt(Object.assign(new Error("x"), { status: 401 }), () => ({ code: "MODEL_OVERLOADED" })).retryable).toBe(
      true,
    );
  });

  it("does not silence a veto with its code", () => {
    expect(
      adopt(Object.assign(new Error("x"), { isRetryable: false }), () => ({ code: "MODEL_OVERLOADED" })).retryable,
    ).toBe(false);
  });

  it("fills in the rest as usual", () => {
    const value = Object.assign(new Error("x"), { status: 503, headers: { "retry-after": "3" } });
    expect(adopt(value, () => ({ retryable: false }))).toMatchObject({
      code: "MODEL_OVERLOADED",
      retryable: false,
      retryAfterMs: 3000,
      status: 503,
    });
  });

  it("comes before an error of ours inside, if it names a code", () => {
    const inner = new ModelError("y", { code: "MODEL_AUTH" });
    expect(adopt(caused("x", inner), () => ({ code: "MODEL_NOT_FOUND" })).code).toBe("MODEL_NOT_FOUND");
    expect(adopt(caused("x", inner), () => ({ retryable: false }))).toBe(inner);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("bug");
      },
    ],
    ["returns nothing", () => undefined],
    ["returns nonsense", () => ({ code: 7, retryable: "yes", retryAfterMs: -1 })],
    ["returns a string", () => "MODEL_AUTH"],
  ])("is ignored when it %s", (_, classify) => {
    const error = adopt(Object.assign(new Error("x"), { status: 503 }), classify);
    expect(seen(error)).toBe("model MODEL_OVERLOADED yes");
    expect(error.retryAfterMs).toBeUndefined();
  });

  it("is ignored when it is not a function", () => {
    expect(adopt(new Error("x"), "no" as unknown as () => undefined).code).toBe("MODEL_UNKNOWN");
  });

  it("does not silence a veto in another layer either", () => {
    const code = defineErrorCode("TOOL_OF_A_TEST", { kind: "tool", retryable: true, title: "T.", advice: "A." });
    const adoptTool = (facts: object) =>
      toHarnessError(Object.assign(new Error("x"), facts), "tool", { classify: () => ({ code }) });
    expect(seen(adoptTool({}))).toBe(`tool ${code} yes`);
    expect(seen(adoptTool({ isRetryable: false }))).toBe(`tool ${code} no`);
  });

  it("does not change an interrupted stream", () => {
    const error = toHarnessError(new Error("x"), "model", {
      delivered: 1,
      classify: () => ({ code: "MODEL_NETWORK", retryable: true }),
    });
    expect(seen(error)).toBe("model MODEL_STREAM_INTERRUPTED no");
  });
});

describe("what adoption keeps", () => {
  it("is the original value as cause, untouched", () => {
    const value = Object.freeze({ status: 503, nested: Object.freeze({}) });
    expect(toHarnessError(value, "model").cause).toBe(value);
    expect(toHarnessError(null, "model").cause).toBeNull();
    expect("cause" in toHarnessError(undefined, "model")).toBe(false);
  });

  it.each([
    [{ code: "insufficient_quota", type: "x" }, "insufficient_quota"],
    [{ code: "unsupported_parameter", type: "invalid_request_error" }, "unsupported_parameter"],
    [{ code: "brand_new", type: "also_new" }, "brand_new"],
    [{ code: "ERR_BAD_REQUEST" }, undefined],
    [{ code: "ECONNRESET" }, undefined],
    [{ code: "UND_ERR_SOCKET" }, undefined],
    [{ type: "error", error: { type: "overloaded_error" } }, "overloaded_error"],
    [{ name: "ThrottlingException" }, "ThrottlingException"],
    [{ name: "RateLimitError" }, undefined],
    [new DOMException("x", "DataError"), undefined],
    [{ code: "brand_new", type: "insufficient_quota" }, "insufficient_quota"],
    [{ code: "insufficient_quota", type: "billing_not_active" }, "insufficient_quota"],
    [{ code: "x".repeat(101) }, undefined],
  ])("is the provider's word of %j", (facts, expected) => {
    const value = facts instanceof DOMException ? facts : Object.assign(new Error("x"), { status: 400, ...facts });
    expect(toHarnessError(value, "model").providerCode).toBe(expected);
  });

  it.each([
    { headers: new Headers({ "x-request-id": "req_1" }) },
    { headers: { "Request-Id": "req_1" } },
    { response: { headers: { "x-amzn-requestid": "req_1" } } },
    { responseHeaders: { "apim-request-id": "req_1" } },
    { requestID: "req_1" },
    { request_id: "req_1" },
    { requestId: "req_1" },
    { $metadata: { requestId: "req_1" } },
    { error: { request_id: "req_1" } },
    { cause: { requestID: "req_1" } },
  ])("is the id of the request in %j", (facts) => {
    expect(toHarnessError(Object.assign(new Error("x"), facts), "model").requestId).toBe("req_1");
  });

  it("is at most 120 characters of a provider's word or id", () => {
    const error = toHarnessError(Object.assign(new Error("x"), { requestID: "r".repeat(5_000) }), "model");
    expect(error.requestId?.length).toBeLessThanOrEqual(120);
  });

  it("is the count of attempts of a wrapper that retried", () => {
    const lastError = Object.assign(new Error("x"), { status: 503 });
    const wrapper = Object.assign(new Error("gave up"), { lastError, errors: [1, 2, lastError] });
    expect(toHarnessError(wrapper, "model")).toMatchObject({ code: "MODEL_OVERLOADED", status: 503, attempts: 3 });
    expect(toHarnessError(caused("outer", wrapper), "model").attempts).toBe(3);
    expect(toHarnessError(Object.assign(new Error("x"), { lastError, errors: [] }), "model").attempts).toBeUndefined();
  });

  it("is a message without secrets, at most 2,000 characters long", () => {
    const error = toHarnessError(new Error(`key sk-proj-abcdefghijklmnop1234 ${"x".repeat(5_000)}`), "model");
    expect(error.message).not.toContain("sk-proj");
    expect(error.message.length).toBeLessThanOrEqual(2_000);
    expect(error.message).toBe(errorMessage(error.cause));
  });
});

describe("adoption of aggregates", () => {
  const code = (value: unknown) => {
    const { code, retryable } = toHarnessError(value, "model");
    return `${code} ${retryable ? "yes" : "no"}`;
  };
  const reset = () => Object.assign(new Error("reset"), { code: "ECONNRESET" });
  const denied = () => Object.assign(new Error("denied"), { status: 401 });

  it("is decided by the member that cannot be retried", () => {
    expect(code(new AggregateError([reset(), denied(), reset()]))).toBe("MODEL_AUTH no");
    expect(code(new AggregateError([reset(), reset()]))).toBe("MODEL_NETWORK yes");
    expect(code(new AggregateError([new Error("x"), reset()]))).toBe("MODEL_NETWORK yes");
    expect(code(new AggregateError([new Error("x")]))).toBe("MODEL_UNKNOWN yes");
  });

  it("is decided by itself when its members say nothing", () => {
    expect(code(Object.assign(new AggregateError([new Error("x")]), { code: "ETIMEDOUT" }))).toBe("MODEL_TIMEOUT yes");
    expect(code(Object.assign(new AggregateError([]), { code: "EPROTO" }))).toBe("MODEL_TLS no");
  });

  it("is decided by its own status before its members", () => {
    expect(code(Object.assign(new AggregateError([denied()]), { status: 503 }))).toBe("MODEL_OVERLOADED yes");
  });

  it("is not one when it has a last error", () => {
    expect(code(Object.assign(new AggregateError([denied(), reset()]), { lastError: reset() }))).toBe(
      "MODEL_NETWORK yes",
    );
  });

  it("looks into wrappers and into aggregates of aggregates", () => {
    expect(code(new TypeError("fetch failed", { cause: new AggregateError([reset(), denied()]) }))).toBe(
      "MODEL_AUTH no",
    );
    expect(code(new AggregateError([new AggregateError([reset(), new AggregateError([denied()])])]))).toBe(
      "MODEL_AUTH no",
    );
  });

  it("takes errors of ours as members at their word", () => {
    expect(code(new AggregateError([reset(), new ModelError("x", { code: "MODEL_NOT_FOUND" })]))).toBe(
      "MODEL_NOT_FOUND no",
    );
    expect(code(new AggregateError([new ModelError("x", { code: "MODEL_OF_MINE", retryable: false })]))).toBe(
      "MODEL_UNKNOWN no",
    );
    expect(code(new AggregateError([reset(), new ToolError("x")]))).toBe("MODEL_UNKNOWN no");
    expect(code(new AggregateError([new ModelError("x", { code: "MODEL_OVERLOADED" })]))).toBe("MODEL_OVERLOADED yes");
  });

  it("waits as long as its most patient member", () => {
    const limited = (seconds: string) =>
      Object.assign(new Error("x"), { status: 429, headers: { "retry-after": seconds } });
    const error = toHarnessError(new AggregateError([limited("1"), limited("9"), limited("3")]), "model");
    expect(error).toMatchObject({ code: "MODEL_RATE_LIMITED", retryAfterMs: 9_000, status: 429 });
    const own = new ModelError("x", { code: "MODEL_RATE_LIMITED", retryAfterMs: 20_000 });
    expect(toHarnessError(new AggregateError([limited("1"), own]), "model").retryAfterMs).toBe(20_000);
  });

  it("finds the one that cannot be retried among a thousand", () => {
    const members = Array.from({ length: 999 }, reset);
    expect(code(new AggregateError([...members, denied()]))).toBe("MODEL_AUTH no");
  });

  it("looks nine aggregates deep and not further", () => {
    const nested = (depth: number): unknown => (depth === 0 ? denied() : new AggregateError([nested(depth - 1)]));
    expect(code(nested(9))).toBe("MODEL_AUTH no");
    expect(code(nested(10))).toBe("MODEL_UNKNOWN yes");
  });

  it("ends when it contains itself or is wide at every level", () => {
    const own = new AggregateError([reset()]);
    own.errors.push(own);
    expect(code(own)).toBe("MODEL_NETWORK yes");
    let wide: unknown = reset();
    for (let level = 0; level < 12; level++) wide = new AggregateError(Array.from({ length: 100 }, () => wide));
    const started = performance.now();
    expect(code(wide)).toBe("MODEL_UNKNOWN yes");
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("adoption of chains", () => {
  it("ends for a cause that leads back to itself", () => {
    const a = new Error("a") as Error & { cause?: unknown };
    a.cause = new Error("b", { cause: a });
    expect(seen(toHarnessError(a, "model"))).toBe("model MODEL_UNKNOWN yes");
    const self = Object.assign(new Error("x"), { code: "ECONNRESET" }) as Error & { cause?: unknown };
    self.cause = self;
    expect(seen(toHarnessError(self, "model"))).toBe("model MODEL_NETWORK yes");
  });

  it("ends for a body that holds itself", () => {
    const body: Record<string, unknown> = { type: "overloaded_error" };
    body["error"] = body;
    expect(toHarnessError(body, "model").code).toBe("MODEL_OVERLOADED");
    expect(toHarnessError({ error: body, data: body }, "model").code).toBe("MODEL_OVERLOADED");
  });

  it.each(["cause", "lastError", "originalError", "reason"])("follows %s", (link) => {
    const inner = Object.assign(new Error("x"), { code: "EPROTO" });
    expect(toHarnessError(Object.assign(new Error("outer"), { [link]: inner }), "model").code).toBe("MODEL_TLS");
  });

  it("looks eight errors deep and not further", () => {
    const chain = (depth: number): unknown =>
      depth === 0 ? Object.assign(new Error("x"), { status: 401 }) : caused("x", chain(depth - 1));
    expect(toHarnessError(chain(8), "model").code).toBe("MODEL_AUTH");
    expect(toHarnessError(chain(9), "model").code).toBe("MODEL_UNKNOWN");
  });

  it("looks at sixteen errors and not further", () => {
    const bush = (depth: number): object =>
      depth === 0
        ? { status: 401 }
        : { cause: { x: 1 }, lastError: { y: 1 }, originalError: { z: 1 }, reason: bush(depth - 1) };
    expect(toHarnessError(bush(3), "model").code).toBe("MODEL_AUTH");
    expect(toHarnessError(bush(5), "model").code).toBe("MODEL_UNKNOWN");
  });
});
