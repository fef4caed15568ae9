/**
 * Questions about a caught value.
 *
 * Floor 1 (errors): these know errors of every copy of the package, in every realm.
 */

import { kindOf } from "./brand.ts";
import type {
  AnyHarnessError,
  ContextError,
  HarnessErrorOf,
  ModelError,
  PermissionError,
  RuntimeError,
  ToolError,
} from "./harness-error.ts";
import type { ErrorKind } from "./kinds.ts";

/**
 * Tells whether a value is an error of ours, of any kind or of the one given. Never throws.
 *
 * @example
 * if (isHarnessError(error, "model") && error.code === "MODEL_AUTH") askForKey();
 */
export function isHarnessError<K extends ErrorKind>(value: unknown, kind: K): value is HarnessErrorOf<K>;
export function isHarnessError(value: unknown, kind?: ErrorKind): value is AnyHarnessError;
export function isHarnessError(value: unknown, kind?: ErrorKind): boolean {
  const found = kindOf(value);
  return found !== undefined && (kind === undefined || found === kind);
}

/** Tells whether a value is an error of the model layer. */
export function isModelError(value: unknown): value is ModelError {
  return kindOf(value) === "model";
}

/** Tells whether a value is an error of a tool. */
export function isToolError(value: unknown): value is ToolError {
  return kindOf(value) === "tool";
}

/** Tells whether a value is an error of the run itself. */
export function isRuntimeError(value: unknown): value is RuntimeError {
  return kindOf(value) === "runtime";
}

/** Tells whether a value is an error of the context. */
export function isContextError(value: unknown): value is ContextError {
  return kindOf(value) === "context";
}

/** Tells whether a value is an error of the permission gate. */
export function isPermissionError(value: unknown): value is PermissionError {
  return kindOf(value) === "permission";
}
