/**
 * The outcome of a call that was never started.
 *
 * Floor 5 (runtime).
 */
import { type HarnessError, RuntimeError } from "../errors/index.ts";
import { failureOf } from "../registry/tool-result.ts";
import { freezeJson } from "../util/json.ts";
import type { ToolOutcome } from "./execute-tool.ts";

/** What stands in the record of it; `at` is when its turn came to its tools. */
export function notRun(error: HarnessError, at: number): ToolOutcome {
  return freezeJson({ result: failureOf(error), attempts: 0, failures: [], startedAt: at, durationMs: 0 });
}

/** What the model is told of a call that the end of the run came before. */
export function notStarted(reason: HarnessError): HarnessError {
  return new RuntimeError(`Not run: the run was stopped before this call started, it is cancelled. ${reason.message}`, {
    code: reason.code,
    cause: reason,
  });
}
