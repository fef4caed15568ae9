/**
 * Closes a run: every call answered, the terminal step, "run:end", the record.
 *
 * Floor 5 (runtime).
 */
import { type AgentRun, RUN_SCHEMA_VERSION, STATUS_OF } from "../contract/run.ts";
import type { SerializedError } from "../errors/index.ts";
import type { Draft } from "../util/draft.ts";
import type { Ending } from "./run-loop.ts";
import type { RunScope } from "./run-scope.ts";

/**
 * Ends the run: makes its record, keeps it where there is a store, tells "run:end". Whatever the run did
 * before stands in the record. Never rejects.
 */
export function finishRun(scope: RunScope, ending: Ending): AgentRun | Promise<AgentRun> {
  const record = makeRecord(scope, ending);
  scope.recorder.seal();
  const { journal } = scope;
  return journal === undefined ? tellEnd(scope, record) : journal.close(record).then((run) => tellEnd(scope, run));
}

function tellEnd({ recorder }: RunScope, run: AgentRun): AgentRun {
  const { status, stopReason, answer, error, errorKind, errorCode, startedAt, endedAt } = run;
  const failure = error === undefined ? undefined : { error, errorKind, errorCode };
  recorder.emit("run:end", { status, stopReason, answer, ...failure, durationMs: endedAt - startedAt });
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
  // Field by field: spreading parts that are seldom there costs more than all the rest.
  const run: Draft<AgentRun> = {
    schemaVersion: RUN_SCHEMA_VERSION,
    id: scope.id,
    input: scope.input,
    status,
    stopReason,
    answer,
    history: scope.context.messages,
    steps: Object.freeze(scope.recorder.steps),
    iterations: scope.turns,
    startedAt: scope.startedAt,
    endedAt,
    usage: scope.usage.total(),
  };
  if ("error" in ending) addFailure(run, ending.error);
  if ("pending" in ending) {
    run.pending = Object.freeze(ending.pending);
    run.eventCount = scope.recorder.seq + 1;
  }
  if (scope.abandoned.length > 0) run.abandoned = Object.freeze([...scope.abandoned]);
  if ("answer" in ending && ending.isIncomplete) run.incomplete = true;
  if ("output" in ending) run.output = ending.output;
  if (scope.sessionId !== undefined) run.sessionId = scope.sessionId;
  if (scope.metadata !== undefined) run.metadata = scope.metadata;
  return Object.freeze(run);
}

function addFailure(run: Draft<AgentRun>, error: SerializedError): void {
  run.error = error.message;
  run.errorKind = error.kind;
  run.errorCode = error.code;
  run.errorDetail = error;
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
