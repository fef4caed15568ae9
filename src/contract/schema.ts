/**
 * Schemas of tool arguments, whoever wrote them.
 *
 * Floor 3 (contract). zod 4, any Standard Schema and plain JSON Schema all become one thing: a
 * {@link CompiledSchema}.
 */
import type { StandardSchemaV1 } from "@standard-schema/spec";

/** A plain JSON Schema document (draft 7 to 2020-12). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** What a tool may give as its `parameters`. */
export type SchemaLike = StandardSchemaV1 | JsonSchema;

/** The arguments that a schema lets through, after its defaults and transforms. */
export type InferArguments<Schema extends SchemaLike> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Record<string, unknown>;

/** What validation found. `problems` name the place and what was expected there. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A schema made ready once, used for every call. */
export interface CompiledSchema {
  /** What a model is shown: the input form, with type "object" at its root. */
  readonly jsonSchema: JsonSchema;
  validate(value: unknown): Validation | Promise<Validation>;
}
