import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, clipEnd, clipMiddle, formatCount, nearest, quoteValue } from "../../src/util/text.ts";
import { hostileValues } from "./hostile.ts";

/** Any UTF-16 text, lone surrogates and NUL included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc
    .array(fc.constantFrom("\ud83d", "\ude00", "\u0000", "a", "\ud83d\ude00"), { maxLength: 60 })
    .map((units) => units.join("")),
);

describe("cleanText", () => {
  it("leaves nothing that a JSON parser or a provider refuses, and changes nothing else", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = cleanText(text);
        expect(clean).not.toMatch(/\p{Surrogate}|\0/u);
        expect(clean.length).toBe(text.length);
        expect(cleanText(clean)).toBe(clean);
        if (!/\p{Surrogate}|\0/u.test(text)) expect(clean).toBe(text);
      }),
    );
  });

  it("shows NUL and a half character, and keeps whole characters", () => {
    expect(cleanText("a\u0000b\ud800c\udc00d\ud83d\ude00")).toBe("a\u2400b\ufffdc\ufffdd\ud83d\ude00");
  });

  it("works where strings cannot tell whether they are well formed", () => {
    const native = Object.getOwnPropertyDescriptor(String.prototype, "isWellFormed");
    Reflect.deleteProperty(String.prototype, "isWellFormed");
    try {
      expect(cleanText("a\ud800\ud83d\ude00")).toBe("a\ufffd\ud83d\ude00");
    } finally {
      if (native !== undefined) Object.defineProperty(String.prototype, "isWellFormed", native);
    }
  });
});

describe("clipMiddle", () => {
  it("returns text that fits as it is", () => {
    expect(clipMiddle("abc", 3)).toBe("abc");
  });

  it("keeps three quarters of the room for the start and states what is missing", () => {
    const clipped = clipMiddle("s".repeat(900) + "e".repeat(100), 200);
    expect(clipped).toMatch(/^s{100,}\n\[\.\.\. 8\d\d of 1,000 characters omitted \.\.\.\]\ne{30,}$/);
    const kept = clipped.replace(/\n.*\n/, "");
    expect(clipped).toContain(`[... ${1_000 - kept.length} of 1,000 `);
    expect(kept.indexOf("e") / kept.length).toBeCloseTo(0.75, 1);
    expect(clipMiddle("s".repeat(500) + "e".repeat(500), 200, 0)).toMatch(/^\n\[/);
    expect(clipMiddle("s".repeat(500) + "e".repeat(500), 200, 1)).toMatch(/\]\n$/);
  });

  it("stays within the limit, so that it is not clipped twice, and never splits a character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 200, maxLength: 600 }),
        fc.integer({ min: 80, max: 180 }),
        (text, max) => {
          const clipped = clipMiddle(text, max);
          expect(clipped.length).toBeLessThanOrEqual(max);
          expect(clipMiddle(clipped, max)).toBe(clipped);
          expect(clipped).not.toMatch(/\p{Surrogate}/u);
          const [head = "", tail = ""] = clipped.split(/\n\[\.\.\. .* characters omitted \.\.\.\]\n/);
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        },
      ),
    );
    const faces = "\ud83d\ude00".repeat(300);
    for (let max = 80; max < 90; max++) expect(clipMiddle(faces, max)).not.toMatch(/\p{Surrogate}/u);
  });

  it("states how much is missing where nothing else has room", () => {
    expect(clipMiddle("x".repeat(500), 5)).toBe("\n[... 500 of 500 characters omitted ...]\n");
  });
});

describe("clipEnd", () => {
  it("ends in an ellipsis within the limit, never with half a character", () => {
    expect(clipEnd("abcd", 4)).toBe("abcd");
    expect(clipEnd("abcde", 4)).toBe("abc…");
    expect(clipEnd("ab\ud83d\ude00cd", 4)).toBe("ab…");
    expect(clipEnd("ab\ud83d\ude00cd", 5)).toBe("ab\ud83d\ude00…");
    expect(clipEnd("abc", 0)).toBe("…");
  });
});

describe("formatCount", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1,000"],
    [-1_234_567, "-1,234,567"],
  ])("writes %d as %s", (value, text) => {
    expect(formatCount(value)).toBe(text);
  });
});

describe("quoteValue", () => {
  it.each([
    ['a "b"\n', '"a \\"b\\"\\n"'],
    [5n, "5n"],
    [undefined, "undefined"],
    [null, "null"],
    [Number.NaN, "NaN"],
    [[1, 2], "an array of 2"],
    [{ a: 1 }, '{"a":1}'],
    [() => 1, "a function"],
    [function add() {}, "the function add"],
    [Symbol("a\nb"), "Symbol(a b)"],
    [new TypeError("no"), "TypeError: no"],
    [{ toJSON: () => undefined }, "a value of type object"],
  ])("shows %o", (value, text) => {
    expect(quoteValue(value)).toBe(text);
  });

  it("is short, on one line, and answers for every value", () => {
    const values = [
      ...Object.values(hostileValues()),
      10n ** 500n,
      Symbol("x".repeat(500)),
      "y\n".repeat(500),
      { a: "z".repeat(500) },
    ];
    for (const value of values) {
      const text = quoteValue(value);
      // JSON of 80 characters, each of which may need an escape.
      expect(text.length).toBeLessThanOrEqual(typeof value === "string" ? 482 : 80);
      expect(text).not.toMatch(/\n/);
    }
  });
});

describe("nearest", () => {
  it.each([
    ["calcualtor", ["calculator", "bash"], "calculator"],
    ["Read_File", ["read_file", "write_file"], "read_file"],
    ["raed", ["read", "grep"], "read"],
    ["get", ["set", "list"], "set"],
    ["ls", ["rm"], undefined],
    ["x", ["a", "b"], undefined],
    ["add", ["subtract"], undefined],
    ["", ["a"], undefined],
    ["t", [], undefined],
    ["writ_file", ["read_file", "write_file"], "write_file"],
    ["a".repeat(70), ["a".repeat(69)], undefined],
  ])("takes %s among %o for %s", (wanted, candidates, found) => {
    expect(nearest(wanted, candidates)).toBe(found);
  });
});
