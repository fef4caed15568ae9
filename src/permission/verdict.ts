/**
 * A decision and the reason for it.
 *
 * Floor 4 (permission).
 */
import type { Decision } from "../contract/permission.ts";

/** What a check says. */
export interface Verdict {
  readonly decision: Decision;
  readonly reason: string;
}

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two decisions. */
export function stricter(a: Decision, b: Decision): Decision {
  return STRICTNESS[a] >= STRICTNESS[b] ? a : b;
}
