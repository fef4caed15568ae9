/**
 * Checks that a run kept its promises, whatever happened in it.
 *
 * Testing wing. The numbers are those of the invariants in `docs/faults.md`.
 */
import type { AgentEvent } from "../contract/event.ts";
import type { AgentRun } from "../contract/run.ts";
import { checkEvents } from "./assert-run-invariants-events.ts";
import { checkHistory } from "./assert-run-invariants-history.ts";
import { checkRecord, type RunBounds } from "./assert-run-invariants-record.ts";

/**
 * Throws when a record, or its events, break an invariant that can be seen from them: I2 to I9, I16, I17,
 * I19, I20 and I24.
 *
 * @param events - All events of the run in the order in which one listener of "*" heard them, or those of
 * a stream. Left out, only the record is checked.
 * @throws Error whose message names every violation.
 * @example
 * const events: AgentEvent[] = [];
 * runtime.on("*", (event) => events.push(event));
 * assertRunInvariants(await runtime.run("…"), events);
 */
export function assertRunInvariants(run: AgentRun, events?: readonly AgentEvent[], bounds: RunBounds = {}): void {
  const violations = [
    ...checkRecord(run, bounds),
    ...checkHistory(run),
    ...(events === undefined ? [] : checkEvents(run, events)),
  ];
  if (violations.length === 0) return;
  const list = violations.map((violation) => `\n- ${violation}`).join("");
  throw new Error(
    `The run ${run.id} (${run.status}, ${run.stopReason}) breaks ${violations.length} invariants:${list}`,
  );
}
