/**
 * The mark by which an error of ours is known, also when another copy of the package made it.
 *
 * Floor 1 (errors): `instanceof` alone fails between ESM and CJS, two installs and two realms. A
 * registered symbol is the same in all of them.
 */

import { type ErrorKind, isErrorKind } from "./kinds.ts";

/** Sits on the prototype of each error class, with the kind as its value. */
export const BRAND: unique symbol = Symbol.for("harness-kit.error");

interface Branded {
  [BRAND]?: unknown;
  code?: unknown;
  retryable?: unknown;
}

/** The kind of an error of ours, or `undefined` for every other value. Never throws. */
export function kindOf(value: unknown): ErrorKind | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const { [BRAND]: kind, code, retryable } = value as Branded;
    // The prototypes carry the brand too; only an instance has a code and a verdict.
    return isErrorKind(kind) && typeof code === "string" && typeof retryable === "boolean" ? kind : undefined;
  } catch {
    return undefined;
  }
}
