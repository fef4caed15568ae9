/**
 * Passes one effect through the journal and through the host's seam, where there are such.
 *
 * Floor 5 (runtime). The journal gives back what it has of an earlier process; the host may run the effect,
 * or give back what it remembers. What they give is looked at before the loop relies on it.
 */
import type { Effects } from "../contract/effects.ts";
import { ContextError, errorMessage, type HarnessError, RuntimeError } from "../errors/index.ts";
import { freezeJson } from "../util/json.ts";
import { quoteValue } from "../util/text.ts";
import type { CallSpec, ForeignCall } from "./foreign-call.ts";
import type { RunJournal } from "./journal.ts";
import type { RunScope } from "./run-scope.ts";

/** What the seam may take longer than the call inside it, which has a grace period of its own. */
const MARGIN_MS = 20;

/** One effect: how it is done, and how its outcome is told from anything else. */
export interface Effect<T> {
  /** Never rejects; what it gives is plain JSON. */
  readonly run: () => Promise<T>;
  readonly isOutcome: (value: object) => boolean;
  /**
   * The outcome of an effect that was in flight, since the given time, when an earlier process died.
   * @defaultValue it is run again
   */
  readonly uncertain?: ((since: number) => T) | undefined;
}

/**
 * Runs an effect under a key that is stable within the run.
 *
 * @throws HarnessError when a seam itself fails or does not come back after the run was stopped.
 */
export function passEffect<T>(scope: RunScope, key: string, effect: Effect<T>): Promise<T> {
  const { journal } = scope;
  return journal === undefined ? passHost(scope, key, effect) : passJournal(scope, journal, key, effect);
}

async function passJournal<T>(scope: RunScope, journal: RunJournal, key: string, effect: Effect<T>): Promise<T> {
  const known = journal.known(key);
  if (known !== undefined) return remembered(key, known.value, effect);
  const since = journal.inFlightSince(key);
  if (since !== undefined && effect.uncertain !== undefined) {
    const value = effect.uncertain(since);
    await journal.end(key, value);
    return value;
  }
  await journal.start(key);
  const value = await passHost(scope, key, effect);
  // What ended because the run was stopped is no outcome: the record says what is known of it.
  if (scope.stopReason === undefined) await journal.end(key, value);
  return value;
}

function remembered<T>(key: string, value: unknown, effect: Effect<T>): T {
  if (typeof value === "object" && value !== null && effect.isOutcome(value)) return freezeJson(value) as T;
  const message = `The journal holds ${quoteValue(value)} for ${key}, which is no outcome of it. Restore the journal from a backup, or start a new run.`;
  throw new ContextError(message, { code: "CONTEXT_STORE_DAMAGED" });
}

async function passHost<T>(scope: RunScope, key: string, effect: Effect<T>): Promise<T> {
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
