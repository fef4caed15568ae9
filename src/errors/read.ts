/**
 * Looks into values that others threw, without ever throwing.
 *
 * Floor 1 (errors): a getter may throw and a revoked proxy throws on every touch, so that each read
 * of a foreign value goes through here. No method of the value is called.
 */

/** What `work` returns, or `undefined` when it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Tells whether a value is an object that properties can be read from. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The property, or `undefined` when there is none or reading it throws. */
export function read(value: unknown, key: PropertyKey): unknown {
  if (!isObject(value) && typeof value !== "function") return undefined;
  // No `attempt` here: one adoption reads some eighty properties.
  try {
    return (value as unknown as Record<PropertyKey, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** The property, when it is a string with something in it. */
export function readText(value: unknown, key: PropertyKey): string | undefined {
  const found = read(value, key);
  return typeof found === "string" && found.trim() !== "" ? found : undefined;
}

/** The first `limit` elements of the property when it is an array; otherwise nothing. */
export function readList(value: unknown, key: PropertyKey, limit: number): unknown[] {
  const list = read(value, key);
  if (!isList(list)) return [];
  const length = Math.min(Number(read(list, "length")), limit);
  return Array.from({ length }, (_, index) => read(list, index));
}

/** `Array.isArray`, which throws for a revoked proxy. */
export function isList(value: unknown): value is readonly unknown[] {
  return attempt(() => Array.isArray(value)) === true;
}

/** The own enumerable string keys, or none where they cannot be listed. */
export function keysOf(value: unknown): string[] {
  return attempt(() => Object.keys(value as object)) ?? [];
}

/** The class of a value as a reader would name it: `APIConnectionError`, also when `name` says "Error". */
export function typeNameOf(value: unknown): string | undefined {
  const name = readText(value, "name");
  if (name !== undefined && name !== "Error") return name;
  const constructorName = constructorNameOf(value);
  return constructorName === undefined || constructorName === "Object" ? name : constructorName;
}

/** The name of the constructor. Minifying destroys it, so it may help but never decide alone. */
export function constructorNameOf(value: unknown): string | undefined {
  return readText(read(value, "constructor"), "name");
}
