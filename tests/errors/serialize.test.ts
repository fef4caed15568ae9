import { Worker } from "node:worker_threads";
import {
  deserializeError,
  ERROR_CODES,
  isHarnessError,
  ModelError,
  type SerializedError,
  serializeError,
  ToolError,
  toHarnessError,
} from "harness-kit/errors";
import { describe, expect, it } from "vitest";

const json = (value: unknown): SerializedError => JSON.parse(JSON.stringify(value));
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

function chain(length: number, message: string): Error {
  let error = new Error(message);
  for (let index = 1; index < length; index++) error = new Error(message, { cause: error });
  return error;
}

function depthOf(record: { cause?: unknown } | undefined): number {
  return record === undefined ? 0 : 1 + depthOf(record.cause as { cause?: unknown } | undefined);
}

describe("an error as JSON", () => {
  it("has the fields that are allowed and no other", () => {
    const error = new ToolError("x", {
      code: "TOOL_REJECTED",
      status: 500,
      retryAfterMs: 5,
      providerCode: "p",
      requestId: "r",
      attempts: 2,
      detail: { processCode: "ENOENT", list: [1] },
      retryState: "deadline",
    });
    Object.assign(error, { extra: "no" });
    expect(json(error)).toEqual({
      v: 1,
      name: "ToolError",
      kind: "tool",
      code: "TOOL_REJECTED",
      retryable: false,
      message: "x",
      retryAfterMs: 5,
      status: 500,
      providerCode: "p",
      requestId: "r",
      attempts: 2,
      retryState: "deadline",
      detail: { processCode: "ENOENT", list: [1] },
    });
    expect(json(new ModelError("y"))).toEqual({
      v: 1,
      name: "ModelError",
      kind: "model",
      code: "MODEL_UNKNOWN",
      retryable: true,
      message: "y",
    });
  });

  it("keeps of a foreign cause its name, message, code and status only", () => {
    const cause = Object.assign(new Error("Request failed"), {
      name: "AxiosError",
      code: "ERR_BAD_REQUEST",
      status: 401,
      config: { headers: { Authorization: "Bearer abc" } },
      requestBodyValues: { prompt: "the prompt" },
      responseHeaders: { "set-cookie": "sid=1" },
    });
    const record = json(toHarnessError(cause, "model"));
    expect(record.cause).toEqual({
      name: "AxiosError",
      message: "Request failed",
      code: "ERR_BAD_REQUEST",
      status: 401,
    });
    expect(JSON.stringify(record)).not.toMatch(/the prompt|Bearer|sid=1/);
  });

  it.each([
    ["a string", "because", { name: "string", message: "because" }],
    ["null", null, { name: "object", message: "null" }],
    ["a class by its constructor", new (class APIError extends Error {})("x"), { name: "APIError", message: "x" }],
    ["a status code", Object.assign(new Error("x"), { statusCode: 503 }), { name: "Error", message: "x", status: 503 }],
    [
      "no status that is none",
      Object.assign(new Error("x"), { status: "503", code: Number.NaN }),
      { name: "Error", message: "x" },
    ],
    ["a number as code", Object.assign(new Error("x"), { code: 14 }), { name: "Error", message: "x", code: 14 }],
    ["an object", { a: 1 }, { name: "Error", message: '{"a":1}' }],
    [
      "an error of ours",
      new ModelError("y", { code: "MODEL_AUTH", status: 401 }),
      { name: "ModelError", message: "y", kind: "model", retryable: false, code: "MODEL_AUTH", status: 401 },
    ],
    ["a null cause of the cause", Object.assign(new Error("x"), { cause: null }), { name: "Error", message: "x" }],
  ])("names as cause %s", (_, cause, expected) => {
    expect(json(new ToolError("outer", { cause })).cause).toEqual(expected);
  });

  it("takes out secrets, also those the error was adopted with, in every text", () => {
    const cause = Object.assign(new Error("open sesame-open", { cause: new Error("Bearer abcdefgh1234") }), {
      code: "sesame-open",
    });
    const error = toHarnessError(cause, "model", { secrets: ["sesame-open"] });
    const text = JSON.stringify(error);
    expect(text).not.toMatch(/sesame-open|abcdefgh1234/);
    expect(text).toContain("open [redacted]");
    const shouted = toHarnessError(new Error("abc"), "model", { redact: (message) => message.toUpperCase() });
    expect(json(shouted)).toMatchObject({ message: "ABC", cause: { message: "ABC" } });
    const stopped = toHarnessError(new Error("sesame-open"), "model", {
      secrets: ["sesame-open"],
      signal: AbortSignal.abort(),
    });
    expect(JSON.stringify(stopped)).not.toContain("sesame-open");
  });

  it("takes out secrets of our own errors that were never adopted", () => {
    const error = new ToolError("Bearer abcdefgh1234", { detail: { password: "p", note: "sk-proj-abcdefghijkl123" } });
    expect(json(error)).toMatchObject({
      message: "Bearer [redacted]",
      detail: { password: "[redacted]", note: "[redacted]" },
    });
    expect(serializeError(new ToolError("sesame-open"), { secrets: ["sesame-open"] }).message).toBe("[redacted]");
  });

  it("writes the stack only when asked, bounded and without secrets", () => {
    const error = new ToolError(`Bearer abcdefgh1234${" x".repeat(9_000)}`);
    expect(serializeError(error).stack).toBeUndefined();
    const { stack } = serializeError(error, { stack: true });
    expect(stack).toMatch(/^ToolError: Bearer \[redacted\]/);
    expect(stack?.length).toBeLessThanOrEqual(4_000);
  });

  it("adopts a foreign value first", () => {
    expect(serializeError("boom")).toMatchObject({
      kind: "runtime",
      code: "RUNTIME_UNKNOWN",
      message: "boom",
      cause: { name: "string" },
    });
    expect(serializeError("sesame-open", { secrets: ["sesame-open"] }).message).toBe("[redacted]");
  });

  it("marks a circle", () => {
    const a = new Error("a") as Error & { cause?: unknown };
    a.cause = new Error("b", { cause: a });
    expect(json(new ToolError("x", { cause: a })).cause).toEqual({
      name: "Error",
      message: "a",
      cause: { name: "Error", message: "b", cause: { name: "Circular", message: "[circular]" } },
    });
  });

  it("is four causes deep, five members wide and twelve nodes in all", () => {
    expect(depthOf(json(new ToolError("x", { cause: chain(9, "m") })).cause)).toBe(4);
    const wide = new AggregateError(
      Array.from({ length: 1_000 }, (_, index) => new Error(`${index}`)),
      "w",
    );
    const record = json(new ToolError("x", { cause: wide }));
    expect(record.cause?.errors).toHaveLength(5);
    expect(bytes(record)).toBeLessThan(600);
    const bushy = new AggregateError(
      Array.from({ length: 5 }, () => chain(4, "m")),
      "b",
    );
    expect(JSON.stringify(new ToolError("x", { cause: bushy })).split('"message"')).toHaveLength(13);
    expect("errors" in (json(new ToolError("x", { cause: new AggregateError([], "e") })).cause ?? {})).toBe(false);
  });

  it.each([
    ["plain", "a"],
    ["of three bytes each", "\u20ac"],
    ["escaped", "\u0001"],
    ["lone surrogates", "\ud800"],
  ])("stays under 16 KiB whatever the text is: %s", (_, character) => {
    const message = character.repeat(50_000);
    const bushy = new AggregateError(
      Array.from({ length: 5 }, () => chain(4, message)),
      message,
    );
    const detail = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key${index}`, message]));
    const error = new ToolError(message, {
      cause: bushy,
      detail,
      providerCode: message,
      requestId: message,
      code: message,
    });
    for (const record of [serializeError(error), serializeError(error, { stack: true })]) {
      expect(bytes(record)).toBeLessThan(16 * 1024);
      expect(json(record)).toEqual(record);
      expect(record.message.length).toBeGreaterThan(100);
    }
  });

  it("keeps full messages while they fit", () => {
    const record = json(new ToolError("a".repeat(2_000), { cause: chain(4, "b".repeat(2_000)) }));
    expect(record.message).toHaveLength(2_000);
    expect(record.cause?.cause?.cause?.cause?.message).toHaveLength(2_000);
    expect(bytes(record)).toBeGreaterThan(10_000);
  });
});

describe("an error from JSON", () => {
  it.each(Object.entries(ERROR_CODES))("is the same error again: %s", (code, { kind }) => {
    const record = {
      v: 1,
      name: "x",
      kind,
      code,
      retryable: true,
      message: "m",
      cause: { name: "Error", message: "c" },
    };
    const error = deserializeError(record);
    expect(isHarnessError(error, kind)).toBe(true);
    expect(json(error)).toEqual(record);
  });

  it("brings back all fields, causes included", () => {
    const inner = new ModelError("inner", { code: "MODEL_AUTH", cause: new TypeError("t") });
    const cause = Object.assign(
      new AggregateError([inner, Object.assign(new Error("e"), { code: 14, status: 503 })], "agg"),
      { code: "X" },
    );
    const original = new ToolError("x", {
      code: "MY_OWN",
      retryable: true,
      cause,
      status: 500,
      retryAfterMs: 0,
      providerCode: "p",
      requestId: "r",
      attempts: 1,
      detail: { a: [1] },
      retryState: "aborted",
    });
    const revived = deserializeError(json(original)) as ToolError;
    expect(json(revived)).toEqual(json(original));
    expect(revived.cause).toMatchObject({ name: "AggregateError", code: "X" });
    expect((revived.cause as AggregateError).errors[0]).toBeInstanceOf(ModelError);
    expect((revived.cause as AggregateError).errors[0].cause).toMatchObject({ name: "TypeError", message: "t" });
  });

  it("keeps texts that are empty", () => {
    const original = new ToolError("", { providerCode: "", requestId: "" });
    expect(json(deserializeError(json(original)))).toEqual(json(original));
  });

  it("keeps the stack it is given and invents none", () => {
    const original = new ToolError("x");
    const revived = deserializeError(json(serializeError(original, { stack: true })));
    expect(revived.stack).toBe(original.stack);
    expect(deserializeError(json(original)).stack).toBe("ToolError: x");
    expect(
      Object.keys(deserializeError({ name: "N", message: "m", code: 1, status: 400, stack: "s", errors: [{}] })),
    ).toEqual([]);
  });

  it("returns an error of ours as it is", () => {
    const error = new ModelError("x");
    expect(deserializeError(error)).toBe(error);
  });

  it("ignores fields of a wrong type", () => {
    const error = deserializeError({
      kind: "model",
      code: 7,
      retryable: "yes",
      message: 9,
      status: 9999,
      retryAfterMs: -1,
      providerCode: 1,
      requestId: {},
      attempts: 0,
      detail: [1],
      retryState: "tired",
      stack: 5,
      name: 3,
      cause: "text",
      errors: "no",
    });
    expect(json(error)).toEqual({
      v: 1,
      name: "ModelError",
      kind: "model",
      code: "MODEL_UNKNOWN",
      retryable: true,
      message: expect.stringContaining('"kind":"model"'),
    });
    expect(
      json(deserializeError({ kind: "model", message: "m", retryAfterMs: "5", attempts: 1.5, detail: "x" })),
    ).toMatchObject({ message: "m" });
  });

  it("brings back the causes of a plain error", () => {
    const error = deserializeError({ message: "a", cause: { message: "b", cause: { message: "c" } } });
    expect(error).toMatchObject({ message: "a", cause: { message: "b", cause: { message: "c" } } });
    expect("cause" in deserializeError({ message: "a" })).toBe(false);
  });

  it("leaves out of a plain error what has a wrong type", () => {
    const error = deserializeError({ message: "m", code: true, status: "503", errors: [] });
    expect(["code", "status", "errors"].filter((key) => key in error)).toEqual([]);
  });

  it("leaves out of the detail what JSON cannot hold", () => {
    const error = deserializeError({ kind: "tool", message: "m", detail: { a: undefined, b: 1 } });
    expect((error as ToolError).detail).toStrictEqual({ b: 1 });
  });

  it("has properties that a host may change, as those of any error", () => {
    const error = deserializeError({ message: "m", name: "N", code: "C" });
    for (const key of ["name", "code", "stack"]) {
      expect(Object.getOwnPropertyDescriptor(error, key)).toMatchObject({
        writable: true,
        configurable: true,
        enumerable: false,
      });
    }
  });

  it("is a plain error for a kind that is not known", () => {
    const error = deserializeError({ kind: "disk", code: "DISK_FULL", message: "m", name: "DiskError", status: 500 });
    expect(isHarnessError(error)).toBe(false);
    expect(error).toMatchObject({ name: "DiskError", message: "m", code: "DISK_FULL", status: 500 });
    expect(error instanceof Error).toBe(true);
  });

  it.each([null, undefined, "text", 7, [], {}, () => 1])("is a plain error for %s", (value) => {
    const error = deserializeError(value);
    expect(error).toBeInstanceOf(Error);
    expect(error.message).not.toBe("");
  });

  it("keeps an unknown code with the retry answer of the record", () => {
    expect(deserializeError({ kind: "tool", code: "TOOL_OF_2030", retryable: true, message: "m" })).toMatchObject({
      code: "TOOL_OF_2030",
      retryable: true,
    });
    expect(deserializeError({ kind: "tool", code: "TOOL_OF_2030", message: "m" })).toMatchObject({ retryable: false });
  });

  it("does not touch any prototype", () => {
    const record = JSON.parse(
      '{"kind":"model","message":"m","__proto__":{"polluted":1},"detail":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    );
    const error = deserializeError(record);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((error as unknown as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf((error as ModelError).detail)).toBe(Object.prototype);
  });

  it("looks eight levels deep for members and causes, and not further", () => {
    let record: Record<string, unknown> = { message: "end" };
    for (let index = 0; index < 12; index++) record = { message: "m", errors: [record], cause: { message: "c" } };
    let error = deserializeError(record) as Error & { errors?: (Error & { errors?: never[] })[] };
    let depth = 0;
    while (error.errors?.[0] !== undefined) {
      error = error.errors[0];
      depth += 1;
    }
    expect(depth).toBe(8);
    expect(error.cause).toBeUndefined();
  });

  it("ends for records that are deep, wide or circular", () => {
    const record: Record<string, unknown> = { kind: "tool", message: "m" };
    record["cause"] = record;
    record["errors"] = Array.from({ length: 1_000 }, () => ({ message: "x" }));
    expect(bytes(deserializeError(record))).toBeLessThan(16 * 1024);
    let foreign: Record<string, unknown> = { message: "end" };
    for (let index = 0; index < 10_000; index++) foreign = { message: "m", errors: [foreign] };
    expect(deserializeError(foreign)).toBeInstanceOf(Error);
  });

  it("crosses to a worker and back", async () => {
    const error = new ModelError("slow down", { code: "MODEL_RATE_LIMITED", retryAfterMs: 7, cause: new Error("429") });
    const worker = new Worker(
      'const { parentPort } = require("worker_threads"); parentPort.on("message", (m) => parentPort.postMessage(m))',
      { eval: true },
    );
    const answer = new Promise((resolve) => worker.once("message", resolve));
    worker.postMessage(error.toJSON());
    const revived = deserializeError(await answer);
    await worker.terminate();
    expect(revived).toBeInstanceOf(ModelError);
    expect(json(revived)).toEqual(json(error));
  });
});
