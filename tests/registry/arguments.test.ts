import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsAsJson, readArguments, sendableArguments } from "../../src/registry/arguments.ts";
import { hostileValues, nested } from "../util/hostile.ts";

/** Reads arguments as the runtime does: first made JSON, then read. */
const read = (args: unknown, wasCut = false) =>
  readArguments({ id: "c1", name: "weather", arguments: argumentsAsJson(args) }, wasCut);

/** JSON text, broken JSON text, and what looks like it. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc.json().map((text) => text.slice(0, Math.floor(text.length / 2))),
  fc.json().map((text) => JSON.stringify(text)),
);

describe("readArguments", () => {
  it.each([
    ["an object", { a: 1 }, { a: 1 }],
    ["JSON text", '{"a":1}', { a: 1 }],
    ["JSON text in JSON text", JSON.stringify('{"id":7}'), { id: 7 }],
    ["empty text", "", {}],
    ["blank text", " \n\t", {}],
    ["the text null", "null", {}],
    ["undefined", undefined, {}],
    ["null", null, {}],
  ])("takes %s", (_what, args, recorded) => {
    expect(read(args)).toStrictEqual({ ok: true, recorded });
  });

  it.each([
    ["a list", "[]", [], "array"],
    ["a number", "7", 7, "number"],
    ["text", '"x"', "x", "string"],
    ["a truth value", "true", true, "boolean"],
    ["a list in text in text", JSON.stringify("[1]"), "[1]", "string"],
    ["a list that is no text", [1], [1], "array"],
    ["a number that is no text", 5, 5, "number"],
  ])("refuses %s and says what it got", (_what, args, recorded, got) => {
    expect(read(args)).toStrictEqual({
      ok: false,
      recorded,
      problem: `The arguments of "weather": expected an object, got ${got}. Send one complete JSON object.`,
    });
  });

  it("refuses text that is no JSON with the reason, and records it", () => {
    expect(read('{"{"city":"Oslo"}')).toMatchObject({
      ok: false,
      recorded: '{"{"city":"Oslo"}',
      problem: expect.stringMatching(/"weather" are not valid JSON: .+ Send one complete JSON object\.$/),
    });
  });

  it("calls what the length limit cut a cut, and never takes it for nothing", () => {
    const cut = read('{"path":"b.txt","text":"line one\\nli', true);
    expect(cut).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/"weather" were cut off.*nothing was done.*shorter/),
    });
    expect(read("", true)).toMatchObject({ ok: false, recorded: "", problem: expect.stringContaining("were cut off") });
    expect(read('{"path":"a.txt"}', true)).toStrictEqual({ ok: true, recorded: { path: "a.txt" } });
  });

  it("refuses what no record could hold, without reading it whole", () => {
    for (const args of [
      nested(100_000),
      JSON.stringify(nested(300)),
      hostileValues()["sparse"],
      hostileValues()["revoked"],
    ]) {
      expect(read(args)).toMatchObject({ ok: false, problem: expect.stringContaining("deeper than 200 levels") });
    }
  });

  it("drops the key that would reach a prototype", () => {
    const result = read('{"a":1,"__proto__":{"polluted":"yes"}}');
    expect(result.recorded).toStrictEqual({ a: 1 });
    expect(Reflect.get(Object.assign({}, result.recorded) as object, "polluted")).toBeUndefined();
  });

  it("mends half characters", () => {
    expect(read('{"q":"caf\\ud800e"}').recorded).toStrictEqual({ q: "caf\ufffde" });
    expect(read("{\ud800").recorded).toBe("{\ufffd");
  });

  it("is safe for any text: frozen JSON that can be sent, or a reason", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, wasCut) => {
        const result = read(text, wasCut);
        expect(JSON.parse(JSON.stringify(result.recorded))).toStrictEqual(result.recorded);
        expect(JSON.stringify(result.recorded)).not.toMatch(/\\ud[89a-f]/);
        expect(Object.isFrozen(result.recorded)).toBe(true);
        if (result.ok) expect(Array.isArray(result.recorded)).toBe(false);
        else expect(result.problem).toContain('"weather"');
        expect(Array.isArray(sendableArguments(result.recorded))).toBe(false);
        expect(typeof sendableArguments(result.recorded)).toBe("object");
      }),
    );
  });

  it("reads again what it recorded as the same", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        const first = read(args).recorded;
        expect(read(first).recorded).toStrictEqual(first);
        expect(read(JSON.stringify(first)).recorded).toStrictEqual(first);
      }),
    );
  });

  it("names a tool of any name briefly", () => {
    const result = readArguments({ id: "c", name: "x".repeat(10_000), arguments: "[]" }, false);
    expect(result.ok ? "" : result.problem.length).toBeLessThan(250);
  });
});

describe("argumentsAsJson", () => {
  it("keeps text as text and makes all else JSON of its own", () => {
    const args = { a: { b: 1 } };
    expect(argumentsAsJson("{bro\ud800ken")).toBe("{bro\ufffdken");
    expect(argumentsAsJson(undefined)).toStrictEqual({});
    expect(argumentsAsJson(null)).toStrictEqual({});
    expect(argumentsAsJson(args)).toStrictEqual(args);
    expect(argumentsAsJson(args)).not.toBe(args);
    expect(Object.isFrozen(argumentsAsJson(args))).toBe(true);
  });

  it("leaves arguments that no record could hold to be refused when they are read", () => {
    expect(read(argumentsAsJson(nested(100_000)))).toMatchObject({
      ok: false,
      problem: expect.stringContaining("levels"),
    });
  });
});

describe("sendableArguments", () => {
  it("puts what is no object into one", () => {
    expect(sendableArguments({ a: 1 })).toStrictEqual({ a: 1 });
    expect(sendableArguments("{bad")).toStrictEqual({ unparsedArguments: "{bad" });
    expect(sendableArguments([1, 2])).toStrictEqual({ unparsedArguments: "[1,2]" });
    expect(sendableArguments(null)).toStrictEqual({ unparsedArguments: "null" });
  });
});
