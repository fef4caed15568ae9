/**
 * Validates by a plain JSON Schema, without `eval`, which workers forbid.
 *
 * Floor 3 (contract).
 */
import { Validator } from "@cfworker/json-schema";
import { type JsonValue, toJson } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { objectRoot, subschemas, unescapePointer } from "./object-root.ts";
import type { CompiledSchema, JsonSchema, Validation } from "./schema.ts";

/** @throws TypeError that names `owner` when the schema cannot be used. */
export function compileJsonSchema(owner: string, schema: JsonSchema, shown: object = schema): CompiledSchema {
  const jsonSchema = objectRoot(owner, shown);
  if (shown !== schema) objectRoot(owner, schema);
  const document = toJson(schema);
  checkPatterns(owner, document);
  const all = validatorOf(owner, document, false);
  const first = validatorOf(owner, document, true);
  return { jsonSchema, validate: (value) => validate(value, all, first) };
}

/** The validator writes into the schema that it gets, so that it gets a copy of its own. */
function validatorOf(owner: string, document: JsonValue, isFirstOnly: boolean): Validator {
  try {
    return new Validator(toJson(document) as object, draftOf(document), isFirstOnly);
  } catch (error) {
    throw misuse(`${owner}: its schema cannot be used: ${quoteValue(error)}.`);
  }
}

function draftOf(document: JsonValue): "4" | "7" | "2019-09" | "2020-12" {
  const dialect = String(Reflect.get(document as object, "$schema"));
  if (dialect.includes("draft-04")) return "4";
  if (dialect.includes("draft-06") || dialect.includes("draft-07")) return "7";
  return dialect.includes("2019-09") ? "2019-09" : "2020-12";
}

function checkPatterns(owner: string, document: JsonValue): void {
  for (const { pattern, patternProperties } of subschemas(document)) {
    const named = typeof patternProperties === "object" && patternProperties !== null ? patternProperties : {};
    for (const expression of typeof pattern === "string" ? [pattern, ...Object.keys(named)] : Object.keys(named)) {
      try {
        new RegExp(expression, "u");
      } catch {
        throw misuse(
          `${owner}: the pattern ${quoteValue(expression)} of its schema is no regular expression of JavaScript with the flag "u".`,
        );
      }
    }
  }
}

function validate(value: unknown, all: Validator, first: Validator): Validation {
  const { valid, errors } = checked(value, all, first);
  return valid ? { ok: true, value } : { ok: false, problems: leafProblems(errors) };
}

/** The validator spreads its problems into calls, which fails above some 100,000 of them: then one must do. */
function checked(value: unknown, all: Validator, first: Validator): ReturnType<Validator["validate"]> {
  try {
    return all.validate(value);
  } catch (error) {
    if (error instanceof RangeError) return first.validate(value);
    throw error;
  }
}

interface SchemaProblem {
  readonly keyword: string;
  readonly instanceLocation: string;
  readonly error: string;
}

/** Keywords that only say "something below failed", which the problems below say better. */
const WRAPPERS = new Set([
  ...["properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"],
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems", "dependentSchemas"],
  ...["$ref", "$recursiveRef", "allOf", "anyOf", "oneOf", "if"],
]);

function leafProblems(errors: readonly SchemaProblem[]): string[] {
  const leaves = errors.filter((error) => !WRAPPERS.has(error.keyword));
  const told = leaves.length === 0 ? errors : leaves;
  return [...new Set(told.map((problem) => withPath(instancePath(problem.instanceLocation), wordsOf(problem))))];
}

/** "False boolean schema." says nothing to a model. */
function wordsOf({ keyword, error }: SchemaProblem): string {
  return keyword === "false" ? "is not allowed here; leave it out." : error;
}

function instancePath(location: string): string[] {
  return location.split("/").slice(1).map(unescapePointer);
}

/** A problem with the place where it is: `items.0.name: …`. */
export function withPath(path: readonly string[], message: string): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
