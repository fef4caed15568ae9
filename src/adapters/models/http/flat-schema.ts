/**
 * Schemas in the form that strict APIs take.
 *
 * Wing adapters (models, shared base). Anthropic and OpenAI refuse a whole request for one tool with
 * `anyOf`, `oneOf` or `allOf` at the root of its schema: there the branches become one object with the
 * properties of all.
 *
 * @see https://github.com/vercel/ai/issues/21350
 */
import type { JsonSchema } from "../../../contract/schema.ts";
import { isRecord, type JsonRecord } from "./json.ts";

const UNIONS = ["anyOf", "oneOf", "allOf"] as const;

/** The schema, without a union at its root. One without such a union comes back as it is. */
export function flatSchema(schema: JsonSchema): JsonSchema {
  if (!UNIONS.some((keyword) => Array.isArray(schema[keyword]))) return schema;
  const { anyOf: _any, oneOf: _one, allOf: _all, additionalProperties: _more, ...rest } = schema;
  const { properties, required, isClosed } = flatten(schema, schema, 0);
  const forms = branchesOf(schema).map((branch) => formOf(flatten(branch, schema, 0)));
  const note = forms.length > 1 ? `Give one of these forms: ${forms.join(" or ")}.` : undefined;
  const description = [rest["description"], note].filter((text) => typeof text === "string").join("\n");
  return {
    ...rest,
    type: "object",
    ...(description === "" ? {} : { description }),
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}

interface FlatObject {
  readonly properties: JsonRecord;
  readonly required: readonly string[];
  /** Whether no other properties are allowed. */
  readonly isClosed: boolean;
}

const MAX_DEPTH = 10;

function flatten(schema: JsonRecord, document: JsonRecord, depth: number): FlatObject {
  const own: FlatObject = {
    properties: isRecord(schema["properties"]) ? schema["properties"] : {},
    required: Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : [],
    isClosed: schema["additionalProperties"] === false,
  };
  if (depth > MAX_DEPTH) return own;
  const flat = (branch: JsonRecord) => flatten(branch, document, depth + 1);
  const target = resolve(schema["$ref"], document);
  const parts = [own, ...(target === undefined ? [] : [flat(target)]), ...listOf(schema["allOf"]).map(flat)];
  const forms = branchesOf(schema).map(flat);
  return all(forms.length === 0 ? parts : [...parts, either(forms)]);
}

/** All of these at once. */
function all(parts: readonly FlatObject[]): FlatObject {
  return {
    properties: mergeProperties(parts),
    required: [...new Set(parts.flatMap((part) => part.required))],
    isClosed: parts.some((part) => part.isClosed),
  };
}

/** One of these: only what each form requires is required. */
function either(forms: readonly FlatObject[]): FlatObject {
  const [first, ...others] = forms;
  return {
    properties: mergeProperties(forms),
    required: (first?.required ?? []).filter((name) => others.every((form) => form.required.includes(name))),
    isClosed: forms.every((form) => form.isClosed),
  };
}

/** A property of several forms may have any of its schemas. */
function mergeProperties(parts: readonly FlatObject[]): JsonRecord {
  const schemas = new Map<string, unknown[]>();
  for (const { properties } of parts) {
    for (const [name, schema] of Object.entries(properties)) {
      const known = schemas.get(name) ?? [];
      const isNew = !known.some((other) => JSON.stringify(other) === JSON.stringify(schema));
      schemas.set(name, isNew ? [...known, schema] : known);
    }
  }
  const merged = [...schemas].map(([name, list]) => [name, list.length === 1 ? list[0] : joined(list)] as const);
  return Object.fromEntries(merged);
}

/** Constants, which tell the forms of a union apart, become one list of values. */
function joined(schemas: readonly unknown[]): JsonRecord {
  const isConstant = (schema: unknown): schema is JsonRecord => isRecord(schema) && "const" in schema;
  const type = isRecord(schemas[0]) ? schemas[0]["type"] : undefined;
  if (!schemas.every((schema) => isConstant(schema) && schema["type"] === type)) return { anyOf: schemas };
  const values = schemas.map((schema) => (schema as JsonRecord)["const"]);
  return { ...(type === undefined ? {} : { type }), enum: values };
}

/** A form in words: `{ op: "a", id, note? }`. */
function formOf({ properties, required }: FlatObject): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const value = isRecord(schema) && "const" in schema ? `: ${JSON.stringify(schema["const"])}` : "";
    return `${name}${required.includes(name) ? "" : "?"}${value}`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function branchesOf(schema: JsonRecord): JsonRecord[] {
  return [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
}

function listOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function resolve(reference: unknown, document: JsonRecord): JsonRecord | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let found: unknown = document;
  for (const part of reference.slice(2).split("/")) {
    found = isRecord(found) ? found[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  }
  return isRecord(found) ? found : undefined;
}

/** A copy in which no object takes further properties, as APIs want the schema of a reply. */
export function closedSchema(schema: JsonSchema): JsonSchema {
  return closed(schema) as JsonSchema;
}

const SCHEMA_MAPS = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const DATA = new Set(["const", "enum", "default", "examples"]);

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isRecord(schema)) return schema;
  const members = Object.entries(schema).map(([keyword, value]) => {
    if (DATA.has(keyword)) return [keyword, value];
    if (!SCHEMA_MAPS.has(keyword) || !isRecord(value)) return [keyword, closed(value)];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]))];
  });
  const isObject = schema["type"] === "object" || isRecord(schema["properties"]);
  return { ...Object.fromEntries(members), ...(isObject ? { additionalProperties: false } : {}) };
}
