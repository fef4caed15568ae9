/**
 * The mark by which an error of ours is known, also when another copy of the package made it.
 *
 * Floor 1 (errors): `instanceof` alone fails between ESM and CJS, two installs and two realms. A
 * registered symbol is the same in all of them.
 */

import { type ErrorKind, isErrorKind } from "./kinds.ts";
import { read } from "./read.ts";

/** Sits on the prototype of each error class, with the kind as its value. */
export const BRAND: unique symbol = Symbol.for("harness-kit.error");

/** The kind of an error of ours, or `undefined` for every other value. Never throws. */
export function kindOf(value: unknown): ErrorKind | undefined {
  const kind = read(value, BRAND);
  if (!isErrorKind(kind)) return undefined;
  // The prototypes carry the brand too; only an instance has a code and a verdict.
  return typeof read(value, "code") === "string" && typeof read(value, "retryable") === "boolean" ? kind : undefined;
}
