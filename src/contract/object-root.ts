/**
 * The JSON Schema that a model is shown: an object at its root, every reference inside the document.
 *
 * Floor 3 (contract). Providers refuse a whole request for one schema of another form, so a tool with
 * such a schema is refused when it is registered, by name.
 */
import { fitsJsonBounds, freezeJson, type JsonValue, toJson } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import type { JsonSchema } from "./schema.ts";

/**
 * A frozen copy of a JSON Schema with type "object" at its root.
 *
 * @throws TypeError when it is no JSON Schema, describes no object, or refers to what is not in it.
 */
export function objectRoot(owner: string, document: unknown): JsonSchema {
  if (!fitsJsonBounds(document)) throw misuse(`${owner}: its schema is too deep, too large or cyclic to be shown.`);
  const copy = toJson(document);
  if (!isRecord(copy)) throw misuse(`${owner}: its JSON Schema must be an object, got ${quoteValue(document)}.`);
  checkReferences(owner, copy);
  const { $schema: _dialect, ...root } = withoutRootReference(owner, copy);
  if (describesObject(root, copy)) return freezeJson({ ...root, type: "object" });
  throw misuse(
    `${owner}: the root of its schema must be an object, got ${quoteValue(root["type"] ?? root)}. ` +
      "Wrap the value, for example z.object({ value: … }).",
  );
}

type JsonRecord = { [key: string]: JsonValue };

function isRecord(value: JsonValue | undefined): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Under these keywords stands data, not a schema. */
const DATA = new Set(["const", "enum", "default", "examples", "example"]);

/** Every schema of a document, the document itself first; a property that is named like a keyword is none of it. */
export function* subschemas(schema: JsonValue): Generator<JsonRecord> {
  if (Array.isArray(schema)) for (const item of schema) yield* subschemas(item);
  if (!isRecord(schema)) return;
  yield schema;
  for (const [keyword, value] of Object.entries(schema)) if (!DATA.has(keyword)) yield* subschemas(value);
}

function checkReferences(owner: string, document: JsonRecord): void {
  // With an `$id` references may be relative to it; whoever writes one has seen to that.
  const all = [...subschemas(document)];
  if (all.some((schema) => typeof schema["$id"] === "string")) return;
  for (const { $ref } of all) {
    if (typeof $ref === "string" && resolve($ref, document) === undefined) throw lostReference(owner, $ref);
  }
}

function lostReference(owner: string, reference: string): TypeError {
  return misuse(`${owner}: its schema refers to ${quoteValue(reference)}, which is not in it. Put it under $defs.`);
}

/** What a reference within the document means: "#", "#/a/pointer" or "#anchor". */
function resolve(reference: string, document: JsonRecord): JsonValue | undefined {
  if (reference === "#") return document;
  if (!reference.startsWith("#/")) {
    return [...subschemas(document)].find(({ $anchor }) => reference === `#${String($anchor)}`);
  }
  let found: JsonValue | undefined = document;
  for (const part of reference.slice(2).split("/")) {
    if (typeof found !== "object" || found === null) return undefined;
    const key = unescapePointer(part);
    found = Object.hasOwn(found, key) ? (found as JsonRecord)[key] : undefined;
  }
  return found;
}

/** Reads one part of a JSON pointer in a URI fragment (RFC 6901). */
export function unescapePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

/** Providers want the type at the root itself, so that a reference there is replaced by what it means. */
function withoutRootReference(owner: string, document: JsonRecord): JsonRecord {
  let root = document;
  const seen = new Set<string>();
  for (let reference = root["$ref"]; typeof reference === "string"; reference = root["$ref"]) {
    const target = seen.has(reference) ? undefined : resolve(reference, document);
    if (!isRecord(target)) throw lostReference(owner, reference);
    seen.add(reference);
    const { $ref: _followed, ...rest } = root;
    root = { ...target, ...rest };
  }
  return root;
}

/** Keywords that say nothing against an object. */
const NEUTRAL = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$id", "$anchor", "$comment", "$defs", "definitions"],
  ...["required", "minProperties", "maxProperties", "patternProperties", "propertyNames"],
  ...["additionalProperties", "unevaluatedProperties", "dependentRequired", "dependentSchemas"],
]);

function describesObject(schema: JsonValue | undefined, document: JsonRecord, depth = 0): boolean {
  if (!isRecord(schema) || depth > 10) return false;
  const { type, $ref, anyOf, oneOf, allOf } = schema;
  const isObject = (branch: JsonValue) => describesObject(branch, document, depth + 1);
  if (type !== undefined) return type === "object";
  if (typeof $ref === "string") return describesObject(resolve($ref, document), document, depth + 1);
  if ("properties" in schema) return true;
  if (Array.isArray(allOf)) return allOf.some(isObject);
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches)) return branches.length > 0 && branches.every(isObject);
  return Object.keys(schema).every((keyword) => NEUTRAL.has(keyword));
}
