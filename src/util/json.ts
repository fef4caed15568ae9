/**
 * Turns anything into plain JSON and reads JSON that a model wrote.
 *
 * Floor 0 (util). Tool values, arguments and records are JSON; what hosts and models hand over is not
 * always, so the conversion is total: it never throws, never runs a `toJSON` that throws, never follows
 * a cycle, and never creates a key that could reach a prototype.
 */
import { cleanText } from "./text.ts";

/** What a record consists of. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Deeper values are cut: recursive code everywhere (validators, `JSON.stringify`) fails a little beyond. */
export const MAX_JSON_DEPTH = 200;
/** Values with more nodes are cut. */
export const MAX_JSON_NODES = 100_000;

interface Walk {
  readonly path: Set<object>;
  nodes: number;
}

/**
 * Copies a value into plain JSON. BigInt, Date, Map, Set, Error, typed arrays and class instances become
 * their nearest JSON form; functions, symbols and `undefined` members are left out; cycles, getters that
 * throw and what lies too deep become a text marker. Strings come back well formed.
 */
export function toJson(value: unknown): JsonValue {
  return convert(value, { path: new Set(), nodes: 0 }, 0) ?? null;
}

/** Says whether a value fits the bounds of {@link toJson}, so that recursive code may touch it. */
export function fitsJsonBounds(value: unknown): boolean {
  let nodes = 0;
  const pending: [unknown, number][] = [[value, 0]];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const [current, depth] = entry;
    if (typeof current !== "object" || current === null) continue;
    if (depth >= MAX_JSON_DEPTH || ++nodes > MAX_JSON_NODES) return false;
    for (const child of Object.values(current)) pending.push([child, depth + 1]);
  }
  return true;
}

function convert(value: unknown, walk: Walk, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case "string":
      return cleanText(value);
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : convertObject(value, walk, depth);
    default:
      return undefined;
  }
}

function convertObject(value: object, walk: Walk, depth: number): JsonValue {
  if (walk.path.has(value)) return "[circular]";
  if (depth >= MAX_JSON_DEPTH) return "[nested too deeply]";
  if (++walk.nodes > MAX_JSON_NODES) return "[too many values]";
  walk.path.add(value);
  try {
    return convertKnown(value, walk, depth);
  } catch {
    return "[unreadable value]";
  } finally {
    walk.path.delete(value);
  }
}

function convertKnown(value: object, walk: Walk, depth: number): JsonValue {
  if (Array.isArray(value)) return value.map((item) => convert(item, walk, depth + 1) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]): [string, unknown] => [
      typeof key === "string" ? key : safeKey(key),
      item,
    ]);
    return convertEntries(entries, walk, depth);
  }
  if (value instanceof Set) return convert([...value], walk, depth + 1) ?? null;
  if (value instanceof RegExp || value instanceof URL) return String(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[binary data, ${value.byteLength} bytes]`;
  if (value instanceof Error) return convertError(value, walk, depth);
  if (value instanceof String || value instanceof Number || value instanceof Boolean)
    return convert(value.valueOf(), walk, depth) ?? null;
  const toJSON: unknown = Reflect.get(value, "toJSON");
  if (typeof toJSON === "function") return convert(Reflect.apply(toJSON, value, []), walk, depth + 1) ?? null;
  return convertEntries(
    Object.keys(value).map((key): [string, unknown] => [key, readKey(value, key)]),
    walk,
    depth,
  );
}

function convertError(error: Error, walk: Walk, depth: number): JsonValue {
  const toJSON: unknown = Reflect.get(error, "toJSON");
  if (typeof toJSON === "function") return convert(Reflect.apply(toJSON, error, []), walk, depth + 1) ?? null;
  const own = Object.keys(error).map((key): [string, unknown] => [key, readKey(error, key)]);
  return convertEntries([["name", error.name], ["message", error.message], ...own], walk, depth);
}

function convertEntries(entries: Iterable<[string, unknown]>, walk: Walk, depth: number): JsonValue {
  const copy: { [key: string]: JsonValue } = {};
  for (const [key, item] of entries) {
    if (key === "__proto__") continue;
    const converted = convert(item, walk, depth + 1);
    if (converted !== undefined) copy[cleanText(key)] = converted;
  }
  return copy;
}

function readKey(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return "[unreadable value]";
  }
}

function safeKey(key: unknown): string {
  try {
    return typeof key === "object" && key !== null ? (JSON.stringify(toJson(key)) ?? "") : String(key);
  } catch {
    return "[unreadable key]";
  }
}

/**
 * Writes JSON with sorted keys, so that equal values give equal text (RFC 8785 order of keys).
 * Takes what {@link toJson} returned.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

/** Freezes a plain JSON value and everything in it. */
export function freezeJson<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) freezeJson(value[key]);
  }
  return value;
}
