/**
 * Passes one effect through the host's seam, when it has one.
 *
 * Floor 5 (runtime). The host may run the effect, or give back what it remembers of an earlier run; what
 * it gives is looked at before the loop relies on it.
 */
import type { Effects } from "../contract/effects.ts";
import { errorMessage, type HarnessError, RuntimeError } from "../errors/index.ts";
import { freezeJson } from "../util/json.ts";
import { quoteValue } from "../util/text.ts";
import type { CallSpec, ForeignCall } from "./foreign-call.ts";
import type { RunScope } from "./run-scope.ts";

/** What the seam may take longer than the call inside it, which has a grace period of its own. */
const MARGIN_MS = 20;

/** One effect: how it is done, and how its outcome is told from anything else. */
export interface Effect<T> {
  /** Never rejects; what it gives is plain JSON. */
  readonly run: () => Promise<T>;
  readonly isOutcome: (value: object) => boolean;
}

/**
 * Runs an effect under a key that is stable within the run.
 *
 * @throws HarnessError when the seam itself fails or does not come back after the run was stopped.
 */
export async function passEffect<T>(scope: RunScope, key: string, effect: Effect<T>): Promise<T> {
  const { effects, graceMs } = scope.options;
  if (effects === undefined) return effect.run();
  const spec: CallSpec = {
    as: { type: "effects", name: key },
    deadline: Number.POSITIVE_INFINITY,
    timeoutError: () => new RuntimeError(`The effect ${key} has no deadline.`, { code: "RUNTIME_INTERNAL" }),
    graceMs: graceMs + MARGIN_MS,
  };
  const outcome = await scope.calls.race<T>(spec, (call) => step(effects, key, effect, call));
  if (outcome.status === "returned") return outcome.value;
  if (outcome.status === "stopped") throw outcome.reason;
  throw failedAt(key, errorMessage(outcome.error), outcome.error);
}

async function step<T>(effects: Effects, key: string, effect: Effect<T>, call: ForeignCall<T>): Promise<T> {
  let started: Promise<T> | undefined;
  const value = await effects.step(key, async () => {
    if (started === undefined) call.checkRunning();
    started ??= effect.run();
    return started;
  });
  if (typeof value === "object" && value !== null && effect.isOutcome(value)) return freezeJson(value);
  throw new TypeError(`step() gave ${quoteValue(value)}, which is neither what the effect gave nor a copy of it.`);
}

function failedAt(key: string, message: string, cause: unknown): HarnessError {
  return new RuntimeError(`The effects of the host failed at ${key}: ${message}`, {
    code: "RUNTIME_HOOK_THREW",
    cause,
  });
}
