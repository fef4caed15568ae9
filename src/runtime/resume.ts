/**
 * Takes a paused run up again: its record, its questions and the answers to them.
 *
 * Floor 5 (runtime). Calls of the turn that are done are not repeated; the others are judged and asked
 * about again, now with the answers.
 */
import { AgentContext } from "../context/agent-context.ts";
import type { ApprovalDecision, PendingApproval } from "../contract/approval.ts";
import type { AssistantMessage, ToolCall } from "../contract/message.ts";
import type { AgentRun, ToolStep } from "../contract/run.ts";
import { readRecorded } from "../registry/arguments.ts";
import type { JsonValue } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import type { AskedCall } from "./asked-calls.ts";
import type { EarlierQuestion } from "./earlier-question.ts";
import type { ToolOutcome } from "./execute-tool.ts";
import { parseRun } from "./parse-run.ts";
import { type Ending, endOfTurn, runLoop } from "./run-loop.ts";
import type { RunScope } from "./run-scope.ts";
import { judgeCall, runTools } from "./run-tools.ts";

/** A paused run, read and checked. */
export interface PausedRun {
  readonly run: AgentRun;
  readonly context: AgentContext;
  readonly answers: ReadonlyMap<string, EarlierQuestion>;
}

/**
 * Reads a paused run and the answers to its questions.
 *
 * @throws TypeError when the run is not paused, or an answer belongs to none of its questions.
 * @throws ContextError when the record is damaged or newer than this package.
 */
export function readPaused(record: unknown, decisions: readonly ApprovalDecision[]): PausedRun {
  const run = parseRun(record);
  if (run.status !== "paused" || run.pending === undefined || run.pending.length === 0) {
    throw misuse(
      `Only a paused run can be resumed; the run ${quoteValue(run.id)} is ${run.status}. Start a new run instead.`,
    );
  }
  const context = new AgentContext();
  for (const message of run.history) context.add(message);
  return { run, context, answers: matchAnswers(run.pending, decisions) };
}

function matchAnswers(
  pending: readonly PendingApproval[],
  decisions: readonly ApprovalDecision[],
): ReadonlyMap<string, EarlierQuestion> {
  if (!Array.isArray(decisions)) {
    throw misuse(`The decisions must be an array such as [{ id, decision: "allow" }], got ${quoteValue(decisions)}.`);
  }
  const known = new Set(pending.map((question) => question.id));
  for (const decision of decisions as readonly unknown[]) {
    const id: unknown = typeof decision === "object" && decision !== null ? Reflect.get(decision, "id") : undefined;
    if (!known.has(id as string)) {
      throw misuse(
        `The decision ${quoteValue(decision)} belongs to none of the run's questions. Its id is that of an entry of run.pending.`,
      );
    }
  }
  return new Map(
    pending.map((question) => [
      question.callId,
      { pending: question, decision: decisions.find((decision) => decision.id === question.id) },
    ]),
  );
}

/** Finishes the turn in which the run paused, then goes on. */
export async function resumeLoop(scope: RunScope): Promise<Ending> {
  const asked = openCalls(scope);
  const steps = scope.recorder.steps.filter((step): step is ToolStep => step.type === "tool");
  const open = new Set(asked.map(({ call }) => call.id));
  // What the run has seen before counts on; the open turn is judged when its messages are added.
  for (const step of steps) if (!open.has(step.call.id)) judgeCall(scope, step.call, step.result);
  const done = new Map(steps.filter((step) => open.has(step.call.id)).map((step) => [step.call.id, outcomeOf(step)]));
  scope.toolCalls -= done.size;
  const end = endOfTurn(scope, await runTools(scope, asked, scope.now(), done));
  return end ?? runLoop(scope);
}

/** The calls of the turn in which the run paused, as they stand in the record. */
function openCalls(scope: RunScope): AskedCall[] {
  const last = scope.context.messages.findLast((message): message is AssistantMessage => message.role === "assistant");
  const response = scope.recorder.steps.findLast((step) => step.type === "model")?.response;
  const recorded = new Map((response?.toolCalls ?? []).map((call) => [call.id, call]));
  return (last?.toolCalls ?? []).map((sent): AskedCall => {
    const call: ToolCall = recorded.get(sent.id) ?? sent;
    return { call, read: readRecorded(call.name, call.arguments as JsonValue, response?.finishReason === "length") };
  });
}

function outcomeOf({ result, attempts, failures = [], startedAt, durationMs }: ToolStep): ToolOutcome {
  return { result, attempts, failures, startedAt, durationMs };
}
