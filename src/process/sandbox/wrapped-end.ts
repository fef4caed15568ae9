/**
 * Tells the end of a command apart from the end of its wrapper.
 *
 * Floor 2 (process). A wrapper's own exit code says nothing about the command: `exit 1` may be either's.
 */
import { notStartedResult, type Seen } from "../build-result.ts";
import { notStarted } from "../classify.ts";
import type { NotStarted } from "../result.ts";
import { sandboxFailure } from "./failure.ts";
import type { WrapperControl, WrapperEnd, WrapperOutcome } from "./types.ts";

/** How the command ended, or the result of one that never began. */
export type CommandEnd =
  | { readonly type: "ran"; readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly type: "notStarted"; readonly result: NotStarted };

/** Reads what `control` makes of the end of its wrapper; without one the wrapper's end is the command's. */
export function commandEnd(control: WrapperControl | undefined, end: WrapperEnd, seen: Seen): CommandEnd {
  const outcome = outcomeOf(control, end);
  if (outcome.status === "ran") return { type: "ran", exitCode: outcome.exitCode, signal: outcome.signal };
  const { code, subject, reason } = outcome;
  const verdict = notStarted(code);
  const error = code === "SANDBOX_FAILED" ? sandboxFailure(reason) : new Error(reason);
  return {
    type: "notStarted",
    result: notStartedResult({ ...verdict, subject: subject ?? verdict.subject }, seen, error),
  };
}

function outcomeOf(control: WrapperControl | undefined, end: WrapperEnd): WrapperOutcome {
  const asSeen = { status: "ran", exitCode: end.exitCode, signal: end.signal } as const;
  try {
    return control?.outcomeOf(end) ?? asSeen;
  } catch {
    // A report that cannot be read makes nothing undone: the command may have run.
    return asSeen;
  }
}
