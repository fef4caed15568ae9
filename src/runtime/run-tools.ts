/**
 * Answers all tool calls of one turn: side by side where that is safe, results always in call order.
 *
 * Floor 5 (runtime).
 */
import type { PendingApproval } from "../contract/approval.ts";
import type { ToolCall, ToolMessage } from "../contract/message.ts";
import type { ToolStep } from "../contract/run.ts";
import type { ToolResult } from "../contract/tool.ts";
import { type HarnessError, RuntimeError, ToolError } from "../errors/index.ts";
import { resultText } from "../registry/tool-result.ts";
import type { Draft } from "../util/draft.ts";
import type { JsonValue } from "../util/json.ts";
import type { AskedCall } from "./asked-calls.ts";
import type { ToolOutcome } from "./execute-tool.ts";
import { notRun } from "./not-run.ts";
import type { Verdict } from "./progress.ts";
import type { RunScope } from "./run-scope.ts";
import { runTool, type Turn, type WaitingCall } from "./run-tool.ts";

/** More calls in one turn are not run: no provider asks for as many on purpose. */
const MOST_CALLS = 128;

/** Why a turn does not lead to the next one. */
export type TurnEnd =
  | { readonly type: "error"; readonly error: HarnessError }
  | { readonly type: "paused"; readonly pending: readonly PendingApproval[] };

/**
 * Runs the calls, records them and adds their messages. Where a call waits for an approval, those that are
 * done are recorded, and the messages come when all calls of the turn have their results.
 *
 * @param at - When the turn came to its tools, in milliseconds since the epoch.
 * @param done - Calls of a resumed run that have their results already, by id.
 * @returns Why the run is to end, if it is; at once, where nothing had to be waited for.
 */
export function runTools(
  scope: RunScope,
  asked: readonly AskedCall[],
  at: number,
  done: ReadonlyMap<string, ToolOutcome> = NONE_DONE,
): TurnEnd | undefined | Promise<TurnEnd | undefined> {
  const turn: Turn = { number: scope.turns, at };
  const allowed = Math.min(MOST_CALLS, scope.options.limits.toolCalls - scope.toolCalls);
  const running = asked.length <= allowed ? asked : asked.slice(0, Math.max(0, allowed));
  scope.toolCalls += running.length;
  const work: Work = { scope, asked, running, turn, done };
  const only = running[0];
  if (running.length !== 1 || only === undefined) return runAll(work).then((answers) => takeAnswers(work, answers));
  const answer = runOne(work, only);
  return answer instanceof Promise ? answer.then((late) => takeAnswers(work, [late])) : takeAnswers(work, [answer]);
}

/** Records what the calls of a turn came to, and adds their messages. */
function takeAnswers(work: Work, answers: readonly Answered[]): TurnEnd | undefined {
  const { scope, asked, running, turn, done } = work;
  const pending: PendingApproval[] = [];
  for (const answer of answers) if ("pending" in answer) pending.push(answer.pending);
  // One refusal for all of them: a model that asks for thousands must not cost thousands of errors.
  const isCut = asked.length > running.length;
  const refusal = isCut ? notRun(tooMany(scope, asked.length), turn.at) : undefined;
  let end: HarnessError | undefined;
  for (let index = 0; index < asked.length; index++) {
    const { call } = asked[index] as AskedCall;
    const outcome = answers[index] ?? refusal;
    if (outcome === undefined || "pending" in outcome) continue;
    if (!done.has(call.id)) addStep(scope, call, outcome);
    if (pending.length > 0) continue;
    const error = addMessage(scope, call, outcome);
    end ??= error;
  }
  if (pending.length > 0 && scope.stopReason === undefined) return { type: "paused", pending };
  if (end === undefined && isCut && running.length < MOST_CALLS) end = limitReached(scope);
  return end && { type: "error", error: end };
}

const NONE_DONE: ReadonlyMap<string, ToolOutcome> = new Map();

