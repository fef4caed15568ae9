/**
 * Makes one thing of every kind of schema: a JSON Schema to show and a function that validates.
 *
 * Floor 3 (contract). zod itself is never imported: a schema brings its own code along, in its Standard
 * Schema properties.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { compileJsonSchema, withPath } from "./json-schema.ts";
import { objectRoot } from "./object-root.ts";
import type { CompiledSchema, JsonSchema, SchemaLike, Validation } from "./schema.ts";

/**
 * Makes a schema ready for use.
 *
 * @param owner - Named in the message when the schema is refused, for example `Tool "add"`.
 * @param shown - JSON Schema to show instead of the schema's own.
 * @throws TypeError when it is no schema, when its root is not an object, or when it cannot be shown.
 */
export function compileSchema(owner: string, schema: SchemaLike, shown?: object): CompiledSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) throw notASchema(owner, schema);
  const standard = standardProperties(schema);
  if (standard === undefined) {
    if (typeof schema === "function" || Array.isArray(schema)) throw notASchema(owner, schema);
    return compileJsonSchema(owner, schema as JsonSchema, shown);
  }
  return {
    jsonSchema: shown === undefined ? ownForm(owner, schema, standard) : objectRoot(owner, shown),
    validate: (value) => {
      const result: unknown = standard.validate(value);
      // By its `then`, not by its class: a promise of another realm is a promise, too.
      return isThenable(result) ? Promise.resolve(result).then(toValidation) : toValidation(result);
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

/** What was shown of a schema before: making it costs more than the rest of a short run. Schemas do not change. */
const OWN_FORMS = new WeakMap<object, JsonSchema>();

function ownForm(owner: string, schema: object, standard: StandardProperties): JsonSchema {
  const known = OWN_FORMS.get(schema);
  if (known !== undefined) return known;
  const form = objectRoot(owner, shownForm(owner, standard));
  OWN_FORMS.set(schema, form);
  return form;
}

function shownForm(owner: string, standard: StandardProperties): unknown {
  if (standard.jsonSchema === undefined) {
    throw misuse(
      `${owner}: a ${standard.vendor} schema of this kind has no JSON Schema of its own to show to a model. ` +
        "Give one as `jsonSchema` beside `parameters`, or use zod 4.2 or later (not zod/mini).",
    );
  }
  try {
    return standard.jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\.$/, "") : quoteValue(error);
    throw misuse(
      `${owner}: its schema cannot be shown to a model: ${why}. ` +
        "Use a type that JSON has (for a date: z.iso.datetime()), and convert in `execute`.",
    );
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "then") === "function";
}

/** Fails closed: what is neither a value nor a list of issues is no answer. */
function toValidation(result: unknown): Validation {
  const { issues } = (result ?? {}) as { issues?: unknown };
  if (Array.isArray(issues)) return { ok: false, problems: issues.map(toProblem) };
  const hasIssues = issues !== undefined && issues !== null && issues !== false;
  if (typeof result === "object" && result !== null && "value" in result && !hasIssues) {
    return { ok: true, value: result.value };
  }
  throw new TypeError(`The schema's own validation answered ${quoteValue(result)}, which is no result.`);
}

function toProblem(issue: StandardSchemaV1.Issue): string {
  return withPath(issue.path?.map(pathKey) ?? [], issue.message);
}

function pathKey(segment: PropertyKey | StandardSchemaV1.PathSegment): string {
  return String(typeof segment === "object" ? segment.key : segment);
}

function notASchema(owner: string, schema: unknown): TypeError {
  return misuse(
    `${owner}: \`parameters\` must be a zod schema, a Standard Schema or a JSON Schema, got ${quoteValue(schema)}. ` +
      "For a tool without arguments write z.object({}).",
  );
}
