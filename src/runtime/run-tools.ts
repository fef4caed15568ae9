/**
 * Answers all tool calls of one turn: side by side where that is safe, results always in call order.
 *
 * Floor 5 (runtime).
 */
import { type HarnessError, RuntimeError, ToolError } from "../errors/index.ts";
import { resultText } from "../registry/tool-result.ts";
import type { JsonValue } from "../util/json.ts";
import type { AskedCall } from "./asked-calls.ts";
import type { ToolOutcome } from "./execute-tool.ts";
import { notRun } from "./not-run.ts";
import type { RunScope } from "./run-scope.ts";
import { runTool, type Turn } from "./run-tool.ts";

/** More calls in one turn are not run: no provider asks for as many on purpose. */
const MOST_CALLS = 128;

/**
 * Runs the calls, records them and adds their messages.
 *
 * @returns Why the run is to end, if it is.
 */
export async function runTools(
  scope: RunScope,
  asked: readonly AskedCall[],
  turnNumber: number,
): Promise<HarnessError | undefined> {
  const turn: Turn = { number: turnNumber, at: scope.now() };
  const allowed = Math.min(MOST_CALLS, scope.options.limits.toolCalls - scope.toolCalls);
  const running = asked.length <= allowed ? asked : asked.slice(0, Math.max(0, allowed));
  scope.toolCalls += running.length;
  const only = running[0];
  const outcomes =
    running.length === 1 && only !== undefined
      ? [await runTool(scope, only, turn)]
      : await runAll(scope, running, turn);
  // One refusal for all of them: a model that asks for thousands must not cost thousands of errors.
  const refusal = asked.length > running.length ? notRun(tooMany(scope, asked.length), turn.at) : undefined;
  let end: HarnessError | undefined;
  asked.forEach((each, index) => {
    const outcome = outcomes[index] ?? refusal;
    const error = outcome && record(scope, each, outcome);
    end ??= error;
  });
  return end ?? (asked.length > running.length && allowed < MOST_CALLS ? limitReached(scope) : undefined);
}

/** Neighbours that may run together do; one that must run alone waits for those before it. */
async function runAll(scope: RunScope, asked: readonly AskedCall[], turn: Turn): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  for (let start = 0; start < asked.length; ) {
    let end = start + 1;
    if (mayShare(scope, asked[start])) while (end < asked.length && mayShare(scope, asked[end])) end++;
    outcomes.push(...(await runGroup(scope, asked.slice(start, end), turn)));
    start = end;
  }
  return outcomes;
}

async function runGroup(scope: RunScope, group: readonly AskedCall[], turn: Turn): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < group.length; index = next++) {
      const asked = group[index];
      if (asked !== undefined) outcomes[index] = await runTool(scope, asked, turn);
    }
  };
  await Promise.all(Array.from({ length: Math.min(scope.options.concurrency, group.length) }, work));
  return outcomes;
}

function mayShare(scope: RunScope, asked: AskedCall | undefined): boolean {
  const tool = asked === undefined ? undefined : scope.options.registry.get(asked.call.name);
  if (tool === undefined) return true;
  return !(tool.exclusive ?? (tool.access === "write" || tool.access === "exec"));
}

/** Adds the step and the message of one call, and looks whether the run still gets further. */
function record(scope: RunScope, { call }: AskedCall, outcome: ToolOutcome): HarnessError | undefined {
  const { result, attempts, failures, startedAt, durationMs } = outcome;
  const text = resultText(result);
  const access = scope.options.registry.get(call.name)?.access;
  const changesWorld = access === "write" || access === "exec";
  const verdict = scope.progress.judge({
    name: call.name,
    args: call.arguments as JsonValue,
    result,
    text,
    changesWorld,
  });
  scope.recorder.add({
    type: "tool",
    call,
    result,
    attempts,
    startedAt,
    durationMs,
    ...(failures.length > 0 && { failures }),
  });
  const note = verdict.action === "warn" ? `\n${verdict.note}` : "";
  scope.context.append(
    Object.freeze({
      role: "tool",
      toolCallId: call.id,
      name: call.name,
      content: note === "" ? text : text + note,
      ...(!result.ok && { isError: true }),
    }),
  );
  if (verdict.action === "warn") {
    scope.recorder.emit("limit:warning", { limit: verdict.limit, message: verdict.note });
  }
  return verdict.action === "end" ? verdict.error : undefined;
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
