import { describe, expect, it } from "vitest";
import { isList, keysOf, read, readList, readText, typeNameOf } from "../../src/errors/read.ts";

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

describe("reading a foreign value", () => {
  it("gives the properties of objects and functions, and none of a primitive", () => {
    expect(read({ a: 1 }, "a")).toBe(1);
    expect(
      read(
        Object.assign(() => 1, { a: 2 }),
        "a",
      ),
    ).toBe(2);
    expect(read("text", "length")).toBeUndefined();
    expect(read(null, "a")).toBeUndefined();
  });

  it("gives nothing where the value refuses", () => {
    expect(read(revoked, "a")).toBeUndefined();
    expect(readText(revoked, "a")).toBeUndefined();
    expect(readList(revoked, "a", 3)).toEqual([]);
    expect(isList(revoked)).toBe(false);
    expect(keysOf(revoked)).toEqual([]);
    expect(keysOf(null)).toEqual([]);
  });

  it("takes a text only when something is in it", () => {
    expect(readText({ a: " x " }, "a")).toBe(" x ");
    expect(readText({ a: " \n" }, "a")).toBeUndefined();
    expect(readText({ a: 7 }, "a")).toBeUndefined();
  });

  it("takes as many elements of a list as are asked for, and none of what only looks like one", () => {
    expect(readList({ a: [1, 2, 3] }, "a", 2)).toEqual([1, 2]);
    expect(readList({ a: [1] }, "a", 2)).toEqual([1]);
    expect(readList({ a: { length: 2 } }, "a", 2)).toEqual([]);
  });
});

describe("the name of a value's class", () => {
  class APIError extends Error {}
  class Plain {}

  it.each([
    ["its name", Object.assign(new Error("x"), { name: "N" }), "N"],
    ["its constructor when it is named Error", new APIError("x"), "APIError"],
    ["its constructor when it has no name", new Plain(), "Plain"],
    ["Error when nothing else is known", new Error("x"), "Error"],
    ["Error without a constructor", Object.assign(Object.create(null), { name: "Error" }), "Error"],
    ["its name when it is a plain object", { name: "Error" }, "Error"],
    ["unknown for a plain object", {}, undefined],
    ["unknown for a primitive", "text", undefined],
  ])("is %s", (_, value, expected) => {
    expect(typeNameOf(value)).toBe(expected);
  });
});
