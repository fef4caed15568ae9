import { inspect } from "node:util";
import vm from "node:vm";
import {
  type AnyHarnessError,
  ContextError,
  defineErrorCode,
  ERROR_CODES,
  ERROR_KINDS,
  type ErrorKind,
  HarnessError,
  isContextError,
  isHarnessError,
  isModelError,
  isPermissionError,
  isRuntimeError,
  isToolError,
  ModelError,
  PermissionError,
  RuntimeError,
  ToolError,
  toHarnessError,
} from "harness-kit/errors";
import { describe, expect, expectTypeOf, it } from "vitest";

const classes = [
  ["model", ModelError, "ModelError", "MODEL_UNKNOWN", true],
  ["tool", ToolError, "ToolError", "TOOL_THREW", false],
  ["runtime", RuntimeError, "RuntimeError", "RUNTIME_UNKNOWN", true],
  ["context", ContextError, "ContextError", "CONTEXT_UNKNOWN", false],
  ["permission", PermissionError, "PermissionError", "PERMISSION_UNKNOWN", false],
] as const;

const guards = {
  model: isModelError,
  tool: isToolError,
  runtime: isRuntimeError,
  context: isContextError,
  permission: isPermissionError,
};

describe.each(classes)("an error of the kind %s", (kind, ErrorClass, name, code, retryable) => {
  it("needs no more than a message", () => {
    const error = new ErrorClass("It broke.");
    expect(error).toMatchObject({ kind, name, code, retryable, message: "It broke." });
    expect(Object.keys(error).sort()).toEqual(["code", "kind", "retryable"]);
    expect(error.stack).toMatch(new RegExp(`^${name}: It broke\\.\\n`));
    expect(`${error}`).toBe(`${name}: It broke.`);
  });

  it("keeps what it is told", () => {
    const facts = {
      status: 503,
      retryAfterMs: 0,
      providerCode: "p",
      requestId: "r",
      attempts: 2,
      detail: { a: 1 },
      retryState: "deadline",
    } as const;
    const cause = { any: "thing" };
    const error = new ErrorClass("x", { code: "MY_CODE", retryable: !retryable, cause, ...facts });
    expect(error).toMatchObject({ code: "MY_CODE", retryable: !retryable, ...facts });
    expect(error.cause).toBe(cause);
    expect(Object.keys(error)).not.toContain("cause");
  });

  it("takes an undefined option as left out", () => {
    const error = new ErrorClass("x", {
      code: undefined,
      retryable: undefined,
      cause: undefined,
      status: undefined,
      detail: undefined,
    });
    expect(error).toMatchObject({ code, retryable });
    expect("status" in error || "cause" in error).toBe(false);
  });

  it("keeps a null cause", () => {
    expect(new ErrorClass("x", { cause: null }).cause).toBeNull();
  });

  it("uses the default of a code that nobody defined", () => {
    expect(new ErrorClass("x", { code: "SOMETHING_NEW" }).retryable).toBe(retryable);
  });

  it("is known by instanceof and by its guards, and no other kind is", () => {
    const error: unknown = new ErrorClass("x");
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(HarnessError);
    expect(isHarnessError(error)).toBe(true);
    for (const [otherKind, OtherClass] of classes) {
      expect(error instanceof OtherClass).toBe(kind === otherKind);
      expect(isHarnessError(error, otherKind)).toBe(kind === otherKind);
      expect(guards[otherKind](error)).toBe(kind === otherKind);
    }
  });

  it("has a name that cannot be listed and can be overridden", () => {
    class Special extends ErrorClass {
      name = "Special";
    }
    const error: unknown = new Special("x");
    expect(Object.getOwnPropertyDescriptor(ErrorClass.prototype, "name")?.enumerable).toBe(false);
    expect(error).toMatchObject({ name: "Special", kind, code });
    expect(error instanceof Special && error instanceof ErrorClass && isHarnessError(error, kind)).toBe(true);
    expect(new ErrorClass("x") instanceof Special).toBe(false);
  });
});

