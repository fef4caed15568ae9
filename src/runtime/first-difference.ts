/**
 * Finds the first place in which two JSON values differ.
 *
 * Floor 5 (runtime).
 */

/** Where two values part. */
export interface Difference {
  /** As one would write it in code: `steps[3].result.value`. */
  readonly path: string;
  /** `undefined` where there is nothing. */
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Compares two JSON values; members without a value count as absent. `undefined` when they are equal. */
export function firstDifference(expected: unknown, actual: unknown, path = ""): Difference | undefined {
  if (Object.is(expected, actual)) return undefined;
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    return { path, expected, actual };
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  for (const key of keys) {
    const member = Array.isArray(expected) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const found = firstDifference(memberOf(expected, key), memberOf(actual, key), member);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function memberOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
