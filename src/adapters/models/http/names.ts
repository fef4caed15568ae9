/**
 * Maps tool names to what providers accept, and back.
 *
 * Wing adapters (models, shared base). A registry takes `files.read` and `查天气`; most providers take
 * `^[a-zA-Z0-9_-]{1,64}$` only. Equal input gives equal names in every turn, so that prompt caches hold.
 */

/** A mapping in both directions. Each name has its own wire name. */
export interface NameMap {
  toWire(name: string): string;
  /** The name behind a wire name; a name that nobody registered comes back unchanged. */
  fromWire(wire: string): string;
}

const MAX_LENGTH = 64;
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Maps all names of one request.
 *
 * @param names - Every name in use, in order of importance: earlier ones keep the nicer form.
 */
export function mapNames(names: Iterable<string>): NameMap {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();
  const bind = (name: string, wire: string) => {
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
  };
  const all = new Set(names);
  for (const name of all) if (ACCEPTED.test(name)) bind(name, name);
  for (const name of all) if (!wireByName.has(name)) bind(name, freeName(name, nameByWire));
  return {
    toWire: (name) => wireByName.get(name) ?? freeName(name, nameByWire),
    fromWire: (wire) => nameByWire.get(wire) ?? wire,
  };
}

function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, "_");
  const isTelling = /[a-zA-Z0-9]/.test(plain) && plain.length <= MAX_LENGTH;
  if (isTelling && !taken.has(plain)) return plain;
  for (let salt = 0; ; salt++) {
    const suffix = `_${hashText(salt === 0 ? name : `${name}#${salt}`)}`;
    const candidate = `${plain.slice(0, MAX_LENGTH - suffix.length)}${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** FNV-1a, 32 bits, as eight hexadecimal digits. Tells names apart; protects nothing. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
