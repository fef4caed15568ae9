/**
 * Turns anything into plain JSON and reads JSON that a model wrote.
 *
 * Floor 0 (util). Tool values, arguments and records are JSON; what hosts and models hand over is not
 * always, so the conversion is total: it never throws, whatever a `toJSON` or a getter does, never
 * follows a cycle, and never creates a key that could reach a prototype.
 */
import { cleanText } from "./text.ts";

/** What a record consists of. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Deeper values are cut: recursive code everywhere (validators, `JSON.stringify`) fails a little beyond. */
export const MAX_JSON_DEPTH = 200;
/** Values with more objects and lists are cut. */
export const MAX_JSON_NODES = 100_000;
/** Values with more properties and elements, all nodes together, are cut: a list may claim any length. */
export const MAX_JSON_MEMBERS = 1_000_000;

/** Larger objects take the way that counts. */
const MAX_FLAT_MEMBERS = 64;

const TOO_DEEP = "[nested too deeply]";
const TOO_MANY = "[too many values]";
const UNREADABLE = "[unreadable value]";

interface Walk {
  readonly path: Set<object>;
  nodes: number;
  members: number;
}

/**
 * Copies a value into plain JSON. BigInt, Date, Map, Set, Error, typed arrays and class instances become
 * their nearest JSON form; functions, symbols and `undefined` members are left out; cycles, getters that
 * throw and what lies too deep become a text marker. Strings come back well formed.
 */
export function toJson(value: unknown): JsonValue {
  return copyFlatJson(value) ?? convert(value, { path: new Set(), nodes: 0, members: 0 }, 0) ?? null;
}

/**
 * The common case of {@link toJson} for a tenth of the cost: a plain object that holds nothing but simple
 * values, and few of them. `undefined` for all else.
 */
export function copyFlatJson(value: unknown): JsonValue | undefined {
  try {
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return undefined;
    const copy: { [key: string]: JsonValue } = {};
    let members = 0;
    for (const key of Object.keys(value)) {
      const member: unknown = (value as Record<string, unknown>)[key];
      const isSimple =
        typeof member === "boolean" || member === null || Number.isFinite(member) || typeof member === "string";
      if (!isSimple || key === "__proto__" || key === "toJSON" || ++members > MAX_FLAT_MEMBERS) return undefined;
      copy[cleanText(key)] = convertFlat(member as string | number | boolean | null);
    }
    return copy;
  } catch {
    return undefined;
  }
}

/** A copy of plain JSON that nobody else holds. Takes what {@link toJson} returned. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copy: { [key: string]: JsonValue } = {};
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    copy[key] = typeof member === "object" ? copyJson(member) : member;
  }
  return copy;
}

/** As {@link toJson} does it: JSON reads -0 as 0. */
function convertFlat(member: string | number | boolean | null): JsonValue {
  if (typeof member === "string") return cleanText(member);
  return typeof member === "number" ? member + 0 : member;
}

/** Says whether a value fits the bounds of {@link toJson}, so that recursive code may touch it. Never throws. */
export function fitsJsonBounds(value: unknown): boolean {
  try {
    return isWithinBounds(value);
  } catch {
    return false;
  }
}

function isWithinBounds(value: unknown): boolean {
  const pending: object[] = [];
  const depths: number[] = [];
  const add = (child: unknown, depth: number) => {
    if (typeof child === "object" && child !== null) depths[pending.push(child) - 1] = depth;
  };
  let nodes = 0;
  let members = 0;
  add(value, 0);
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const depth = depths[pending.length] ?? 0;
    const size = Array.isArray(current) ? current.length : 0;
    if (depth >= MAX_JSON_DEPTH || ++nodes > MAX_JSON_NODES || members + size > MAX_JSON_MEMBERS) return false;
    const children: unknown[] = Array.isArray(current) ? current : Object.values(current);
    members += children.length;
    if (members > MAX_JSON_MEMBERS) return false;
    for (const child of children) add(child, depth + 1);
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
      // JSON has no -0, NaN or Infinity; adding 0 makes -0 the 0 that it is read back as.
      return Number.isFinite(value) ? value + 0 : String(value);
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
  if (depth >= MAX_JSON_DEPTH) return TOO_DEEP;
  if (++walk.nodes > MAX_JSON_NODES) return TOO_MANY;
  walk.path.add(value);
  try {
    return Array.isArray(value) ? convertList(value, walk, depth) : convertOther(value, walk, depth);
  } catch {
    return UNREADABLE;
  } finally {
    walk.path.delete(value);
  }
}

