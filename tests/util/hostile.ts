/**
 * Values that code of others may hand over, each of them meant to break whoever touches it.
 */
import { runInNewContext } from "node:vm";

/** A proxy that throws on every touch. */
export function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** An object whose property throws when it is read. */
export function throwingGetter(key = "bad"): object {
  return Object.defineProperty({ good: 1 }, key, {
    enumerable: true,
    get() {
      throw new Error("getter");
    },
  });
}

/** An object that contains itself. */
export function cyclic(): Record<string, unknown> {
  const value: Record<string, unknown> = { name: "loop" };
  value["self"] = value;
  return value;
}

/** `depth` objects inside one another. */
export function nested(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = { leaf: true };
  for (let level = 1; level < depth; level++) value = { inner: value };
  return value;
}

/** A promise whose class is not our `Promise`. */
export function foreignPromise<T>(value: T): PromiseLike<T> {
  return runInNewContext("Promise.resolve(value)", { value }) as PromiseLike<T>;
}

/** One of each kind, by name. */
export function hostileValues(): Record<string, unknown> {
  return {
    null: null,
    undefined: undefined,
    symbol: Symbol("s"),
    bigint: 10n,
    nan: Number.NaN,
    function: () => 1,
    revoked: revokedProxy(),
    getter: throwingGetter(),
    cyclic: cyclic(),
    deep: nested(100_000),
    map: new Map<unknown, unknown>([[{ a: 1 }, 1]]),
    set: new Set([1]),
    date: new Date(Number.NaN),
    sparse: Object.assign([], { length: 2 ** 32 - 1 }),
    toJSON: { toJSON: () => revokedProxy() },
    throwingToJSON: {
      toJSON() {
        throw new Error("no");
      },
    },
    endlessToJSON: endless(),
    surrogate: "a\ud800b\u0000",
    buffer: Buffer.from("abc"),
    error: new Error("boom", { cause: cyclic() }),
    noPrototype: Object.create(null),
    weakMap: new WeakMap(),
    promise: Promise.resolve(1),
    tagged: { [Symbol.toStringTag]: "Map" },
  };
}

function endless(): object {
  return { toJSON: endless };
}