describe("the identity of errors", () => {
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };

  it.each([
    ["a plain error", new Error("x")],
    ["its JSON", JSON.parse(JSON.stringify(new ModelError("x")))],
    ["its prototype", ModelError.prototype],
    ["an object with an unknown brand", { [Symbol.for("harness-kit.error")]: "other", code: "X", retryable: true }],
    ["an object without a code", { [Symbol.for("harness-kit.error")]: "model", retryable: true }],
    ["an object without a retry answer", { [Symbol.for("harness-kit.error")]: "model", code: "X" }],
    ["null", null],
    ["a function", () => undefined],
    ["a string", "ModelError"],
    ["a revoked proxy", revoked()],
    [
      "an object whose getters throw",
      {
        get [Symbol.for("harness-kit.error")]() {
          throw new Error("no");
        },
      },
    ],
  ])("is not given to %s", (_, value) => {
    class Special extends ModelError {}
    expect(isHarnessError(value)).toBe(false);
    expect(value instanceof ModelError || value instanceof HarnessError || value instanceof Special).toBe(false);
  });

  it("is given to the errors of another copy of the package", () => {
    const foreign: unknown = { [Symbol.for("harness-kit.error")]: "model", code: "X", retryable: true };
    expect(isHarnessError(foreign, "model")).toBe(true);
    expect(foreign instanceof ModelError && foreign instanceof HarnessError).toBe(true);
    expect(foreign instanceof ToolError).toBe(false);
  });

  it("reaches into other realms", () => {
    const value = vm.runInNewContext("new (class extends Base {})('x')", { Base: ToolError });
    expect(isHarnessError(value, "tool")).toBe(true);
  });

  it("narrows by kind", () => {
    const error: AnyHarnessError = toHarnessError(new Error("x"), "model");
    const name = (): string => {
      switch (error.kind) {
        case "model":
          expectTypeOf(error).toEqualTypeOf<ModelError>();
          return "model";
        case "tool":
        case "runtime":
        case "context":
        case "permission":
          return error.kind;
      }
    };
    expect(name()).toBe("model");
    const value: unknown = error;
    if (isHarnessError(value, "tool")) expectTypeOf(value).toEqualTypeOf<ToolError>();
    if (isHarnessError(value)) expectTypeOf(value.kind).toEqualTypeOf<ErrorKind>();
    expectTypeOf<"MODEL_AUTH">().toExtend<AnyHarnessError["code"]>();
    expectTypeOf<"ANYTHING_ELSE">().toExtend<AnyHarnessError["code"]>();
  });
});

describe("misuse of an error class", () => {
  const make = (message: unknown, options: unknown) => () => new ModelError(message as string, options as object);

  it.each([
    ["code", 7, "a code such as"],
    ["code", "", "a code such as"],
    ["code", null, "a code such as"],
    ["retryable", "yes", "true or false"],
    ["retryable", 1, "true or false"],
    ["status", 99, "100 to 599"],
    ["status", 600, "100 to 599"],
    ["status", 200.5, "100 to 599"],
    ["status", "503", "100 to 599"],
    ["retryAfterMs", -1, "0 or more"],
    ["retryAfterMs", Number.NaN, "0 or more"],
    ["retryAfterMs", Number.POSITIVE_INFINITY, "0 or more"],
    ["retryAfterMs", "7", "0 or more"],
    ["providerCode", 7, "a string"],
    ["requestId", {}, "a string"],
    ["attempts", 0, "from 1 up"],
    ["attempts", 1.5, "from 1 up"],
    ["detail", [], "plain JSON data"],
    ["detail", "x", "plain JSON data"],
    ["detail", null, "plain JSON data"],
    ["retryState", "tired", "attempts_exhausted, budget_exhausted"],
  ])("is refused: %s = %j", (key, value, expected) => {
    const build = make("x", { [key]: value });
    expect(build).toThrow(TypeError);
    expect(build).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_CONFIG" }));
    expect(build).toThrow(
      new RegExp(`^The option ${key} of a ModelError must be .*${expected}.*, got .*Or leave it out\\.$`),
    );
  });

  it.each([
    [100, 1],
    [599, 1],
  ])("is not seen in the status %i", (status, attempts) => {
    expect(new ModelError("x", { status, attempts })).toMatchObject({ status, attempts });
  });

  it("is refused for a message that is no string and for options that are no object", () => {
    expect(make(undefined, {})).toThrow(
      "The message of a ModelError must be a string, got undefined. Say what happened.",
    );
    expect(make(new Error("x"), {})).toThrow(TypeError);
    expect(make("x", "MODEL_AUTH")).toThrow(
      'The options of a ModelError must be an object such as { code, cause }, got "MODEL_AUTH".',
    );
    expect(make("x", null)).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_CONFIG" }));
  });

  it("is refused for the base class", () => {
    class Odd extends HarnessError {
      readonly kind = "tool" as const;
    }
    expect(() => new Odd("x")).toThrow("HarnessError has no kind. Extend ModelError, ToolError or another class.");
  });
});

describe("the table of codes", () => {
  it.each(Object.entries(ERROR_CODES))(
    "%s decides the default and says what to do",
    (code, { kind, retryable, title, advice }) => {
      const [, ErrorClass] = classes.find(([candidate]) => candidate === kind) ?? classes[0];
      expect(new ErrorClass("x", { code })).toMatchObject({ kind, code, retryable });
      expect(new ErrorClass("x", { code, retryable: !retryable }).retryable).toBe(!retryable);
      expect(title).toMatch(/^[A-Z][^.]+\.$/);
      expect(advice).toMatch(/^[A-Z].*\.$/);
      expect(code).toMatch(kind === "runtime" ? /^RUN(TIME)?_/ : new RegExp(`^${kind.toUpperCase()}_`));
    },
  );

  it("calls retryable exactly what may pass by itself", () => {
    const retryable = Object.entries(ERROR_CODES).filter(([, definition]) => definition.retryable);
    expect(retryable.map(([code]) => code)).toEqual([
      "MODEL_RATE_LIMITED",
      "MODEL_OVERLOADED",
      "MODEL_SERVER_ERROR",
      "MODEL_TIMEOUT",
      "MODEL_NETWORK",
      "MODEL_BAD_RESPONSE",
      "MODEL_UNKNOWN",
      "RUN_TIMEOUT",
      "RUNTIME_UNKNOWN",
      "CONTEXT_IN_USE",
      "CONTEXT_STORE_FAILED",
    ]);
  });

  it("has every kind", () => {
    expect(ERROR_KINDS).toEqual(["model", "tool", "runtime", "context", "permission"]);
    expect(new Set(Object.values(ERROR_CODES).map(({ kind }) => kind))).toEqual(new Set(ERROR_KINDS));
  });
});

