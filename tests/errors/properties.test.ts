import fc from "fast-check";
import {
  deserializeError,
  ERROR_KINDS,
  errorMessage,
  explainError,
  HarnessError,
  isHarnessError,
  serializeError,
  toHarnessError,
} from "harness-kit/errors";
import { describe, expect, it } from "vitest";

const NAMES = ["Error", "TypeError", "AbortError", "TimeoutError", "ZodError", "AI_RetryError", "ThrottlingException"];
const CODES = ["ECONNRESET", "EPROTO", "insufficient_quota", "ERR_BAD_RESPONSE", 14, 20, 429, "ABORT_ERR", null];
const KEYS = [
  "message",
  "name",
  "code",
  "status",
  "statusCode",
  "cause",
  "errors",
  "lastError",
  "reason",
  "headers",
  "error",
  "data",
  "responseBody",
  "type",
  "details",
  "metadata",
  "isRetryable",
  "kind",
  "retryable",
  "stack",
];

/** Values as they could be thrown: primitives, nested objects and errors with the keys that are looked at. */
const { thrown } = fc.letrec<{ thrown: unknown; error: unknown }>((tie) => ({
  error: fc
    .record(
      {
        message: fc.oneof(fc.string(), fc.constant('{"error":{"type":"api_error"}}'), tie("thrown")),
        name: fc.constantFrom(...NAMES),
        code: fc.constantFrom(...CODES),
        status: fc.oneof(fc.integer({ min: 0, max: 700 }), fc.string()),
        cause: tie("thrown"),
        lastError: tie("thrown"),
        errors: fc.oneof(fc.array(tie("thrown"), { maxLength: 4 }), tie("thrown")),
        headers: fc.oneof(
          fc.dictionary(fc.constantFrom("retry-after", "Retry-After-Ms", "x-should-retry"), fc.string()),
          tie("thrown"),
        ),
        error: tie("thrown"),
        isRetryable: fc.boolean(),
        kind: fc.constantFrom(...ERROR_KINDS, "other"),
        retryable: fc.anything(),
      },
      { requiredKeys: [] },
    )
    .map((facts) => {
      const error = new Error("x");
      for (const [key, value] of Object.entries(facts))
        Object.defineProperty(error, key, { value, configurable: true, enumerable: true });
      return error;
    }),
  thrown: fc.oneof(
    { maxDepth: 4 },
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
    }),
    fc.string(),
    tie("error"),
    fc.dictionary(fc.constantFrom(...KEYS), tie("thrown")),
    fc.constantFrom(
      Symbol("s"),
      () => 1,
      new AggregateError([], ""),
      new DOMException("x", "AbortError"),
      new Date(Number.NaN),
    ),
  ),
}));

/** Wraps a value so that every operation a proxy can refuse throws. */
function hostile(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const refuse = () => {
    throw new Error("refused");
  };
  return new Proxy(value, {
    get: refuse,
    has: refuse,
    ownKeys: refuse,
    getPrototypeOf: refuse,
    getOwnPropertyDescriptor: refuse,
  });
}

const kinds = fc.constantFrom(...ERROR_KINDS);
const options = fc.record(
  {
    delivered: fc.integer({ min: -1, max: 3 }),
    idempotent: fc.boolean(),
    phase: fc.constant("arguments" as const),
    signal: thrown.map((reason) => AbortSignal.abort(reason)),
  },
  { requiredKeys: [] },
);

describe("for every value that can be thrown", () => {
  it("adoption gives an error of ours that keeps the value, and leaves it as it is the second time", () => {
    fc.assert(
      fc.property(thrown, kinds, options, (value, kind, known) => {
        const error = toHarnessError(value, kind, known);
        expect(error).toBeInstanceOf(HarnessError);
        expect(ERROR_KINDS).toContain(error.kind);
        expect(error.message).not.toBe("");
        expect(error.message.length).toBeLessThanOrEqual(2_000);
        expect(Object.is(error.cause, value)).toBe(true);
        expect(toHarnessError(error, "tool", known)).toBe(error);
      }),
      { numRuns: 1_000 },
    );
  });

  it("adoption survives a value that refuses every touch", () => {
    fc.assert(
      fc.property(thrown, kinds, (value, kind) => {
        const trap = hostile(value);
        expect(toHarnessError(trap, kind).cause).toBe(trap);
        expect(toHarnessError(new Error("x", { cause: trap }), kind).message).toBe("x");
        expect(typeof errorMessage(trap)).toBe("string");
      }),
    );
  });

  it("adoption changes nothing in the value", () => {
    fc.assert(
      fc.property(thrown, kinds, (value, kind) => {
        const changed = () => {
          throw new Error("changed");
        };
        const guarded =
          typeof value === "object" && value !== null
            ? new Proxy(value, {
                set: changed,
                defineProperty: changed,
                deleteProperty: changed,
                setPrototypeOf: changed,
                preventExtensions: changed,
              })
            : value;
        expect(toHarnessError(guarded, kind).cause).toBe(guarded);
      }),
    );
  });

  it("the JSON is small, is plain, and is the same after a round trip", () => {
    fc.assert(
      fc.property(thrown, kinds, (value, kind) => {
        const record = serializeError(toHarnessError(value, kind));
        const text = JSON.stringify(record);
        expect(new TextEncoder().encode(text).length).toBeLessThan(16 * 1024);
        expect(JSON.parse(text)).toEqual(record);
        const revived = deserializeError(JSON.parse(text));
        expect(isHarnessError(revived, kind)).toBe(true);
        expect(JSON.stringify(revived)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("reviving gives an error whatever the record is, and an explanation of two to five lines", () => {
    fc.assert(
      fc.property(thrown, (value) => {
        expect(deserializeError(value)).toBeInstanceOf(Error);
        const lines = explainError(value).split("\n");
        expect(lines.length).toBeGreaterThanOrEqual(2);
        expect(lines.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 1_000 },
    );
  });
});
