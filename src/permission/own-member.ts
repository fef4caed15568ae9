/**
 * Reads one argument of a call.
 *
 * Floor 4 (permission).
 */

/** The member that arguments have themselves. What they inherit, and what no object has, is `undefined`. */
export function ownMember(args: unknown, name: string): unknown {
  const holder: object = Object(args);
  return Object.hasOwn(holder, name) ? Reflect.get(holder, name) : undefined;
}
