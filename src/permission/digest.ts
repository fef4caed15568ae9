/**
 * The identity of arguments: a frozen copy, its canonical JSON and the digest of that.
 *
 * Floor 4 (permission). Node only. Approvals, records and executions are compared by this digest.
 */
import { createHash } from "node:crypto";
import { canonicalJson, fitsJsonBounds, freezeJson, type JsonValue } from "../util/json.ts";

/** Arguments that nobody else holds. */
export interface DigestedArguments {
  readonly args: JsonValue;
  /** RFC 8785 JSON. */
  readonly canonical: string;
  /** SHA-256 of the canonical JSON, in hex. */
  readonly digest: string;
}

/**
 * Copies arguments and computes their digest.
 *
 * @throws TypeError for what is no JSON, or is nested too deeply: nothing is approved that reads differently
 * once it is written down.
 */
export function digestArguments(value: unknown): DigestedArguments {
  if (!fitsJsonBounds(value)) throw new TypeError("The arguments are nested too deeply or hold too many values.");
  const args = freezeJson(copyJson(value, "arguments"));
  const canonical = canonicalJson(args);
  return { args, canonical, digest: sha256(canonical) };
}

/** SHA-256 in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A strict copy: what JSON would change or leave out is refused. `undefined` members are absent ones. */
function copyJson(value: unknown, path: string): JsonValue {
  switch (typeof value) {
    case "string":
      if (LONE_SURROGATE.test(value)) throw new TypeError(`${path} holds half a character.`);
      return value;
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}, which is no JSON.`);
      return value + 0;
    case "object":
      return value === null ? null : copyObject(value, path);
    default:
      throw new TypeError(`${path} is a ${typeof value}, which is no JSON.`);
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function copyObject(value: object, path: string): JsonValue {
  if (Array.isArray(value)) return Array.from(value, (item: unknown, index) => copyJson(item, `${path}[${index}]`));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw new TypeError(`${path} is no plain object.`);
  const copy: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (LONE_SURROGATE.test(key)) throw new TypeError(`${path} has a key with half a character.`);
    // Plain assignment of "__proto__" would set the prototype instead of a member.
    Object.defineProperty(copy, key, {
      value: copyJson(item, `${path}.${key}`),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}
