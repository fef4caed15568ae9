import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import type { JsonSchema } from "../../src/contract/schema.ts";
import { foreignPromise } from "../util/hostile.ts";
import { handMade, refusalOf, shownOf, validated } from "./schemas.ts";

/** Every `$ref` of a document with what it means there. */
function references(document: JsonSchema): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  JSON.stringify(document, (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string") {
      const path = value.split("/").slice(1);
      found[value] = path.reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document);
    }
    return value;
  });
  return found;
}

describe("a zod schema", () => {
  it("is shown in its input form: what has a default is not required", async () => {
    const schema = z.object({ n: z.number().default(5), o: z.string().optional(), r: z.boolean() });
    expect(shownOf(schema)).toMatchObject({ type: "object", required: ["r"], properties: { n: { default: 5 } } });
    await expect(validated(schema, { r: true })).resolves.toEqual({ ok: true, value: { n: 5, r: true } });
  });

  it("is shown before its transforms and gives their results", async () => {
    const schema = z.object({ when: z.iso.datetime().transform((text) => new Date(text).getTime()) });
    expect(shownOf(schema)).toMatchObject({ properties: { when: { type: "string", format: "date-time" } } });
    await expect(validated(schema, { when: "1970-01-01T00:00:01Z" })).resolves.toEqual({
      ok: true,
      value: { when: 1_000 },
    });
  });

  it("says of each problem where it is and what was expected there", async () => {
    const schema = z.object({ items: z.array(z.object({ name: z.string() })), n: z.number() });
    const result = await validated(schema, { items: [{ name: "a" }, { name: 5 }], n: "x" });
    expect(result).toEqual({
      ok: false,
      problems: [
        "items.1.name: Invalid input: expected string, received number",
        "n: Invalid input: expected number, received string",
      ],
    });
  });

  it("that is strict names the key that it does not know", async () => {
    const schema = z.strictObject({ limit: z.number().default(10) });
    expect(shownOf(schema)).toMatchObject({ additionalProperties: false });
    await expect(validated(schema, { limitt: 3 })).resolves.toMatchObject({
      problems: [expect.stringContaining('"limitt"')],
    });
    await expect(validated(schema, { limit: 3 })).resolves.toEqual({ ok: true, value: { limit: 3 } });
  });

  it("with a union at its root is shown as an object with every branch", async () => {
    const schema = z.discriminatedUnion("op", [
      z.object({ op: z.literal("a"), id: z.string() }),
      z.object({ op: z.literal("b"), q: z.string() }),
    ]);
    const shown = shownOf(schema);
    expect(shown["type"]).toBe("object");
    expect(JSON.stringify(shown)).toMatch(/"id".*"q"/);
    await expect(validated(schema, { op: "b", q: "x" })).resolves.toMatchObject({ ok: true });
    await expect(validated(schema, { op: "b" })).resolves.toMatchObject({ ok: false });
    expect(shownOf(z.union([schema, z.object({ z: z.string() })]))).toMatchObject({ type: "object" });
  });

  it("refers only to what is in the document, also when it contains itself or a part of it twice", () => {
    interface Tree {
      value: number;
      children: Tree[];
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ value: z.number(), children: z.array(tree) }));
    const letter = z.enum(["x", "y"]);
    const named = letter.meta({ id: "Letter" });
    const schemas = [
      tree,
      z.object({ tree }),
      z.object({ a: z.array(z.object({ e: letter })), b: z.array(z.object({ e: letter })) }),
      z.object({ a: z.object({ e: named }), b: named }).partial(),
      z.object({ name: z.string() }).meta({ id: "Root" }),
    ];
    for (const schema of schemas) {
      const shown = shownOf(schema);
      expect(shown).toMatchObject({ type: "object" });
      expect(shown).not.toHaveProperty("$ref");
      for (const meant of Object.values(references(shown))) expect(meant).toBeTypeOf("object");
    }
    const twice = JSON.stringify(shownOf(schemas[2] as z.ZodType));
    expect(twice.match(/\["x","y"\]/g)).toHaveLength(2);
  });

  it("whose root refers to a definition is shown with that definition at the root", () => {
    interface Cat {
      name: string;
      kittens: Cat[];
    }
    const cat: z.ZodType<Cat> = z.lazy(() => z.object({ name: z.string(), kittens: z.array(cat) })).meta({ id: "Cat" });
    const shown = shownOf(
      z
        .object({
          name: z.string(),
          get sub() {
            return z.array(z.object({ cat }));
          },
        })
        .meta({ id: "Top" }),
    );
    expect(shown).toMatchObject({ type: "object", properties: { name: { type: "string" } } });
    expect(shown).not.toHaveProperty("$ref");
  });

  it.each([
    ["a date", z.object({ when: z.date() }), /Tool "t".*Date cannot be represented.*z\.iso\.datetime/],
    ["a coerced date", z.object({ when: z.coerce.date() }), /Date cannot be represented/],
    ["a transform without an input form", z.object({ x: z.transform((value) => value) }), /Transforms cannot be/],
    ["a BigInt", z.object({ x: z.bigint() }), /BigInt cannot be represented/],
    ["a map", z.object({ x: z.map(z.string(), z.string()) }), /Map cannot be represented/],
    ["text at its root", z.string(), /Tool "t".*must be an object, got "string".*z\.object\({ value/],
    ["a list at its root", z.array(z.object({})), /must be an object, got "array"/],
    ["an optional null at its root", z.object({ a: z.string() }).nullable(), /must be an object/],
    ["a union of object and text", z.union([z.object({}), z.string()]), /must be an object/],
  ])("with %s is refused by name", (_what, schema, message) => {
    expect(refusalOf(schema)).toMatch(message);
  });

  it.each([
    ["no field", z.object({})],
    ["any value", z.any().describe("whatever")],
    ["an intersection", z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))],
    ["a record", z.record(z.string(), z.number())],
    ["a default for the whole", z.object({ a: z.string() }).default({ a: "x" })],
  ])("with %s at its root is an object", (_what, schema) => {
    expect(shownOf(schema)).toMatchObject({ type: "object" });
    expect(shownOf(schema)).not.toHaveProperty("$schema");
  });

  it("of the mini kind needs a JSON Schema beside it, and still validates itself", async () => {
    const schema = mini.object({ a: mini.string() });
    expect(refusalOf(schema)).toMatch(/Tool "t".*jsonSchema.*zod\/mini/);
    const shown = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expect(shownOf(schema, shown)).toEqual(shown);
    await expect(validated(schema, { a: 1 }, shown)).resolves.toMatchObject({ ok: false });
    await expect(validated(schema, { a: "x" }, shown)).resolves.toEqual({ ok: true, value: { a: "x" } });
  });

  it("with an async check is waited for", async () => {
    const schema = z.object({ id: z.string().refine(async (id) => id !== "taken", "is taken") });
    await expect(validated(schema, { id: "free" })).resolves.toMatchObject({ ok: true });
    await expect(validated(schema, { id: "taken" })).resolves.toEqual({ ok: false, problems: ["id: is taken"] });
  });
});

