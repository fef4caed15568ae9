/**
 * The invariants of a history: every call has its one result, in order, before the next model call.
 *
 * Testing wing. Used by `assertRunInvariants`.
 */
import type { AgentRun, AgentStep } from "../contract/run.ts";

/** The violations, one sentence each. */
export function checkHistory(run: AgentRun): string[] {
  return [...checkMessages(run), ...checkTurns(run)];
}

function* checkMessages({ history, status }: AgentRun): Generator<string> {
  const seen = new Set<string>();
  /** Calls without a result so far, in call order. */
  const open = new Set<string>();
  for (const [index, message] of history.entries()) {
    if (message.role === "tool") {
      const [first] = open;
      const id = message.toolCallId;
      if (!open.delete(id)) yield `I6: message ${index} is a result of "${id}", which is not open.`;
      else if (id !== first) yield `I5: the result of "${id}" comes before that of "${String(first)}".`;
      continue;
    }
    if (open.size > 0)
      yield `I7: message ${index} (${message.role}) follows while "${[...open].join('", "')}" have no result.`;
    open.clear();
    if (message.role !== "assistant") continue;
    const { content, toolCalls = [] } = message;
    if (content === "" && toolCalls.length === 0) yield `I5: message ${index} of the assistant is empty.`;
    for (const { id } of toolCalls) {
      if (id === "" || seen.has(id)) yield `I6: the call id "${id}" is empty or used twice.`;
      seen.add(id);
      open.add(id);
    }
  }
  // The calls of a paused run get their results when it goes on.
  if (open.size > 0 && status !== "paused") yield `I5: the calls "${[...open].join('", "')}" have no result.`;
}

/**
 * The tool steps between two model steps answer exactly the calls of the first one, in their order; where the
 * run was paused, calls that did not wait come before those that did.
 */
function* checkTurns({ steps, status }: AgentRun): Generator<string> {
  let asked: readonly string[] = [];
  let answered: string[] = [];
  let hasWaited = false;
  for (const step of steps) {
    if (step.type === "tool") answered.push(step.call.id);
    if (step.type === "permission" && step.decision === "ask") hasWaited = true;
    if (step.type !== "model" && !isLast(step)) continue;
    const isPrefix = hasWaited
      ? answered.every((id) => asked.includes(id))
      : answered.every((id, index) => asked[index] === id);
    const isWhole = answered.length === asked.length || (isLast(step) && status !== "completed");
    if (!isPrefix || !isWhole) {
      yield `I7: the calls [${asked.join(", ")}] were answered by steps for [${answered.join(", ")}] before step ${step.index}.`;
    }
    asked = step.type === "model" ? step.response.toolCalls.map(({ id }) => id) : [];
    answered = [];
    hasWaited = false;
  }
}

function isLast(step: AgentStep): boolean {
  return step.type === "finish" || step.type === "error";
}
