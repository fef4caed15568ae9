/**
 * A path on one line of a list.
 *
 * Wing (adapters). Pure.
 */

/** As it is; one that would break the line, or begins like a quoted one, in quotes. */
export function shownName(path: string): string {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|^"/.test(path) ? JSON.stringify(path) : path;
}