interface Work {
  readonly scope: RunScope;
  readonly asked: readonly AskedCall[];
  /** Those that are run: a turn or a run may ask for more than it gets. */
  readonly running: readonly AskedCall[];
  readonly turn: Turn;
  readonly done: ReadonlyMap<string, ToolOutcome>;
}

type Answered = ToolOutcome | WaitingCall;

function runOne({ scope, turn, done }: Work, asked: AskedCall): Answered | Promise<Answered> {
  return done.get(asked.call.id) ?? runTool(scope, asked, turn);
}

/** Neighbours that may run together do; one that must run alone waits for those before it. */
async function runAll(work: Work): Promise<Answered[]> {
  const { scope, running: asked } = work;
  const outcomes: Answered[] = [];
  for (let start = 0; start < asked.length; ) {
    let end = start + 1;
    if (mayShare(scope, asked[start])) while (end < asked.length && mayShare(scope, asked[end])) end++;
    outcomes.push(...(await runGroup(work, asked.slice(start, end))));
    start = end;
  }
  return outcomes;
}

async function runGroup(work: Work, group: readonly AskedCall[]): Promise<Answered[]> {
  const outcomes: Answered[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    for (let index = next++; index < group.length; index = next++) {
      const answer = runOne(work, group[index] as AskedCall);
      outcomes[index] = answer instanceof Promise ? await answer : answer;
    }
  };
  // Where all come back at once, the first worker is the only one.
  const workers: Promise<void>[] = [];
  while (workers.length < work.scope.options.concurrency && next < group.length) workers.push(take());
  await Promise.all(workers);
  return outcomes;
}

function mayShare(scope: RunScope, asked: AskedCall | undefined): boolean {
  const tool = asked === undefined ? undefined : scope.options.registry.get(asked.call.name);
  if (tool === undefined) return true;
  return !(tool.exclusive ?? (tool.access === "write" || tool.access === "exec"));
}

function addStep(scope: RunScope, call: ToolCall, outcome: ToolOutcome): void {
  const { result, attempts, failures, startedAt, durationMs } = outcome;
  const index = scope.recorder.nextIndex;
  const step: Draft<ToolStep> = { index, type: "tool", call, result, attempts, startedAt, durationMs };
  if (failures.length > 0) step.failures = failures;
  scope.recorder.add(step);
}

/** Adds the message of one call, and looks whether the run still gets further. */
function addMessage(scope: RunScope, call: ToolCall, { result }: ToolOutcome): HarnessError | undefined {
  const text = resultText(result);
  const verdict = judgeCall(scope, call, result, text);
  const content = verdict.action === "warn" ? `${text}\n${verdict.note}` : text;
  const message: Draft<ToolMessage> = { role: "tool", toolCallId: call.id, name: call.name, content };
  if (!result.ok) message.isError = true;
  scope.context.append(Object.freeze(message));
  if (verdict.action === "warn") {
    scope.recorder.emit("limit:warning", { limit: verdict.limit, message: verdict.note });
  }
  return verdict.action === "end" ? verdict.error : undefined;
}

/** What the result of a call means for the progress of the run. */
export function judgeCall(
  scope: RunScope,
  call: ToolCall,
  result: ToolResult,
  text: string = resultText(result),
): Verdict {
  const access = scope.options.registry.get(call.name)?.access;
  const changesWorld = access === "write" || access === "exec";
  const args = call.arguments as JsonValue;
  return scope.progress.judge({ name: call.name, args, result, text, changesWorld });
}

function tooMany(scope: RunScope, count: number): HarnessError {
  if (scope.options.limits.toolCalls <= scope.toolCalls) return limitReached(scope);
  return new ToolError(
    `Not run: ${count} calls in one turn are too many; the first ${MOST_CALLS} were run. Ask for fewer at a time.`,
    {
      code: "TOOL_REJECTED",
    },
  );
}

function limitReached(scope: RunScope): HarnessError {
  const { toolCalls } = scope.options.limits;
  return new RuntimeError(`Not run: the run has used up its ${toolCalls} tool calls (limits.toolCalls).`, {
    code: "RUN_LIMIT",
    detail: { limit: "toolCalls", most: toolCalls },
  });
}
