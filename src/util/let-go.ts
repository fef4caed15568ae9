/**
 * Lets go of a value that nobody waits for.
 *
 * Floor 0 (util). Host code may be async where a plain value belongs; its promise is then of no use, and
 * must not end the process by a rejection that nobody hears.
 */
export function letGo(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Promise.resolve(value).then(undefined, () => {});
}
