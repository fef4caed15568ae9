/**
 * The ways in which foreign code goes wrong, each as one action.
 *
 * Testing wing. Used by `chaos`; a fault stands in the place of one call of a port.
 */
import type { Clock } from "../util/clock.ts";

/** Every fault that `chaos` can put in the place of a call. */
export const FAULTS = [
  "throwError",
  "throwNull",
  "throwSymbol",
  "throwRevokedProxy",
  "throwGetterError",
  "reject",
  "undefined",
  "emptyObject",
  "never",
  "twice",
  "late",
  "huge",
  "badJson",
  "halfStream",
] as const;

/** The name of a fault. */
export type FaultName = (typeof FAULTS)[number];

/** What a fault needs to know about the call that it replaces. */
export interface FaultSite {
  /** Does what the port would have done. */
  readonly call: () => unknown;
  /** The port's value, grown very large or broken; both keep its form as far as it has one. */
  readonly huge: () => unknown;
  readonly badJson: () => unknown;
  readonly halfStream: () => unknown;
  readonly clock: Clock;
  readonly lateMs: number;
}

/** Text above every limit of the runtime. */
export const HUGE_TEXT = "huge ".repeat(60_000);

/** The beginning of a JSON text, as a cut stream leaves it. */
export const CUT_JSON = '{"path":"a.txt","text":"line one\\nli';

/** Carries a fault out: returns what the port gives instead, or throws. */
export function carryOut(fault: FaultName, site: FaultSite): unknown {
  switch (fault) {
    case "throwError":
      throw new Error("chaos: thrown");
    case "throwNull":
      throw null;
    case "throwSymbol":
      throw Symbol("chaos");
    case "throwRevokedProxy":
      throw revokedProxy();
    case "throwGetterError":
      throw getterError();
    case "reject":
      return Promise.reject(new Error("chaos: rejected"));
    case "undefined":
      return undefined;
    case "emptyObject":
      return {};
    case "never":
      return new Promise<never>(() => {});
    case "twice":
      return twice(site.call);
    case "late":
      return new Promise((resolve) => site.clock.setTimer(site.lateMs, () => resolve(site.call())));
    case "huge":
      return site.huge();
    case "badJson":
      return site.badJson();
    case "halfStream":
      return site.halfStream();
  }
}

/** Any property of it throws a `TypeError`. */
export function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** An error whose every interesting property throws. */
export function getterError(): Error {
  const error = new Error("chaos: hidden");
  for (const key of ["message", "name", "stack", "cause", "code", "status", "then", "toJSON"]) {
    Object.defineProperty(error, key, {
      enumerable: true,
      get: () => {
        throw new Error(`chaos: the getter of ${key}`);
      },
    });
  }
  return error;
}

async function twice(call: () => unknown): Promise<unknown> {
  await call();
  return call();
}