/** Element by element: `map` would keep holes, which JSON does not have. */
function convertList(list: readonly unknown[], walk: Walk, depth: number): JsonValue {
  const size = list.length;
  walk.members += size;
  if (walk.members > MAX_JSON_MEMBERS) return TOO_MANY;
  const copy: JsonValue[] = [];
  for (let index = 0; index < size; index++) copy.push(convert(list[index], walk, depth + 1) ?? null);
  return copy;
}

function convertOther(value: object, walk: Walk, depth: number): JsonValue {
  const prototype: unknown = Object.getPrototypeOf(value);
  const known = prototype === Object.prototype || prototype === null ? undefined : convertKnown(value, walk, depth);
  if (known !== undefined) return known;
  const toJSON: unknown = Reflect.get(value, "toJSON");
  const said: unknown = typeof toJSON === "function" ? Reflect.apply(toJSON, value, [""]) : value;
  if (said !== value) return convert(said, walk, depth + 1) ?? null;
  return convertEntries(Object.keys(value), (key) => readKey(value, key), walk, depth);
}

/** The built-in classes, by their tag: an `instanceof` would not know those of another realm. */
function convertKnown(value: object, walk: Walk, depth: number): JsonValue | undefined {
  if (value instanceof Error) return convertError(value, walk, depth);
  if (ArrayBuffer.isView(value)) return `[binary data, ${value.byteLength} bytes]`;
  switch (Object.prototype.toString.call(value).slice(8, -1)) {
    case "Date":
      return convertDate(value as Date);
    case "Map":
      return convertMap(value as Map<unknown, unknown>, walk, depth);
    case "Set":
      return convertList([...(value as Set<unknown>)], walk, depth);
    case "Error":
      return convertError(value as Error, walk, depth);
    case "RegExp":
    case "URL":
      return String(value);
    case "ArrayBuffer":
    case "SharedArrayBuffer":
      return `[binary data, ${(value as ArrayBuffer).byteLength} bytes]`;
    case "String":
    case "Number":
    case "Boolean":
    case "BigInt":
      return convert(value.valueOf(), walk, depth + 1) ?? null;
    default:
      return undefined;
  }
}

function convertDate(date: Date): JsonValue {
  return Number.isNaN(date.getTime()) ? "Invalid Date" : date.toISOString();
}

function convertMap(map: Map<unknown, unknown>, walk: Walk, depth: number): JsonValue {
  const named = new Map([...map].map(([key, item]) => [typeof key === "string" ? key : safeKey(key), item] as const));
  return convertEntries([...named.keys()], (key) => named.get(key), walk, depth);
}

/** All that is kept of an error: clients hang requests, with their keys, on the errors that they throw. */
const ERROR_KEYS = ["name", "message", "kind", "code", "status", "retryable", "cause", "errors"];

function convertError(error: Error, walk: Walk, depth: number): JsonValue {
  return convertEntries(ERROR_KEYS, (key) => readKey(error, key), walk, depth);
}

function convertEntries(keys: readonly string[], read: (key: string) => unknown, walk: Walk, depth: number): JsonValue {
  walk.members += keys.length;
  if (walk.members > MAX_JSON_MEMBERS) return TOO_MANY;
  const copy: { [key: string]: JsonValue } = {};
  for (const key of keys) {
    if (key === "__proto__") continue;
    const converted = convert(read(key), walk, depth + 1);
    if (converted !== undefined) copy[cleanText(key)] = converted;
  }
  return copy;
}

function readKey(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return UNREADABLE;
  }
}

function safeKey(key: unknown): string {
  try {
    return typeof key === "object" && key !== null ? JSON.stringify(toJson(key)) : String(key);
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
