/**
 * Takes the tool calls of an answer: unique ids, arguments read, nothing mutable left.
 *
 * Floor 5 (runtime).
 */
import type { AgentContext } from "../context/agent-context.ts";
import type { AssistantMessage, ToolCall } from "../contract/message.ts";
import type { ModelResponse } from "../contract/model.ts";
import { type ReadArguments, readArguments, sendableArguments } from "../registry/arguments.ts";

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

/** Reads an answer for the record, for the history and for the tools. */
export function takeAnswer(context: AgentContext, response: ModelResponse, turn: number): TakenAnswer {
  const wasCut = response.finishReason === "length";
  const used = new Set<string>();
  const asked = response.toolCalls.map((call, index): AskedCall => {
    const isTaken = (id: string) => used.has(id) || context.knowsCall(id);
    const id = uniqueId(call.id, `${turn}_${index + 1}`, isTaken);
    used.add(id);
    const read = readArguments(call, wasCut);
    return { call: Object.freeze({ id, name: call.name, arguments: read.recorded }), read };
  });
  const toolCalls = Object.freeze(asked.map(({ call }) => call));
  const { content, reasoning } = response;
  const message: AssistantMessage = Object.freeze({
    role: "assistant",
    content,
    ...(asked.length > 0 && { toolCalls: asked.every(({ read }) => read.ok) ? toolCalls : sendable(toolCalls, asked) }),
    ...(reasoning !== undefined && { reasoning }),
  });
  return { response: asked.length === 0 ? response : Object.freeze({ ...response, toolCalls }), message, asked };
}

/** A missing id is made of the place of the call, a doubled one is renamed by it. */
function uniqueId(wanted: string, place: string, isTaken: (id: string) => boolean): string {
  if (wanted !== "" && !isTaken(wanted)) return wanted;
  let id = `${wanted === "" ? "call" : wanted}_${place}`;
  while (isTaken(id)) id += "_";
  return id;
}

/** The history holds calls that can be sent again; broken arguments stand in an object there. */
function sendable(calls: readonly ToolCall[], asked: readonly AskedCall[]): readonly ToolCall[] {
  return Object.freeze(
    calls.map((call, index) => {
      const read = asked[index]?.read;
      if (read === undefined || read.ok) return call;
      return Object.freeze({ ...call, arguments: sendableArguments(read.recorded) });
    }),
  );
}
