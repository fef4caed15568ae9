/**
 * Passes one effect through the host's seam, when it has one.
 *
 * Floor 5 (runtime).
 */
import { errorMessage, RuntimeError } from "../errors/index.ts";
import type { CallSpec } from "./foreign-call.ts";
import type { RunScope } from "./run-scope.ts";

/** What the seam may take longer than the call inside it, which has a grace period of its own. */
const MARGIN_MS = 20;

/**
 * Runs `effect` under a key that is stable within the run.
 *
 * @throws HarnessError when the seam itself fails or does not come back after the run was stopped.
 */
export async function passEffect<T>(scope: RunScope, key: string, effect: () => Promise<T>): Promise<T> {
  if (scope.options.effects === undefined) return effect();
  const spec: CallSpec = {
    as: { type: "effects", name: key },
    deadline: Number.POSITIVE_INFINITY,
    timeoutError: () => new RuntimeError(`The effect ${key} has no deadline.`, { code: "RUNTIME_INTERNAL" }),
    graceMs: scope.options.graceMs + MARGIN_MS,
  };
  const outcome = await scope.calls.race<T>(spec, () => scope.effects.step(key, effect));
  if (outcome.status === "returned") return outcome.value;
  if (outcome.status === "stopped") throw outcome.reason;
  throw new RuntimeError(`The effects of the host failed at ${key}: ${errorMessage(outcome.error)}`, {
    code: "RUNTIME_HOOK_THREW",
    cause: outcome.error,
  });
}
