/**
 * The invariants of the events of a run, and that they tell the same story as its record.
 *
 * Testing wing. Used by `assertRunInvariants`.
 */
import { isDeepStrictEqual } from "node:util";
import type { AgentEvent } from "../contract/event.ts";
import type { AgentRun } from "../contract/run.ts";

/** The violations, one sentence each. */
export function checkEvents(run: AgentRun, events: readonly AgentEvent[]): string[] {
  return [...checkOrder(run, events), ...checkPairs(events), ...checkStory(run, events)];
}

function* checkOrder(run: AgentRun, events: readonly AgentEvent[]): Generator<string> {
  if (events[0]?.type !== "run:start") yield `I8: the first event is ${String(events[0]?.type)}, not run:start.`;
  if (events.at(-1)?.type !== "run:end") yield `I8: the last event is ${String(events.at(-1)?.type)}, not run:end.`;
  for (const type of ["run:start", "run:end"]) {
    const count = events.filter((event) => event.type === type).length;
    if (count !== 1) yield `I8: ${count} events ${type}, there must be one.`;
  }
  for (const [index, event] of events.entries()) {
    if (event.seq !== index) {
      yield `I8: event ${index} (${event.type}) has seq ${event.seq}.`;
      break;
    }
  }
  const stray = events.find((event) => event.runId !== run.id);
  if (stray !== undefined) yield `I8: an event ${stray.type} belongs to the run ${stray.runId}.`;
}

function* checkPairs(events: readonly AgentEvent[]): Generator<string> {
  const tools = new Set<string>();
  let isAsking = false;
  for (const event of events) {
    if (event.type === "model:start") {
      if (isAsking) yield `I8: a second model:start before the end of the first one (seq ${event.seq}).`;
      if (tools.size > 0) yield `I7: model:start while ${[...tools].join(", ")} still run.`;
      isAsking = true;
    } else if (event.type === "model:end") {
      if (!isAsking) yield `I8: a model:end without its start (seq ${event.seq}).`;
      isAsking = false;
    } else if (event.type === "context:compacted") {
      if (!isAsking) yield `I8: a context:compacted outside of a model call (seq ${event.seq}).`;
    } else if (event.type === "tool:start") {
      tools.add(event.call.id);
    } else if (event.type === "tool:end" && !tools.delete(event.call.id)) {
      yield `I8: a tool:end of ${event.call.id} without its start.`;
    }
  }
  if (isAsking) yield "I8: a model:start has no end.";
  if (tools.size > 0) yield `I8: tool:start of ${[...tools].join(", ")} has no end.`;
}

function* checkStory(run: AgentRun, events: readonly AgentEvent[]): Generator<string> {
  const steps = events.flatMap((event) => (event.type === "step" ? [event.step] : []));
  if (!isDeepStrictEqual(steps, [...run.steps])) yield "I9: the steps that were told are not the steps of the record.";
  const results = new Map(run.steps.flatMap((step) => (step.type === "tool" ? [[step.call.id, step.result]] : [])));
  for (const event of events) {
    if (event.type !== "tool:end") continue;
    if (!isDeepStrictEqual(results.get(event.call.id), event.result)) {
      yield `I9: tool:end of ${event.call.id} told another result than the record holds.`;
    }
  }
  const end = events.at(-1);
  if (end?.type !== "run:end") return;
  const { status, stopReason, answer, error, errorKind, errorCode } = end;
  const told = { status, stopReason, answer, error, errorKind, errorCode };
  const held = {
    status: run.status,
    stopReason: run.stopReason,
    answer: run.answer,
    error: run.error,
    errorKind: run.errorKind,
    errorCode: run.errorCode,
  };
  if (!isDeepStrictEqual(told, held)) yield "I9: run:end told another end than the record holds.";
}
