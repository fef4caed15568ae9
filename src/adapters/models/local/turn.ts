/**
 * Reads from a request what the rule-based model has to answer: the last question and what came since.
 *
 * Wing (models/local).
 */
import { contentText, type ToolCall } from "../../../contract/message.ts";
import type { ModelRequest } from "../../../contract/model.ts";
import type { Outcome } from "./intent.ts";

/** Longer questions are read up to here. */
const MAX_QUESTION_CHARS = 20_000;

/** Where the conversation stands. */
export interface Turn {
  readonly question: string;
  /** The results of the calls made for this question, in the order of the results. */
  readonly outcomes: readonly Outcome[];
  readonly toolNames: ReadonlySet<string>;
  readonly usedIds: ReadonlySet<string>;
}

export function readTurn(request: ModelRequest): Turn {
  const { messages } = request;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const question = messages[asked];
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const callsById = new Map(calls.map((call) => [call.id, call]));
  const outcomes = messages.slice(asked + 1).flatMap((message): Outcome[] => {
    const call = message.role === "tool" ? callsById.get(message.toolCallId) : undefined;
    if (message.role !== "tool" || call === undefined) return [];
    const wish = { tool: call.name, arguments: argumentsOf(call) };
    return [{ wish, text: contentText(message.content), failed: message.isError === true }];
  });
  const mayCall = request.settings?.toolChoice !== "none";
  return {
    question: question?.role === "user" ? contentText(question.content).slice(0, MAX_QUESTION_CHARS) : "",
    outcomes,
    toolNames: new Set(mayCall ? request.tools.map(({ name }) => name) : []),
    usedIds: new Set(calls.map(({ id }) => id)),
  };
}

function argumentsOf(call: ToolCall): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = typeof call.arguments === "string" ? JSON.parse(call.arguments) : call.arguments;
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
