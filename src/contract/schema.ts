/**
 * Schemas of tool arguments, whoever wrote them.
 *
 * Floor 3 (contract). zod 4, any Standard Schema and plain JSON Schema all become one thing: a JSON
 * Schema to show and a function that validates. zod itself is never imported: a schema brings its own
 * code along, in its Standard Schema properties.
 */
import { Validator } from "@cfworker/json-schema";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";

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

/**
 * Makes a schema ready for use.
 *
 * @param owner - Named in the message when the schema is refused, for example `Tool "add"`.
 * @param shown - JSON Schema to show where the schema has none of its own.
 * @throws TypeError when it is no schema, when its root is not an object, or when it cannot be shown.
 */
export function compileSchema(owner: string, schema: SchemaLike, shown?: object): CompiledSchema {
  if (typeof schema !== "object" && typeof schema !== "function") throw notASchema(owner, schema);
  if (schema === null) throw notASchema(owner, schema);
  const standard = standardProperties(schema);
  if (standard === undefined) return compileJsonSchema(owner, schema as JsonSchema);
  const document = shown === undefined ? shownForm(owner, standard) : (shown as JsonSchema);
  return {
    jsonSchema: objectRoot(owner, document),
    validate: (value) => {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(toValidation) : toValidation(result);
    },
  };
}

type StandardProperties = StandardSchemaV1.Props & Partial<Pick<StandardJSONSchemaV1.Props, "jsonSchema">>;

function standardProperties(schema: object): StandardProperties | undefined {
  const properties: unknown = Reflect.get(schema, "~standard");
  const isStandard =
    typeof properties === "object" && properties !== null && typeof Reflect.get(properties, "validate") === "function";
  return isStandard ? (properties as StandardProperties) : undefined;
}

function shownForm(owner: string, standard: StandardProperties): JsonSchema {
  if (standard.jsonSchema === undefined) {
    throw misuse(
      `${owner}: a ${standard.vendor} schema has no JSON Schema of its own to show to a model. ` +
        "Give one as `jsonSchema` beside `parameters`, or use zod 4.",
    );
  }
  try {
    return standard.jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    throw misuse(
      `${owner}: its schema cannot be shown to a model: ${error instanceof Error ? error.message : quoteValue(error)}. ` +
        "Use a type that JSON has (for a date: z.iso.datetime()), and convert in `execute`.",
    );
  }
}

function toValidation(result: StandardSchemaV1.Result<unknown>): Validation {
  if (result.issues === undefined || result.issues === null) return { ok: true, value: result.value };
  return { ok: false, problems: result.issues.map((issue) => withPath(issue.path?.map(pathKey) ?? [], issue.message)) };
}

function pathKey(segment: PropertyKey | StandardSchemaV1.PathSegment): string {
  return String(typeof segment === "object" ? segment.key : segment);
}

function withPath(path: readonly string[], message: string): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

function compileJsonSchema(owner: string, schema: JsonSchema): CompiledSchema {
  const jsonSchema = objectRoot(owner, schema);
  const validator = new Validator(jsonSchema as ConstructorParameters<typeof Validator>[0], "2020-12", false);
  return {
    jsonSchema,
    validate: (value) => {
      const { valid, errors } = validator.validate(value);
      if (valid) return { ok: true, value };
      return { ok: false, problems: leafProblems(errors) };
    },
  };
}

interface SchemaProblem {
  readonly keyword: string;
  readonly instanceLocation: string;
  readonly error: string;
}

/** Keywords that only say "something below failed", which the problems below say better. */
const WRAPPERS = new Set([
  "properties",
  "items",
  "prefixItems",
  "additionalItems",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "then",
]);

function leafProblems(errors: readonly SchemaProblem[]): string[] {
  const leaves = errors.filter((error) => !WRAPPERS.has(error.keyword));
  const told = leaves.length === 0 ? errors : leaves;
  return [...new Set(told.map((problem) => withPath(instancePath(problem.instanceLocation), problem.error)))];
}

function instancePath(location: string): string[] {
  return location
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function objectRoot(owner: string, document: JsonSchema): JsonSchema {
  const { $schema: _dialect, ...root } = document;
  if (root["type"] === "object") return root;
  const branches = root["oneOf"] ?? root["anyOf"] ?? root["allOf"];
  const areObjects = Array.isArray(branches) && branches.length > 0 && branches.every(isObjectSchema);
  const says = Object.keys(root);
  const saysNothing = root["type"] === undefined && (says.length === 0 || "properties" in root);
  if (areObjects || saysNothing || "$ref" in root) return { type: "object", ...root };
  throw misuse(
    `${owner}: the root of its schema must be an object, got ${quoteValue(root["type"] ?? root)}. ` +
      "Wrap the value, for example z.object({ value: … }).",
  );
}

function isObjectSchema(branch: unknown): boolean {
  return (
    typeof branch === "object" && branch !== null && (Reflect.get(branch, "type") === "object" || "$ref" in branch)
  );
}

function notASchema(owner: string, schema: unknown): TypeError {
  return misuse(
    `${owner}: \`parameters\` must be a zod schema, a Standard Schema or a JSON Schema, got ${quoteValue(schema)}. ` +
      "For a tool without arguments write z.object({}).",
  );
}
