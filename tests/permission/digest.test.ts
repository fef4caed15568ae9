import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestArguments } from "../../src/permission/digest.ts";
import { stricter } from "../../src/permission/verdict.ts";

describe("the digest of arguments", () => {
  it("is SHA-256 over their canonical JSON", () => {
    const { canonical, digest } = digestArguments({ b: [1, "x", null, true], a: { d: 1.5, c: {} } });
    expect(canonical).toBe('{"a":{"c":{},"d":1.5},"b":[1,"x",null,true]}');
    expect(digest).toBe(createHash("sha256").update(canonical).digest("hex"));
  });

  it("does not change by a journey through JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { args, digest } = digestArguments(value);
        expect(digestArguments(JSON.parse(JSON.stringify(args))).digest).toBe(digest);
      }),
    );
  });

  it("differs when the arguments do", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [first, second] = [digestArguments(one), digestArguments(other)];
        expect(first.digest === second.digest).toBe(first.canonical === second.canonical);
      }),
    );
  });

  it("takes -0 for 0, a missing member for an absent one, and objects without a prototype", () => {
    expect(Object.is(digestArguments(-0).args, 0)).toBe(true);
    expect(digestArguments({ a: undefined, b: 1 })).toEqual(digestArguments({ b: 1 }));
    expect(Object.keys(digestArguments({ a: undefined }).args as object)).toEqual([]);
    expect(digestArguments(Object.assign(Object.create(null), { a: 1 })).canonical).toBe('{"a":1}');
    expect(digestArguments(null).canonical).toBe("null");
  });

  it("leaves the caller no way to change the copy", () => {
    const { args } = digestArguments({ a: [{ b: 1 }] });
    const list = (args as { a: object[] }).a;
    expect([Object.isFrozen(args), Object.isFrozen(list), Object.isFrozen(list[0])]).toEqual([true, true, true]);
  });

  it.each([
    ["arguments holds half a character.", "\udc00"],
    ["arguments.a[1] holds half a character.", { a: ["x", "\ud800x"] }],
    ["arguments has a key with half a character.", { "\ud800": 1 }],
    ["arguments.a is NaN, which is no JSON.", { a: Number.NaN }],
    ["arguments[0] is -Infinity, which is no JSON.", [Number.NEGATIVE_INFINITY]],
    ["arguments.a is a bigint, which is no JSON.", { a: 1n }],
    ["arguments.a is a function, which is no JSON.", { a: () => 1 }],
    ["arguments is a undefined, which is no JSON.", undefined],
    ["arguments[0] is a undefined, which is no JSON.", [undefined]],
    ["arguments.a is no plain object.", { a: new Map() }],
    ["arguments is no plain object.", new Date(0)],
  ])("refuses by name what JSON would change: %s", (message, value) => {
    expect(() => digestArguments(value)).toThrow(new TypeError(message));
  });
});

describe("the stricter of two decisions", () => {
  it("is deny before ask before allow", () => {
    const order = ["allow", "ask", "deny"] as const;
    for (const one of order) {
      for (const other of order) {
        expect(stricter(one, other)).toBe(order[Math.max(order.indexOf(one), order.indexOf(other))]);
      }
    }
  });
});
