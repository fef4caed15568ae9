import { errorMessage } from "harness-kit/errors";
import { describe, expect, it } from "vitest";

describe("the message of any value", () => {
  it.each([
    ["a string", "text", "text"],
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a number", 7, "7"],
    ["a bigint", 10n, "10"],
    ["false", false, "false"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an empty string", "", "[an empty string was thrown]"],
    ["a blank string", " \n", "[an empty string was thrown]"],
    ["a function", () => 1, "[a function was thrown]"],
    ["an error", new TypeError("x"), "x"],
    ["an empty error", new RangeError(""), "RangeError without a message"],
    ["a blank error", new Error("  "), "Error without a message"],
    [
      "an error of a nameless class",
      Object.assign(new (class extends Error {})(""), { name: "" }),
      "Error without a message",
    ],
    ["an error made of an object", new Error(String({})), "Error without a message"],
    ["an error made of an object beside a real one", { message: "[object Object]", error: "real" }, "real"],
    ["an abort without words", new DOMException("", "AbortError"), "AbortError without a message"],
    ["an object with a message", { message: "m", error: "e" }, "m"],
    ["an object with an error text", { error: "e" }, "e"],
    ["an object with an error object", { error: { message: "em" } }, "em"],
    ["an object with a number as message", { message: 7 }, '{"message":7}'],
    ["an aggregate", new AggregateError([new Error("a"), "b"], ""), "a; b"],
    ["an aggregate with a message", new AggregateError([new Error("a")], "m"), "m"],
    ["an aggregate of many", { errors: [1, 2, 3, 4, 5, 6] }, "1; 2; 3; 4; 5"],
    ["an aggregate of nothing", new AggregateError([], ""), "AggregateError without a message"],
    ["a plain object", { a: 1, b: [true, null] }, '{"a":1,"b":[true,null]}'],
    ["an empty object", {}, "[object without a message was thrown]"],
    ["an empty array", [], "[object without a message was thrown]"],
    ["an array", [1, "a"], '[1,"a"]'],
    ["an object with null", { a: null }, '{"a":null}'],
    ["an object without prototype", Object.create(null), "[object without a message was thrown]"],
  ])("is found for %s", (_, value, expected) => {
    expect(errorMessage(value)).toBe(expected);
  });

  it("calls nothing of the value and survives its getters", () => {
    const value = {
      toJSON() {
        throw new Error("called");
      },
      toString() {
        throw new Error("called");
      },
      get bad() {
        throw new Error("read");
      },
      good: 1,
    };
    expect(errorMessage(value)).toBe('{"good":1}');
  });

  it("shows data that JSON cannot hold as text, and leaves out what has none", () => {
    const value = { big: 1n, nan: Number.NaN, f: () => 1, s: Symbol("x"), u: undefined, list: [undefined, 1] };
    expect(errorMessage(value)).toBe('{"big":"1","nan":"NaN","list":[null,1]}');
  });

  it("hides what stands under the name of a secret", () => {
    const value = {
      Authorization: "Bearer x",
      apiKey: "k",
      access_token: "t",
      password: "p",
      max_tokens: "9",
      secretCount: 3,
      hasPassword: true,
    };
    expect(errorMessage(value)).toBe(
      '{"Authorization":"[redacted]","apiKey":"[redacted]","access_token":"[redacted]","password":"[redacted]","max_tokens":"9","secretCount":3,"hasPassword":true}',
    );
  });

  it("goes four levels deep, into 24 entries and not into __proto__", () => {
    expect(errorMessage({ a: { b: { c: { d: { e: 1 } } } } })).toBe('{"a":{"b":{"c":{}}}}');
    expect(errorMessage([[[[[1]]]]])).toBe("[[[[null]]]]");
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, 0]));
    expect(errorMessage(wide)).toContain('"k23":0}');
    expect(errorMessage(JSON.parse('{"__proto__":{"x":1},"y":2}'))).toBe('{"y":2}');
    expect(errorMessage(Array.from({ length: 40 }, () => 0)).split(",")).toHaveLength(24);
  });

  it("cuts the JSON of an object at 500 characters and any message at 2,000", () => {
    expect(errorMessage({ a: "x".repeat(400), b: "y".repeat(400) })).toHaveLength(500);
    const long = errorMessage(`${"a".repeat(3_000)}end`);
    expect(long.length).toBeLessThanOrEqual(2_000);
    expect(long).toMatch(/^aaa[\s\S]+characters omitted[\s\S]+aaaend$/);
    expect(errorMessage("a".repeat(2_000))).toBe("a".repeat(2_000));
  });

  it("ends for an aggregate of aggregates", () => {
    const value = { errors: [{ errors: [{ errors: [{ message: "deep" }] }] }] };
    expect(errorMessage(value)).toBe('{"errors":[{}]}'.replace("{}", '{"message":"deep"}'));
  });

  it("takes out secrets and what JSON cannot hold", () => {
    expect(errorMessage("Bearer abcdefgh12345678 \u0000 \ud800")).toBe("Bearer [redacted] \u2400 \ufffd");
    expect(errorMessage(new Error("word sesame-open"), { secrets: ["sesame-open"] })).toBe("word [redacted]");
  });
});
