import { describe, expect, it } from "vitest";
import { z } from "zod";
import { flatSchema } from "../../../../src/adapters/models/http/flat-schema.ts";
import { objectRoot } from "../../../../src/contract/object-root.ts";

const shown = (schema: z.ZodType) => objectRoot("test", z.toJSONSchema(schema, { io: "input" }));

describe("a schema without a union at its root", () => {
  it("that had none stays the same object", () => {
    const schema = { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } } };
    expect(flatSchema(schema)).toBe(schema);
  });

  it("with a discriminated union at its root shows the properties of all forms, and the forms in words", () => {
    const schema = shown(
      z.discriminatedUnion("op", [
        z.object({ op: z.literal("a"), id: z.string() }),
        z.object({ op: z.literal("b"), q: z.string().optional() }),
      ]),
    );
    expect(flatSchema(schema)).toEqual({
      type: "object",
      description: 'Give one of these forms: { op: "a", id } or { op: "b", q? }.',
      properties: { op: { type: "string", enum: ["a", "b"] }, id: { type: "string" }, q: { type: "string" } },
      required: ["op"],
    });
  });

  it("keeps every schema of a property on which the forms differ", () => {
    const schema = { oneOf: [{ properties: { v: { type: "string" } } }, { properties: { v: { type: "number" } } }] };
    expect(flatSchema(schema)).toMatchObject({
      properties: { v: { anyOf: [{ type: "string" }, { type: "number" }] } },
    });
  });

  it("with an intersection at its root requires what any part requires", () => {
    const schema = shown(z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })));
    expect(flatSchema(schema)).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
    });
  });

  it("follows references and unions within unions, and ends for those that hold themselves", () => {
    const schema = {
      $defs: {
        one: { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
        more: {
          anyOf: [{ $ref: "#/$defs/one" }, { properties: { b: { type: "string" } }, additionalProperties: false }],
        },
        loop: { anyOf: [{ $ref: "#/$defs/loop" }] },
      },
      anyOf: [{ $ref: "#/$defs/one" }, { $ref: "#/$defs/more" }],
      additionalProperties: true,
    };
    expect(flatSchema(schema)).toMatchObject({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      additionalProperties: false,
      $defs: { one: {} },
    });
    expect(flatSchema({ ...schema, anyOf: [{ $ref: "#/$defs/loop" }] })).toMatchObject({
      type: "object",
      properties: {},
    });
  });
});