describe("a Standard Schema by hand", () => {
  const shown = { type: "object" };

  it("may answer at once, by a promise, or by a promise of another realm", async () => {
    const answer = { value: { n: 1 } };
    for (const said of [answer, Promise.resolve(answer), foreignPromise(answer)]) {
      await expect(
        validated(
          handMade(() => said),
          {},
          shown,
        ),
      ).resolves.toEqual({ ok: true, value: { n: 1 } });
    }
  });

  it("refuses by a promise of another realm as well", async () => {
    const said = foreignPromise({ issues: [{ message: "no", path: ["a", { key: 0 }, Symbol.iterator] }] });
    await expect(
      validated(
        handMade(() => said),
        {},
        shown,
      ),
    ).resolves.toEqual({
      ok: false,
      problems: ["a.0.Symbol(Symbol.iterator): no"],
    });
  });

  it("has refused when its list of issues is empty", async () => {
    await expect(
      validated(
        handMade(() => ({ issues: [], value: 1 })),
        {},
        shown,
      ),
    ).resolves.toEqual({ ok: false, problems: [] });
  });

  it("takes `issues: undefined` for success", async () => {
    await expect(
      validated(
        handMade(() => ({ value: 1, issues: undefined })),
        {},
        shown,
      ),
    ).resolves.toMatchObject({ ok: true });
  });

  it.each([[undefined], [null], ["yes"], [true], [{}], [{ issues: "bad", value: 1 }], [{ issues: true, value: 1 }]])(
    "has said nothing by %o, which lets nothing through",
    async (said) => {
      await expect(
        validated(
          handMade(() => said),
          {},
          shown,
        ),
      ).rejects.toThrow(/which is no result/);
    },
  );

  it("may be a function that carries the properties", () => {
    expect(
      shownOf(
        Object.assign(
          () => {},
          handMade(() => ({ value: 1 })),
        ),
        shown,
      ),
    ).toEqual(shown);
  });

  it("without a JSON Schema is refused with the name of its vendor", () => {
    expect(refusalOf(handMade(() => ({ value: 1 })))).toMatch(/Tool "t": a hand schema/);
  });

  it.each([["text"], [["list"]], [5]])("with %o for its JSON Schema is refused", (beside) => {
    expect(
      refusalOf(
        handMade(() => ({ value: 1 })),
        beside as object,
      ),
    ).toMatch(/its JSON Schema must be an object, got/);
  });

  it("that cannot show itself is refused with its reason", () => {
    const schema = handMade(() => ({ value: 1 }));
    const showing = (input: () => unknown) => ({ "~standard": { ...schema["~standard"], jsonSchema: { input } } });
    const failing = () => {
      throw "not today";
    };
    expect(refusalOf(showing(failing))).toMatch(/cannot be shown to a model: "not today"/);
    expect(refusalOf(showing(() => null))).toMatch(/must be an object, got null/);
    expect(refusalOf(showing(() => undefined))).toMatch(/must be an object, got undefined/);
  });
});

describe("what is no schema", () => {
  it.each([[undefined], [null], ["object"], [7], [true], [() => {}], [[]]])("is refused: %o", (value) => {
    expect(refusalOf(value)).toMatch(/Tool "t": `parameters` must be a zod schema.*z\.object\({}\)/);
  });
});
