import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonicalJson,
  fitsJsonBounds,
  freezeJson,
  type JsonValue,
  MAX_JSON_DEPTH,
  MAX_JSON_MEMBERS,
  MAX_JSON_NODES,
  toJson,
} from "../../src/util/json.ts";
import { cyclic, hostileValues, nested, revokedProxy, throwingGetter } from "./hostile.ts";

/** Anything: plain data with every built-in class. */
const anything = fc.oneof(
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
  }),
);

const HOSTILE = Object.keys(hostileValues()).filter((name) => name !== "deep");

function isPlain(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value === "string") return !/\p{Surrogate}|\0/u.test(value);
  if (typeof value !== "object" || value === null) return typeof value === "boolean" || value === null;
  const isBare = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isBare && !Object.hasOwn(value, "__proto__") && Object.values(value).every(isPlain);
}

describe("toJson", () => {
  it("makes plain JSON of anything, equal to what it is read back as", () => {
    fc.assert(
      fc.property(anything, fc.string({ unit: "binary" }), fc.constantFrom(...HOSTILE), (value, key, name) => {
        const json = toJson({ value, [key]: [hostileValues()[name]] });
        expect(isPlain(json) && isPlain(toJson(value))).toBe(true);
        expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json);
      }),
      { numRuns: 300 },
    );
  });

  it.each(Object.entries(hostileValues()))("survives %s", (_name, value) => {
    expect(isPlain(toJson(value))).toBe(true);
    expect(isPlain(toJson([{ value }]))).toBe(true);
  });

  it("leaves plain JSON as it is, in a copy", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
        fc.pre(isPlain(plain));
        expect(toJson(plain)).toStrictEqual(plain);
        if (typeof plain === "object" && plain !== null) expect(toJson(plain)).not.toBe(plain);
      }),
    );
  });

  it.each([
    ["a BigInt", 12n, "12"],
    ["NaN", Number.NaN, "NaN"],
    ["an infinity", Number.NEGATIVE_INFINITY, "-Infinity"],
    ["-0", -0, 0],
    ["-0 in a flat object", { a: -0, b: 1, c: "x", d: null, e: true }, { a: 0, b: 1, c: "x", d: null, e: true }],
    ["-0 further down", { a: [{ b: -0 }] }, { a: [{ b: 0 }] }],
    ["undefined", undefined, null],
    ["a function", () => 1, null],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date("x"), "Invalid Date"],
    ["a regular expression", /a+/g, "/a+/g"],
    ["a URL", new URL("https://a.b/c"), "https://a.b/c"],
    ["a buffer", Buffer.from("abc"), "[binary data, 3 bytes]"],
    ["an array buffer", new ArrayBuffer(4), "[binary data, 4 bytes]"],
    ["a shared array buffer", new SharedArrayBuffer(5), "[binary data, 5 bytes]"],
    ["a boxed string", Object("s"), "s"],
    ["a boxed number", Object(5), 5],
    ["a boxed boolean", Object(false), false],
    ["a boxed BigInt", Object(5n), "5"],
    ["a set", new Set([1, "a"]), [1, "a"]],
    ["a cycle", cyclic(), { name: "loop", self: "[circular]" }],
    ["a getter that throws", throwingGetter(), { good: 1, bad: "[unreadable value]" }],
    ["a revoked proxy", revokedProxy(), "[unreadable value]"],
    ["undefined members", { a: undefined, b: [undefined, () => 1] }, { b: [null, null] }],
    ["an empty key", { "": 1 }, { "": 1 }],
  ])("converts %s", (_what, value, json) => {
    expect(toJson(value)).toStrictEqual(json);
  });

  it("names the entries of a map by their keys, whatever the keys are", () => {
    const map = new Map<unknown, unknown>([
      ["a", 1],
      [2, 2],
      [{ x: 1 }, 3],
      [null, 4],
      [Symbol("s"), 5],
      [revokedProxy(), 6],
      ["__proto__", 7],
    ]);
    expect(toJson(map)).toStrictEqual({
      a: 1,
      "2": 2,
      '{"x":1}': 3,
      null: 4,
      "Symbol(s)": 5,
      '"[unreadable value]"': 6,
    });
  });

  it("fills the holes of a list", () => {
    // biome-ignore lint/suspicious/noSparseArray: the hole is the point
    expect(toJson([1, , 3])).toStrictEqual([1, null, 3]);
  });

  it.each([1, 63, 64, 65, 1_000])("treats an object of %i simple values like one that holds more", (size) => {
    const flat = Object.fromEntries(
      Array.from({ length: size }, (_, index) => [`k\ud800${index}`, index % 2 ? "v\udc00" : -0]),
    );
    const expected = Object.fromEntries(
      Array.from({ length: size }, (_, index) => [`k\ufffd${index}`, index % 2 ? "v\ufffd" : 0]),
    );
    expect(toJson(flat)).toStrictEqual(expected);
    expect(toJson(flat)).not.toBe(flat);
    expect(toJson([flat])).toStrictEqual([expected]);
  });

  it("keeps a property named toJSON that is no function, and no prototype key beside simple values", () => {
    expect(toJson({ toJSON: 5, a: 1 })).toStrictEqual({ toJSON: 5, a: 1 });
    expect(toJson(JSON.parse('{"a":1,"__proto__":2}'))).toStrictEqual({ a: 1 });
    expect(toJson({ a: 1, b: Number.NaN })).toStrictEqual({ a: 1, b: "NaN" });
  });

  it("keeps both places of a value that occurs twice", () => {
    const shared = { x: 1 };
    expect(toJson({ a: shared, b: [shared, shared] })).toStrictEqual({ a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] });
  });

  it("takes what toJSON says, also when that is the object itself", () => {
    expect(toJson({ toJSON: () => ({ a: 1n }) })).toStrictEqual({ a: "1" });
    class Own {
      readonly a = 1;
      toJSON() {
        return this;
      }
    }
    expect(toJson(new Own())).toStrictEqual({ a: 1 });
    expect(
      toJson({
        a: {
          toJSON() {
            throw new Error("no");
          },
        },
      }),
    ).toStrictEqual({ a: "[unreadable value]" });
  });

  it("shows of an error its words and its causes, never what a client hung on it", () => {
    const error = Object.assign(new TypeError("no", { cause: new RangeError("why") }), {
      code: "E_NO",
      config: { headers: { authorization: "Bearer secret" } },
      toJSON: () => ({ secret: "Bearer secret" }),
    });
    expect(toJson({ error })).toStrictEqual({
      error: { name: "TypeError", message: "no", code: "E_NO", cause: { name: "RangeError", message: "why" } },
    });
  });

  it("knows the built-in classes of another realm", () => {
    const foreign: unknown = runInNewContext(
      "({ map: new Map([['a', 1]]), set: new Set([2]), error: new Error('far'), date: new Date(0), plain: { b: [3] } })",
    );
    expect(toJson(foreign)).toStrictEqual({
      map: { a: 1 },
      set: [2],
      error: { name: "Error", message: "far" },
      date: "1970-01-01T00:00:00.000Z",
      plain: { b: [3] },
    });
  });

  it("makes no key that reaches a prototype", () => {
    const json = toJson(JSON.parse('{"a":1,"__proto__":{"polluted":"yes"},"b":{"__proto__":{"polluted":"yes"}}}'));
    expect(json).toStrictEqual({ a: 1, b: {} });
    expect(Reflect.get(Object.assign({}, json) as object, "polluted")).toBeUndefined();
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("mends text in keys and in values", () => {
    expect(toJson({ "k\ud800": "v\udc00", n: "\u0000" })).toStrictEqual({ "k\ufffd": "v\ufffd", n: "\u2400" });
  });

  it("cuts at its bounds, and not before", () => {
    expect(JSON.stringify(toJson(nested(MAX_JSON_DEPTH)))).not.toContain("nested too deeply");
    expect(JSON.stringify(toJson(nested(MAX_JSON_DEPTH + 1)))).toContain("[nested too deeply]");
    const nodes = toJson(Array.from({ length: MAX_JSON_NODES }, () => ({}))) as JsonValue[];
    expect(nodes.at(-2)).toStrictEqual({});
    expect(nodes.at(-1)).toBe("[too many values]");
    expect((toJson(new Array(MAX_JSON_MEMBERS).fill(1)) as JsonValue[]).length).toBe(MAX_JSON_MEMBERS);
    expect(toJson(new Array(MAX_JSON_MEMBERS + 1).fill(1))).toBe("[too many values]");
  });
});

