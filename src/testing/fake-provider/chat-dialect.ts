/**
 * OpenAI's Chat Completions, as a dialect of the fake provider.
 *
 * Testing.
 */
import type { CompleteAnswer, Dialect, FakeEvent } from "./dialect.ts";

/** Speaks at every path that ends in `/chat/completions`. */
export const chatDialect: Dialect = {
  name: "chat",
  matches: (path) => path.endsWith("/chat/completions"),
  wantsStream: (body) => member(body, "stream") === true,
  document: (answer) => ({
    id: answer.id,
    object: "chat.completion",
    created: 1,
    model: answer.model,
    choices: [{ index: 0, message: toMessage(answer), finish_reason: finishReason(answer) }],
    ...(answer.usage === undefined ? {} : { usage: toUsage(answer.usage) }),
  }),
  events: (answer, body) => {
    const wantsUsage = member(member(body, "stream_options"), "include_usage") === true;
    const chunk = (choices: unknown[], more: object = {}): FakeEvent => ({
      data: { id: answer.id, object: "chat.completion.chunk", created: 1, model: answer.model, choices, ...more },
    });
    const delta = (piece: object, reason: string | null = null) =>
      chunk([{ index: 0, delta: piece, finish_reason: reason }]);
    return [
      delta({ role: "assistant", content: "" }),
      ...answer.reasoning.map((piece) => delta({ reasoning_content: piece })),
      ...answer.text.map((content) => delta({ content })),
      ...answer.toolCalls.flatMap((call, index) =>
        callDeltas(call, index).map((entry) => delta({ tool_calls: [entry] })),
      ),
      delta({}, finishReason(answer)),
      ...(wantsUsage && answer.usage !== undefined ? [chunk([], { usage: toUsage(answer.usage) })] : []),
      { data: "[DONE]" },
    ];
  },
};

function toMessage(answer: CompleteAnswer): object {
  const text = answer.text.join("");
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...(answer.reasoning.length === 0 ? {} : { reasoning_content: answer.reasoning.join("") }),
    ...(answer.toolCalls.length === 0 ? {} : { tool_calls: answer.toolCalls.map(toWireCall) }),
  };
}

function toWireCall(call: CompleteAnswer["toolCalls"][number]): object {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}

/** As OpenAI streams a call: id and name first, then the arguments in pieces. */
function callDeltas(call: CompleteAnswer["toolCalls"][number], index: number): object[] {
  const half = Math.ceil(call.arguments.length / 2);
  const pieces = [call.arguments.slice(0, half), call.arguments.slice(half)].filter((piece) => piece !== "");
  return [
    { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } },
    ...pieces.map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function toUsage({ inputTokens, outputTokens }: NonNullable<CompleteAnswer["usage"]>): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function finishReason(answer: CompleteAnswer): string {
  if (answer.finishReason === "filtered") return "content_filter";
  return answer.finishReason ?? (answer.toolCalls.length > 0 ? "tool_calls" : "stop");
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
