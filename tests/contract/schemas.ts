/**
 * Schemas that the tests of this folder share.
 */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { compileSchema } from "../../src/contract/compile-schema.ts";
import type { JsonSchema, SchemaLike, Validation } from "../../src/contract/schema.ts";

/** The message with which a schema is refused. */
export function refusalOf(schema: unknown, shown?: object): string {
  try {
    compileSchema('Tool "t"', schema as SchemaLike, shown);
  } catch (error) {
    if (error instanceof TypeError && Reflect.get(error, "code") === "RUNTIME_INVALID_CONFIG") return error.message;
    throw error;
  }
  throw new Error("The schema was not refused.");
}

/** What a model is shown of a schema. */
export function shownOf(schema: SchemaLike, shown?: object): JsonSchema {
  return compileSchema('Tool "t"', schema, shown).jsonSchema;
}

/** What a schema says to a value. */
export async function validated(schema: SchemaLike, value: unknown, shown?: object): Promise<Validation> {
  return compileSchema('Tool "t"', schema, shown).validate(value);
}

/** A Standard Schema by hand, of a library that knows no JSON Schema. */
export function handMade(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return {
    "~standard": { version: 1, vendor: "hand", validate: validate as StandardSchemaV1.Props["validate"] },
  };
}