describe("fitsJsonBounds", () => {
  it("agrees with toJson about depth, nodes and members", () => {
    expect(fitsJsonBounds(nested(MAX_JSON_DEPTH))).toBe(true);
    expect(fitsJsonBounds(nested(MAX_JSON_DEPTH + 1))).toBe(false);
    expect(fitsJsonBounds(Array.from({ length: MAX_JSON_NODES - 1 }, () => ({})))).toBe(true);
    expect(fitsJsonBounds(Array.from({ length: MAX_JSON_NODES }, () => ({})))).toBe(false);
    expect(fitsJsonBounds(new Array(MAX_JSON_MEMBERS).fill(1))).toBe(true);
    expect(fitsJsonBounds(new Array(MAX_JSON_MEMBERS + 1).fill(1))).toBe(false);
    const last = [new Array(MAX_JSON_MEMBERS - 2).fill(1), { one: 1 }];
    expect(fitsJsonBounds(last)).toBe(false);
    expect((toJson(last) as JsonValue[])[1]).toBe("[too many values]");
  });

  it("answers for every value", () => {
    for (const value of Object.values(hostileValues())) expect(typeof fitsJsonBounds(value)).toBe("boolean");
    expect(fitsJsonBounds(cyclic())).toBe(false);
    expect(fitsJsonBounds(throwingGetter())).toBe(false);
    expect(fitsJsonBounds(revokedProxy())).toBe(false);
    expect(fitsJsonBounds(hostileValues()["sparse"])).toBe(false);
    expect(fitsJsonBounds("text")).toBe(true);
  });

  it("promises that toJson cuts nothing", () => {
    fc.assert(
      fc.property(fc.object({ withNullPrototype: true }), (value) => {
        fc.pre(fitsJsonBounds(value));
        expect(JSON.stringify(toJson(value))).not.toMatch(/\[(nested too deeply|too many values|circular)\]/);
      }),
    );
  });
});

describe("canonicalJson", () => {
  it("gives equal values equal text, whatever the order of their keys", () => {
    expect(canonicalJson({ b: 1, a: [{ d: null, c: "x" }] })).toBe('{"a":[{"c":"x","d":null}],"b":1}');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = toJson(value);
        expect(canonicalJson(reversed(json))).toBe(canonicalJson(json));
        expect(JSON.parse(canonicalJson(json))).toStrictEqual(json);
      }),
    );
  });

  it("orders keys by their UTF-16 units, as RFC 8785 does", () => {
    const keys = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 1])));
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      "1",
      "\r",
      "\u0080",
      "\u00f6",
      "\u20ac",
      "\ud83d\ude00",
      "\ufb33",
    ]);
  });
});

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

describe("freezeJson", () => {
  it("freezes a value and all that is in it", () => {
    const value = freezeJson({ a: [{ b: 1 }], c: { d: {} } });
    expect([value, value.a, value.a[0], value.c, value.c.d].every(Object.isFrozen)).toBe(true);
    expect(freezeJson("text")).toBe("text");
    expect(freezeJson(null)).toBeNull();
  });
});
