/**
 * Anthropic's Messages API, as a dialect of the fake provider.
 *
 * Testing.
 */
import type { CompleteAnswer, Dialect, FakeEvent } from "./dialect.ts";

/** Speaks at every path that ends in `/messages`. */
export const messagesDialect: Dialect = {
  name: "messages",
  matches: (path) => path.endsWith("/messages"),
  wantsStream: (body) => typeof body === "object" && body !== null && Reflect.get(body, "stream") === true,
  document: (answer) => ({
    ...head(answer),
    content: [
      ...thinking(answer),
      ...(answer.text.length === 0 ? [] : [{ type: "text", text: answer.text.join("") }]),
      ...answer.toolCalls.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: inputOf(call) })),
    ],
    stop_reason: stopReason(answer),
    stop_sequence: null,
    ...(answer.usage === undefined ? {} : { usage: toUsage(answer.usage) }),
  }),
  events: (answer) => {
    const usage = answer.usage === undefined ? {} : { usage: toUsage({ ...answer.usage, outputTokens: 1 }) };
    const output = answer.usage === undefined ? {} : { usage: { output_tokens: answer.usage.outputTokens } };
    return [
      event("message_start", { message: { ...head(answer), content: [], stop_reason: null, ...usage } }),
      event("ping", {}),
      ...blocksOf(answer).flatMap(({ start, deltas }, index) => [
        event("content_block_start", { index, content_block: start }),
        ...deltas.map((delta) => event("content_block_delta", { index, delta })),
        event("content_block_stop", { index }),
      ]),
      event("message_delta", { delta: { stop_reason: stopReason(answer), stop_sequence: null }, ...output }),
      event("message_stop", {}),
    ];
  },
};

function event(type: string, members: object): FakeEvent {
  return { event: type, data: { type, ...members } };
}

function head(answer: CompleteAnswer): object {
  return { id: answer.id, type: "message", role: "assistant", model: answer.model };
}

const SIGNATURE = "c2lnbmVk";

function thinking({ reasoning }: CompleteAnswer): object[] {
  return reasoning.length === 0 ? [] : [{ type: "thinking", thinking: reasoning.join(""), signature: SIGNATURE }];
}

/** The blocks of a stream, each with how it starts and what follows. */
function blocksOf(answer: CompleteAnswer): { start: object; deltas: object[] }[] {
  const { reasoning, text, toolCalls } = answer;
  const thought = {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...reasoning.map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature: SIGNATURE },
    ],
  };
  const words = {
    start: { type: "text", text: "" },
    deltas: text.map((piece) => ({ type: "text_delta", text: piece })),
  };
  return [
    ...(reasoning.length === 0 ? [] : [thought]),
    ...(text.length === 0 ? [] : [words]),
    ...toolCalls.map((call) => ({
      start: { type: "tool_use", id: call.id, name: call.name, input: {} },
      deltas: halves(call.arguments).map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    })),
  ];
}

/** The API begins each input with an empty piece. */
function halves(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return ["", text.slice(0, half), text.slice(half)];
}

function inputOf(call: CompleteAnswer["toolCalls"][number]): unknown {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return call.arguments;
  }
}

function toUsage({ inputTokens, outputTokens }: NonNullable<CompleteAnswer["usage"]>): object {
  return { input_tokens: inputTokens, output_tokens: outputTokens };
}

const STOP_REASONS = new Map([
  ["length", "max_tokens"],
  ["filtered", "refusal"],
]);

function stopReason(answer: CompleteAnswer): string {
  const said = answer.finishReason ?? "";
  const known = STOP_REASONS.get(said);
  if (known !== undefined) return known;
  return answer.finishReason ?? (answer.toolCalls.length > 0 ? "tool_use" : "end_turn");
}