describe("a code of a user", () => {
  const definition = {
    kind: "tool",
    retryable: true,
    title: "The ticket is locked.",
    advice: "Wait a minute.",
  } as const;

  it("gives its default to errors and may be defined twice in the same way", () => {
    const code = defineErrorCode("TOOL_TICKET_LOCKED", definition);
    expectTypeOf(code).toEqualTypeOf<"TOOL_TICKET_LOCKED">();
    expect(defineErrorCode("TOOL_TICKET_LOCKED", { ...definition })).toBe(code);
    expect(new ToolError("x", { code }).retryable).toBe(true);
    expect(new ToolError("x", { code, retryable: false }).retryable).toBe(false);
  });

  it.each([
    ["MODEL_AUTH", definition],
    ["MODEL_AUTH", ERROR_CODES.MODEL_AUTH],
    ["TOOL_TAKEN", { ...definition, kind: "model" as const }],
    ["TOOL_TAKEN", { ...definition, retryable: false }],
    ["TOOL_TAKEN", { ...definition, title: "Another." }],
  ])("is refused when %s is taken already", (code, other) => {
    defineErrorCode("TOOL_TAKEN", definition);
    const define = () => defineErrorCode(code, other);
    expect(define).toThrow(/^The error code "\w+" is taken: .+ Choose another name, such as "MY_\w+"\.$/);
    expect(define).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_CONFIG" }));
  });

  it.each(["lower_case", "ONEWORD", "", "TOOL__X", "TOOL_X_", "1TOOL_X", " TOOL_X", "TOOL_X\n", 7, ["TOOL_X"]])(
    "is refused as %j",
    (code) => {
      expect(() => defineErrorCode(code as string, definition)).toThrow("An error code is written in capitals");
    },
  );

  it.each([
    [undefined, "must be one of model, tool, runtime, context, permission"],
    [{ ...definition, kind: "disk" }, "must be one of model, tool, runtime, context, permission"],
    [{ ...definition, retryable: 1 }, "needs retryable"],
    [{ ...definition, title: undefined }, "and a title"],
  ])("is refused when it is defined as %j", (wrong, message) => {
    expect(() => defineErrorCode("TOOL_WRONG_ONE", wrong as typeof definition)).toThrow(message);
  });
});

describe("printing an error", () => {
  const leaky = () =>
    Object.assign(
      new Error("Request failed", { cause: Object.assign(new TypeError("inner"), { code: "ECONNRESET" }) }),
      {
        name: "AxiosError",
        code: "ERR_BAD_REQUEST",
        status: 401,
        config: { headers: { Authorization: "Bearer very-secret-token" }, data: "the prompt" },
      },
    );

  it("shows the stack, the facts and of the causes only names and codes", () => {
    const printed = inspect(toHarnessError(leaky(), "model"));
    expect(printed).toMatch(/^ModelError: Request failed\n {4}at /);
    expect(printed).toContain('{ kind: "model", code: "MODEL_AUTH", retryable: false, status: 401 }');
    expect(printed).toMatch(/\n {2}\[cause\] AxiosError 401 ERR_BAD_REQUEST <- TypeError ECONNRESET$/);
    expect(printed).not.toMatch(/very-secret|the prompt|config/);
  });

  it("shows the members of an aggregate", () => {
    const cause = new AggregateError([new Error("a"), Object.assign(new Error("b"), { code: "EPIPE" })]);
    expect(inspect(new ToolError("x", { cause }))).toMatch(/\[cause\] AggregateError \[Error, Error EPIPE\]$/);
  });

  it("says nothing of a cause when there is none, and prints the message when there is no stack", () => {
    const error = new ToolError("key sk-proj-abcdefghijklmnop1234");
    Object.defineProperty(error, "stack", { value: undefined });
    expect(inspect(error)).toBe('ToolError: key [redacted]\n  { kind: "tool", code: "TOOL_THREW", retryable: false }');
  });

  it("stays short and without secrets inside another error", () => {
    const wrapper = new Error("outer", {
      cause: new ModelError(`x${"y".repeat(50_000)} Bearer abcdefgh12345`, { cause: leaky() }),
    });
    const printed = inspect(wrapper);
    expect(printed.length).toBeLessThan(12_000);
    expect(printed).not.toMatch(/very-secret|abcdefgh12345/);
  });
});
