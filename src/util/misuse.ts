/**
 * The caller's own mistakes: a `TypeError` with a code, thrown before anything has happened.
 *
 * Floor 0 (util).
 */

/** A `TypeError` whose `code` is `RUNTIME_INVALID_CONFIG`. The message says what to write instead. */
export function misuse(message: string): TypeError & { readonly code: "RUNTIME_INVALID_CONFIG" } {
  return Object.assign(new TypeError(message), { code: "RUNTIME_INVALID_CONFIG" as const });
}
