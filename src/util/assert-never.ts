/**
 * Marks the end of a `switch` over a union, so that a new member fails to compile until it is handled.
 *
 * Floor 0 (util).
 */
export function assertNever(value: never): never {
  throw new TypeError(`Unexpected value ${String(value)}: a switch does not handle every member of its union.`);
}
