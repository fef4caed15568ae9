import { describe, expect, it } from "vitest";
import { ModelError, PermissionError, serializeError, ToolError } from "../../src/errors/index.ts";
import { failureOf, MAX_RESULT_CHARS, NO_OUTPUT, resultOf, resultText } from "../../src/registry/tool-result.ts";
import { hostileValues } from "../util/hostile.ts";

const result = (returned: unknown, maxChars = MAX_RESULT_CHARS) => resultOf("t", returned, maxChars);

describe("resultOf", () => {
  it("takes text as it is, mended", () => {
    expect(result("seen \udc00\u0000")).toEqual({ ok: true, value: "seen \ufffd\u2400" });
  });

  it.each(Object.entries(hostileValues()))("makes JSON of what a tool returned: %s", (_name, value) => {
    const made = result(value);
    expect(JSON.parse(JSON.stringify(made))).toStrictEqual(made);
    expect(typeof resultText(made)).toBe("string");
  });

  it.each([
    [() => 1, "function"],
    [Symbol("s"), "symbol"],
  ])("calls %o no result", (value, type) => {
    expect(result(value)).toMatchObject({
      ok: false,
      kind: "tool",
      code: "TOOL_BAD_RESULT",
      retryable: false,
      error: `The tool "t" returned a ${type}, which is not JSON. Return text or plain data.`,
    });
  });

  it("takes the exact shape of a success for one", () => {
    expect(result({ ok: true, value: { n: 1n } })).toEqual({ ok: true, value: { n: "1" } });
    expect(result({ ok: true, value: undefined })).toEqual({ ok: true, value: null });
  });

  it("takes the exact shape of a failure for one", () => {
    const failure = { ok: false, error: "no\ud800", kind: "permission", retryable: true };
    expect(result(failure)).toStrictEqual({ ...failure, error: "no\ufffd" });
    expect(result({ ...failure, code: "MY_CODE" })).toEqual({ ...failure, error: "no\ufffd", code: "MY_CODE" });
    expect(result({ ...failure, code: undefined, detail: undefined })).toEqual({ ...failure, error: "no\ufffd" });
    expect(result({ ...failure, kind: "tool" })).toMatchObject({ code: "TOOL_REJECTED" });
  });

  it.each([
    ["a success without a value", { ok: true }],
    ["a success with more", { ok: true, value: 1, extra: 2 }],
    ["a value that is inherited", Object.assign(Object.create({ value: 1 }) as object, { ok: true })],
    ["a truthy ok", { ok: 1, value: 1 }],
    ["a failure with more", { ok: false, error: "x", kind: "tool", retryable: false, extra: 1 }],
    ["a failure without a kind", { ok: false, error: "x", retryable: false }],
    ["a failure of an unknown kind", { ok: false, error: "x", kind: "weather", retryable: false }],
    ["a failure without retryable", { ok: false, error: "x", kind: "tool" }],
    ["a failure whose error is no text", { ok: false, error: {}, kind: "tool", retryable: false }],
    ["a failure whose code is no text", { ok: false, error: "x", kind: "tool", retryable: false, code: 42 }],
    ["a failure whose code is empty", { ok: false, error: "x", kind: "tool", retryable: false, code: "" }],
    ["a failure with a null code", { ok: false, error: "x", kind: "tool", retryable: false, code: null }],
    ["a failure whose ok is a word", { ok: "no", error: "x", kind: "tool", retryable: false }],
    ["a list", [{ ok: false, error: "x", kind: "tool", retryable: false }]],
  ])("takes %s for a plain value", (_what, value) => {
    expect(result(value)).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) });
  });

  it("reads a claimed result once, so that it cannot change its mind", () => {
    let reads = 0;
    const lying = {
      get ok() {
        return reads++ === 0;
      },
      value: 1,
    };
    expect(result(lying)).toEqual({ ok: true, value: 1 });
    expect(reads).toBe(1);
  });

  it("keeps of a claimed detail only an error in its own form, without secrets", () => {
    const failure = { ok: false, error: "x", kind: "tool", retryable: false, code: "C" };
    const detail = serializeError(
      new ToolError("inner", { code: "C", cause: new Error("Bearer abcdefghijklmnop1234") }),
    );
    const kept = result({ ...failure, detail });
    expect(kept).toMatchObject({ detail: { kind: "tool", code: "C", message: "inner" } });
    expect(JSON.stringify(kept)).not.toContain("abcdefghijklmnop1234");
    expect(result({ ...failure, detail: { kind: "nobody", huge: "x".repeat(1_000_000) } })).toEqual(failure);
    expect(result({ ...failure, detail: "text" })).toEqual(failure);
  });

  it("cuts long text in the middle, within the limit, and says how long it was", () => {
    const text = "x".repeat(1_000);
    for (const value of [text, { ok: true, value: text }, { ok: false, error: text, kind: "tool", retryable: false }]) {
      const cut = resultText(result(value, 200));
      expect(cut).toMatch(/of 1,000 characters omitted/);
      expect(cut.length).toBeLessThanOrEqual(200);
    }
    expect(resultText(result({ list: [text] }, 200))).toMatch(
      /^{"list":\["x+\n.*of 1,013 characters omitted.*\nx+"\]}$/s,
    );
    expect(result("x".repeat(200), 200)).toEqual({ ok: true, value: "x".repeat(200) });
    expect(result(["x".repeat(196)], 200)).toEqual({ ok: true, value: ["x".repeat(196)] });
  });

  it("leaves a result that was cut as it is when it comes by again", () => {
    const once = result("x".repeat(1_000), 200);
    expect(result(once, 200)).toEqual(once);
  });
});

