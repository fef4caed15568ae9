/**
 * Takes the tool calls of an answer: unique ids, arguments read, nothing mutable left.
 *
 * Floor 5 (runtime).
 */
import type { AgentContext } from "../context/agent-context.ts";
import type { AssistantMessage, ToolCall } from "../contract/message.ts";
import type { ModelResponse } from "../contract/model.ts";
import { argumentsAsJson, type ReadArguments, readRecorded, sendableArguments } from "../registry/arguments.ts";
import type { Draft } from "../util/draft.ts";
import type { JsonValue } from "../util/json.ts";

/** One call that a model asked for, ready to be judged and run. */
export interface AskedCall {
  /** As it stands in the record: the arguments as parsed, or as text where they are no JSON. */
  readonly call: ToolCall;
  readonly read: ReadArguments;
}

/** An answer with its calls taken. */
export interface TakenAnswer {
  readonly response: ModelResponse;
  readonly message: AssistantMessage;
  readonly asked: readonly AskedCall[];
}

/**
 * The calls of an answer as our own: ids that are new to the history, arguments that are JSON and that
 * nobody else holds. Passes the seam, so it stays the same in a replay.
 */
export function ownCalls(calls: readonly ToolCall[], context: AgentContext, turn: number): readonly ToolCall[] {
  if (calls.length === 0) return calls;
  const used = calls.length > 1 ? new Set<string>() : undefined;
  const isTaken = (id: string) => used?.has(id) === true || context.knowsCall(id);
  const own = calls.map((call, index) => {
    const id = uniqueId(call.id, turn, index, isTaken);
    used?.add(id);
    return Object.freeze({ id, name: call.name, arguments: argumentsAsJson(call.arguments) });
  });
  return Object.freeze(own);
}

/** A frozen copy. The literal begins with keys of its own: freezing a mere copy costs thirty times as much in V8. */
function withCalls(response: ModelResponse, toolCalls: readonly ToolCall[]): ModelResponse {
  const { content, toolCalls: _before, ...rest } = response;
  return Object.freeze({ content, toolCalls: Object.freeze(toolCalls), ...rest });
}

/** Reads an answer for the record, for the history and for the tools. */
export function takeAnswer(answer: ModelResponse): TakenAnswer {
  const wasCut = answer.finishReason === "length";
  const asked: AskedCall[] = [];
  let isAsRead = true;
  let isSendable = true;
  for (const call of answer.toolCalls) {
    const read = readRecorded(call.name, call.arguments as JsonValue, wasCut);
    const isCallAsRead = read.recorded === call.arguments;
    asked.push({ call: isCallAsRead ? call : withArguments(call, read.recorded), read });
    isAsRead &&= isCallAsRead;
    isSendable &&= read.ok;
  }
  const toolCalls = isAsRead ? answer.toolCalls : Object.freeze(asked.map(({ call }) => call));
  const { content, reasoning } = answer;
  const message: Draft<AssistantMessage> = { role: "assistant", content };
  if (asked.length > 0) message.toolCalls = isSendable ? toolCalls : sendable(asked);
  if (reasoning !== undefined) message.reasoning = reasoning;
  return { response: isAsRead ? answer : withCalls(answer, toolCalls), message: Object.freeze(message), asked };
}

function withArguments({ id, name }: ToolCall, args: unknown): ToolCall {
  return Object.freeze({ id, name, arguments: args });
}

/** A missing id is made of the place of the call, a doubled one is renamed by it. */
function uniqueId(wanted: string, turn: number, index: number, isTaken: (id: string) => boolean): string {
  if (wanted !== "" && !isTaken(wanted)) return wanted;
  let id = `${wanted === "" ? "call" : wanted}_${turn}_${index + 1}`;
  while (isTaken(id)) id += "_";
  return id;
}

/** The history holds calls that can be sent again; broken arguments stand in an object there. */
function sendable(asked: readonly AskedCall[]): readonly ToolCall[] {
  return Object.freeze(
    asked.map(({ call, read }) => (read.ok ? call : withArguments(call, sendableArguments(read.recorded)))),
  );
}
