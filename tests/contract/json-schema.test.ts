import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/contract/schema.ts";
import { cyclic, nested } from "../util/hostile.ts";
import { refusalOf, shownOf, validated } from "./schemas.ts";

const person: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    tags: { type: "array", items: { type: "object", properties: { "a/b": { type: "number" } }, required: ["a/b"] } },
  },
  required: ["name"],
  additionalProperties: false,
};

async function problemsOf(schema: JsonSchema, value: unknown): Promise<readonly string[]> {
  const result = await validated(schema, value);
  return result.ok ? [] : result.problems;
}

describe("a plain JSON Schema", () => {
  it("lets through what fits, unchanged", async () => {
    const value = { name: "Ada", tags: [{ "a/b": 1 }] };
    await expect(validated(person, value)).resolves.toEqual({ ok: true, value });
  });

  it("says of each problem where it is, however deep, and what was expected there", async () => {
    await expect(problemsOf(person, { name: 5, tags: [{ "a/b": 1 }, { "a/b": "x" }, {}] })).resolves.toEqual([
      'name: Instance type "number" is invalid. Expected "string".',
      'tags.1.a/b: Instance type "string" is invalid. Expected "number".',
      'tags.2: Instance does not have required property "a/b".',
    ]);
  });

  it("names the key that is too many", async () => {
    await expect(problemsOf(person, { name: "a", limitt: 3 })).resolves.toEqual([
      "limitt: is not allowed here; leave it out.",
    ]);
  });

  it("tells what failed inside a union, not only that it did", async () => {
    const schema = { type: "object", properties: { x: { anyOf: [{ type: "string" }, { type: "number" }] } } };
    const problems = await problemsOf(schema, { x: true });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^x: .*"string"/);
    await expect(problemsOf({ type: "object", oneOf: [{}, {}] }, {})).resolves.toEqual([
      "Instance does not match exactly one subschema (2 matches).",
    ]);
  });

  it("says each thing once", async () => {
    const schema = { type: "object", properties: { x: { allOf: [{ type: "string" }, { type: "string" }] } } };
    await expect(problemsOf(schema, { x: 1 })).resolves.toHaveLength(1);
  });

  it("takes nothing that is inherited for a property", async () => {
    const schema = {
      type: "object",
      properties: { constructor: { type: "string" }, toString: { type: "string" }, valueOf: {} },
      required: ["constructor", "hasOwnProperty"],
      additionalProperties: false,
    };
    await expect(problemsOf(schema, {})).resolves.toEqual([
      'Instance does not have required property "constructor".',
      'Instance does not have required property "hasOwnProperty".',
    ]);
    const fits = JSON.parse('{"constructor":"c","toString":"s"}') as unknown;
    await expect(problemsOf({ ...schema, required: ["constructor"] }, fits)).resolves.toEqual([]);
    await expect(problemsOf(schema, { isPrototypeOf: 1, constructor: "c", hasOwnProperty: 1 })).resolves.toEqual([
      "isPrototypeOf: is not allowed here; leave it out.",
      "hasOwnProperty: is not allowed here; leave it out.",
    ]);
  });

  it("may be frozen, shared between tools and changed by its owner later", async () => {
    const shared = { type: "object", properties: { a: { type: "string" } }, $defs: {} };
    const frozen = Object.freeze({ ...shared, properties: Object.freeze({ a: Object.freeze({ type: "string" }) }) });
    expect(shownOf(frozen)).toEqual(shownOf(frozen));
    const shown = shownOf(shared);
    shared.properties.a.type = "number";
    expect(shown).toEqual({ type: "object", properties: { a: { type: "string" } }, $defs: {} });
    expect(Object.isFrozen(shown["properties"])).toBe(true);
    expect(Reflect.ownKeys(shared)).toEqual(["type", "properties", "$defs"]);
  });

  it("follows references within itself, by pointer and by anchor", async () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a~1b%20c" }, n: { $ref: "#num" }, more: { $ref: "#" } },
      $defs: { "a/b c": { type: "string" }, num: { $anchor: "num", type: "number" } },
    };
    await expect(problemsOf(schema, { a: "x", n: 1, more: { a: "y" } })).resolves.toEqual([]);
    await expect(problemsOf(schema, { n: "x" })).resolves.toHaveLength(1);
    await expect(problemsOf(schema, { more: { more: { n: true } } })).resolves.toEqual([
      'more.more.n: Instance type "boolean" is invalid. Expected "number".',
    ]);
  });

  it("whose root is a reference is shown as what it refers to", async () => {
    const schema = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { type: "object", required: ["x"] } } };
    expect(shownOf(schema)).toEqual({ type: "object", required: ["x"], $defs: schema.$defs });
    await expect(problemsOf(schema, {})).resolves.toHaveLength(1);
  });

  it("reads the older drafts, in which a reference hides what stands beside it", async () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/definitions/s", minLength: 5 } },
      definitions: { s: { type: "string" } },
    };
    const old = { ...schema, $schema: "http://json-schema.org/draft-07/schema#" };
    await expect(problemsOf(old, { a: "x" })).resolves.toEqual([]);
    await expect(problemsOf(schema, { a: "x" })).resolves.toHaveLength(1);
    const four = {
      $schema: "http://json-schema.org/draft-04/schema#",
      type: "object",
      properties: { n: { minimum: 1, exclusiveMinimum: true } },
    };
    await expect(problemsOf(four, { n: 1 })).resolves.toHaveLength(1);
    await expect(
      problemsOf({ ...four, $schema: "https://json-schema.org/draft/2019-09/schema" }, { n: 2 }),
    ).resolves.toEqual([]);
  });

  it("answers a list with very many problems", async () => {
    const schema = { type: "object", properties: { list: { type: "array", items: { type: "number" } } } };
    const problems = await problemsOf(schema, { list: new Array(200_000).fill("x") });
    expect(problems[0]).toMatch(/^list\.0: .*"number"/);
  });

  it("may show another form than the one that it checks", async () => {
    const shown = { type: "object", description: "short" };
    expect(shownOf(person, shown)).toEqual(shown);
    await expect(validated(person, { name: 1 }, shown)).resolves.toMatchObject({ ok: false });
    expect(refusalOf({ type: "string" }, shown)).toMatch(/must be an object/);
  });

  it.each([
    ["nothing at all", {}],
    ["only words", { description: "no arguments" }],
    ["only that nothing is allowed", { additionalProperties: false }],
    ["only properties", { properties: { a: {} } }],
    ["a union of objects", { anyOf: [{ type: "object" }, { $ref: "#/$defs/a" }], $defs: { a: { type: "object" } } }],
    ["a union of unions", { oneOf: [{ anyOf: [{ type: "object" }] }] }],
    ["one object of several parts", { allOf: [{ type: "object" }, { minProperties: 1 }] }],
  ])("that says %s at its root is an object", (_what, schema) => {
    expect(shownOf(schema)).toEqual({ ...schema, type: "object" });
  });

  it.each([
    ["another type", { type: "array" }, /must be an object, got "array"/],
    ["a list of types", { type: ["object", "null"] }, /must be an object/],
    [
      "another type beside a reference",
      { type: "string", $ref: "#/$defs/a", $defs: { a: { type: "object" } } },
      /got "string"/,
    ],
    ["a reference to another type", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, /got "string"/],
    [
      "a union with another type",
      { anyOf: [{ type: "object" }, { $ref: "#/$defs/s" }], $defs: { s: { type: "string" } } },
      /must be an object/,
    ],
    ["a union of nothing", { anyOf: [] }, /must be an object/],
    ["a constant", { const: 5 }, /must be an object/],
    ["a list of values", { enum: [1, 2] }, /must be an object/],
    ["a lost reference", { $ref: "#/$defs/gone" }, /refers to "#\/\$defs\/gone", which is not in it.*\$defs/],
    ["a reference to itself", { $ref: "#" }, /refers to "#"/],
    [
      "references in a circle",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      /which is not in it/,
    ],
    [
      "a lost reference further down",
      { type: "object", properties: { a: { items: [{ $ref: "#/$defs/gone" }] } } },
      /refers to/,
    ],
    ["a reference to what is inherited", { type: "object", properties: { a: { $ref: "#/constructor" } } }, /refers to/],
    ["a reference into the network", { type: "object", properties: { a: { $ref: "https://x.y/z" } } }, /refers to/],
    ["a lost anchor", { type: "object", properties: { a: { $ref: "#who" } } }, /refers to "#who"/],
    ["a broken pattern", { type: "object", properties: { a: { pattern: "(" } } }, /the pattern "\("/],
    ["a broken pattern for names", { type: "object", patternProperties: { "[": {} } }, /the pattern "\["/],
    [
      "a doubled id",
      { type: "object", $id: "https://a.b/", $defs: { x: { $id: "https://a.b/c" }, y: { $id: "https://a.b/c" } } },
      /cannot be used.*Duplicate/,
    ],
    ["itself inside", { type: "object", properties: cyclic() }, /too deep, too large or cyclic/],
    ["too many levels", { type: "object", properties: nested(300) }, /too deep/],
  ])("that says %s is refused by name", (_what, schema, message) => {
    expect(refusalOf(schema)).toMatch(message);
    expect(refusalOf(schema)).toMatch(/^Tool "t": /);
  });

  it("is not misled by properties and data that look like keywords", () => {
    const schema = {
      type: "object",
      properties: { $ref: { type: "string" }, pattern: { type: "string", default: { pattern: "(" } } },
      default: { $ref: "#/nowhere" },
      examples: [{ $ref: "#/nowhere" }],
    };
    expect(shownOf(schema)).toEqual(schema);
  });

  it("with an id of its own may refer by it", async () => {
    const schema = {
      $id: "https://a.b/root",
      type: "object",
      properties: { a: { $ref: "/text" } },
      $defs: { text: { $id: "https://a.b/text", type: "string" } },
    };
    await expect(problemsOf(schema, { a: 1 })).resolves.toHaveLength(1);
    await expect(problemsOf(schema, { a: "x" })).resolves.toEqual([]);
  });
});