describe("resultText", () => {
  it.each([
    [{ ok: true, value: "text" }, "text"],
    [{ ok: true, value: 5 }, "5"],
    [{ ok: true, value: false }, "false"],
    [{ ok: true, value: { a: [1] } }, '{"a":[1]}'],
    [{ ok: true, value: "" }, NO_OUTPUT],
    [{ ok: true, value: null }, NO_OUTPUT],
    [{ ok: true, value: undefined }, NO_OUTPUT],
    [{ ok: false, error: "no", kind: "tool", retryable: false }, "no"],
    [{ ok: false, error: "", kind: "tool", retryable: false }, "The tool failed without a message."],
  ] as const)("reads %o as %s", (value, text) => {
    expect(resultText(value)).toBe(text);
  });
});

describe("the text of a failure", () => {
  const text = (cause: object) => resultText(failureOf(new ToolError("It failed.", { cause })));

  it("names the code of the service below, where the message does not", () => {
    expect(text(Object.assign(new Error("x"), { code: "ENOENT" }))).toBe("It failed. (ENOENT)");
    expect(resultText(failureOf(new ToolError("ENOENT: no file", { cause: { code: "ENOENT" } })))).toBe(
      "ENOENT: no file",
    );
    expect(text(Object.assign(new Error("x"), { code: 5 }))).toBe("It failed.");
    expect(text(new ModelError("x", { code: "MODEL_AUTH" }))).toBe("It failed.");
    expect(text(new Error("x"))).toBe("It failed.");
  });
});

describe("failureOf", () => {
  it("keeps the message of the error, its kind, its code and whether it is worth another try", () => {
    expect(failureOf(new ModelError("busy", { code: "MODEL_OVERLOADED" }))).toEqual({
      ok: false,
      error: "busy",
      kind: "model",
      retryable: true,
      code: "MODEL_OVERLOADED",
      detail: expect.objectContaining({ v: 1, kind: "model", message: "busy" }),
    });
    expect(failureOf(new PermissionError("no"))).toMatchObject({ kind: "permission", retryable: false });
  });

  it("mends and cuts only what no record could hold", () => {
    expect(failureOf(new ToolError("bad \ud800")).error).toBe("bad \ufffd");
    expect(failureOf(new ToolError("y".repeat(MAX_RESULT_CHARS))).error).toBe("y".repeat(MAX_RESULT_CHARS));
    expect(failureOf(new ToolError("y".repeat(1_000_000))).error.length).toBeLessThanOrEqual(MAX_RESULT_CHARS);
  });
});
