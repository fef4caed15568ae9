/**
 * The invariants of a record by itself: its end, its errors, its budgets, its form.
 *
 * Testing wing. Used by `assertRunInvariants`.
 */
import { isDeepStrictEqual } from "node:util";
import { type AgentRun, type AgentStep, STATUS_OF } from "../contract/run.ts";
import { isErrorKind } from "../errors/kinds.ts";

/** What the run was allowed to use; what is left out is not checked. */
export interface RunBounds {
  readonly maxSteps?: number | undefined;
  /** `retry.maxAttempts`, times the number of models that may take over. */
  readonly maxAttempts?: number | undefined;
  /** `timeoutMs` and `graceMs` together, with what the machine may be late. */
  readonly durationMs?: number | undefined;
}

/** The violations, one sentence each. */
export function checkRecord(run: AgentRun, bounds: RunBounds): string[] {
  return [...checkEnd(run), ...checkErrors(run), ...checkBudgets(run, bounds), ...checkForm(run)];
}

function* checkEnd({ steps, status, stopReason, answer }: AgentRun): Generator<string> {
  const ends = steps.filter(isTerminal);
  const last = steps.at(-1);
  if (status === "paused") {
    if (ends.length > 0) yield "I2: a paused run has a terminal step.";
  } else if (ends.length !== 1 || last === undefined || !isTerminal(last)) {
    yield `I2: there must be exactly one terminal step, and it must be last; got ${steps.map((step) => step.type).join(", ")}.`;
  }
  if (STATUS_OF[stopReason] !== status)
    yield `I4: stop reason "${stopReason}" means "${STATUS_OF[stopReason]}", the status is "${status}".`;
  if (last === undefined || !isTerminal(last)) return;
  if (last.stopReason !== stopReason) yield `I4: the terminal step says "${last.stopReason}", the run "${stopReason}".`;
  if ((last.type === "finish") !== (status === "completed"))
    yield `I4: a run that is ${status} ends with a ${last.type} step.`;
  if (last.type === "finish" && last.answer !== answer)
    yield "I4: the answer of the terminal step is not that of the run.";
}

function isTerminal(step: AgentStep): step is Extract<AgentStep, { type: "finish" | "error" }> {
  return step.type === "finish" || step.type === "error";
}

/** The one code that goes with a stop reason. */
const CODE_OF: Readonly<Record<string, string>> = {
  aborted: "RUN_ABORTED",
  timeout: "RUN_TIMEOUT",
  noProgress: "RUN_NO_PROGRESS",
  limit: "RUN_LIMIT",
};

function* checkErrors(run: AgentRun): Generator<string> {
  const { status, stopReason, error, errorKind, errorCode, errorDetail } = run;
  const isFailure = status === "failed" || status === "aborted";
  for (const [name, value] of Object.entries({ error, errorKind, errorCode, errorDetail })) {
    if ((value !== undefined) !== isFailure)
      yield `I3: ${name} is ${isFailure ? "missing" : "set"} although the run is ${status}.`;
  }
  if (isFailure && !isErrorKind(errorKind)) yield `I19: ${String(errorKind)} is no kind of error.`;
  const code = CODE_OF[stopReason];
  if (code !== undefined && errorCode !== code)
    yield `I19: a run stopped by "${stopReason}" must have ${code}, got ${String(errorCode)}.`;
  if (code !== undefined && errorKind !== "runtime")
    yield `I19: a run stopped by "${stopReason}" must be of kind "runtime", got "${String(errorKind)}".`;
  if (stopReason === "permission" && errorKind !== "permission")
    yield `I19: a run stopped by "permission" is of kind "${String(errorKind)}".`;
  const last = run.steps.at(-1);
  if (last?.type === "error") {
    if (last.kind !== errorKind || last.code !== errorCode || last.message !== error) {
      yield "I9: the error step says something else than the run.";
    }
  }
  for (const step of run.steps) {
    if (step.type !== "tool" || step.result.ok) continue;
    if (!isErrorKind(step.result.kind))
      yield `I19: the result of ${step.call.id} has the kind ${String(step.result.kind)}.`;
    if (typeof step.result.retryable !== "boolean")
      yield `I19: the result of ${step.call.id} does not say whether it is retryable.`;
  }
}

function* checkBudgets(run: AgentRun, bounds: RunBounds): Generator<string> {
  const { maxSteps = Number.POSITIVE_INFINITY, maxAttempts = Number.POSITIVE_INFINITY } = bounds;
  const models = run.steps.filter((step) => step.type === "model");
  if (run.iterations > maxSteps) yield `I16: ${run.iterations} model calls, allowed were ${maxSteps}.`;
  if (models.length > run.iterations) yield `I17: ${models.length} model steps in ${run.iterations} turns.`;
  if (models.length < run.iterations - 1) yield `I17: only ${models.length} model steps in ${run.iterations} turns.`;
  for (const step of run.steps) {
    if (step.type === "permission" || step.type === "finish") continue;
    const { attempts = 0, failures = [] } = step;
    if (attempts > maxAttempts) yield `I16: step ${step.index} took ${attempts} attempts, allowed were ${maxAttempts}.`;
    if (attempts !== failures.length + 1 && attempts !== 0)
      yield `I17: step ${step.index} took ${attempts} attempts and records ${failures.length} failures.`;
    if (failures.some(({ code }) => code === "RUN_ABORTED")) yield `I16: step ${step.index} retried an abort.`;
  }
  const took = run.endedAt - run.startedAt;
  if (bounds.durationMs !== undefined && took > bounds.durationMs)
    yield `I16: the run took ${took} ms, allowed were ${bounds.durationMs}.`;
}

/** A lone surrogate is the only thing that JSON.stringify writes as \ud… */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function* checkForm(run: AgentRun): Generator<string> {
  const text = JSON.stringify(run);
  if (!isDeepStrictEqual(JSON.parse(text), toPlain(run))) yield "I20: the record is not the same after JSON.";
  if (LONE_SURROGATE.test(text)) yield "I20: the record holds a lone surrogate.";
  const loose = findUnfrozen(run, "run");
  if (loose !== undefined) yield `I24: ${loose} can still be changed.`;
  const misplaced = run.steps.findIndex((step, index) => step.index !== index);
  if (misplaced !== -1) yield `I24: step ${misplaced} has the index ${String(run.steps[misplaced]?.index)}.`;
}

/** The same value with ordinary prototypes; `undefined` members stay, so that they are found. */
function toPlain(value: unknown): unknown {
  return structuredClone(value);
}

function findUnfrozen(value: unknown, path: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Object.isFrozen(value)) return path;
  for (const [key, child] of Object.entries(value)) {
    const found = findUnfrozen(child, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
