/**
 * The one form in which the package refuses a caller's mistake.
 *
 * Floor 1 (errors).
 */

/** A `TypeError` with the code `RUNTIME_INVALID_CONFIG`. Its message says what to write instead. */
export function invalidConfig(message: string): TypeError & { readonly code: "RUNTIME_INVALID_CONFIG" } {
  return Object.assign(new TypeError(message), { code: "RUNTIME_INVALID_CONFIG" as const });
}
