/**
 * Closes a run: every call answered, the terminal step, "run:end", the record.
 *
 * Floor 5 (runtime).
 */
import { type AgentRun, RUN_SCHEMA_VERSION, STATUS_OF } from "../contract/run.ts";
import type { Ending } from "./run-loop.ts";
import type { RunScope } from "./run-scope.ts";

/**
 * Ends the run: makes its record, keeps it where there is a store, tells "run:end". Whatever the run did
 * before stands in the record. Never rejects.
 */
export async function finishRun(scope: RunScope, ending: Ending): Promise<AgentRun> {
  const record = makeRecord(scope, ending);
  scope.recorder.seal();
  const run = scope.journal === undefined ? record : await scope.journal.close(record);
  const { status, stopReason, answer, error, errorKind, errorCode, startedAt, endedAt } = run;
  const failure = error === undefined ? {} : { error, errorKind, errorCode };
  scope.recorder.emit("run:end", { status, stopReason, answer, ...failure, durationMs: endedAt - startedAt });
  return run;
}

function makeRecord(scope: RunScope, ending: Ending): AgentRun {
  // A paused run keeps its calls open: they get their results when it is resumed.
  if (ending.stopReason !== "paused") {
    scope.context.closeOpenCalls("No result: the run ended before this call was answered.");
  }
  const endedAt = scope.now();
  const { stopReason } = ending;
  const status = STATUS_OF[stopReason];
  const answer = "answer" in ending ? ending.answer : "";
  addTerminalStep(scope, ending, endedAt);
  const failure = "error" in ending ? ending.error : undefined;
  const error = failure && { error: failure.message, errorKind: failure.kind, errorCode: failure.code };
  return Object.freeze({
    schemaVersion: RUN_SCHEMA_VERSION,
    id: scope.id,
    input: scope.input,
    status,
    stopReason,
    answer,
    history: scope.context.messages,
    steps: Object.freeze(scope.recorder.steps),
    iterations: scope.turns,
    ...error,
    ...(failure !== undefined && { errorDetail: failure }),
    startedAt: scope.startedAt,
    endedAt,
    usage: scope.usage.total(),
    ...("pending" in ending && { pending: Object.freeze(ending.pending), eventCount: scope.recorder.seq + 1 }),
    ...(scope.abandoned.length > 0 && { abandoned: Object.freeze([...scope.abandoned]) }),
    ...("answer" in ending && ending.isIncomplete && { incomplete: true as const }),
    ...("output" in ending && { output: ending.output }),
    ...(scope.sessionId !== undefined && { sessionId: scope.sessionId }),
    ...(scope.metadata !== undefined && { metadata: scope.metadata }),
  });
}

function addTerminalStep(scope: RunScope, ending: Ending, endedAt: number): void {
  const times = { startedAt: endedAt, durationMs: 0 };
  const index = scope.recorder.nextIndex;
  const { stopReason } = ending;
  if (stopReason === "paused") return;
  if ("answer" in ending) {
    scope.recorder.add({ index, type: "finish", stopReason, answer: ending.answer, ...times });
    return;
  }
  const { error, attempts, failures, retryState, partialText } = ending;
  scope.recorder.add({
    index,
    type: "error",
    stopReason,
    kind: error.kind,
    code: error.code,
    retryable: error.retryable,
    message: error.message,
    detail: error,
    ...(attempts !== undefined && { attempts }),
    ...(failures !== undefined && { failures }),
    ...(retryState !== undefined && { retryState }),
    ...(partialText !== undefined && { partialText }),
    ...times,
  });
}
