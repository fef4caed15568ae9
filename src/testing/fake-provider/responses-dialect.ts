/**
 * OpenAI's Responses API, as a dialect of the fake provider.
 *
 * Testing.
 */
import type { CompleteAnswer, Dialect, FakeEvent } from "./dialect.ts";

/** Speaks at every path that ends in `/responses`. */
export const responsesDialect: Dialect = {
  name: "responses",
  matches: (path) => path.endsWith("/responses"),
  wantsStream: (body) => typeof body === "object" && body !== null && Reflect.get(body, "stream") === true,
  document: (answer) => responseOf(answer),
  events: (answer) => {
    const { type, response } = lastOf(answer);
    const started = { ...head(answer), status: "in_progress", output: [] };
    const events: { type: string; members: object }[] = [
      { type: "response.created", members: { response: started } },
      { type: "response.in_progress", members: { response: started } },
      ...itemsOf(answer).flatMap((item, index) => [
        { type: "response.output_item.added", members: { output_index: index, item: item.start } },
        ...item.pieces.map(({ type: name, members }) => {
          return { type: name, members: { item_id: item.id, output_index: index, ...members } };
        }),
        { type: "response.output_item.done", members: { output_index: index, item: item.whole } },
      ]),
      { type, members: { response } },
    ];
    return events.map(({ type: name, members }, sequence): FakeEvent => {
      return { event: name, data: { type: name, sequence_number: sequence, ...members } };
    });
  },
};

function head(answer: CompleteAnswer): object {
  return { id: answer.id, object: "response", created_at: 1, model: answer.model, error: null };
}

const REASONS = new Map([
  ["length", "max_output_tokens"],
  ["filtered", "content_filter"],
]);

/** Any finish reason makes the answer incomplete, but for "completed". */
function reasonOf({ finishReason }: CompleteAnswer): string | undefined {
  if (finishReason === undefined || finishReason === "completed") return undefined;
  return REASONS.get(finishReason) ?? finishReason;
}

function responseOf(answer: CompleteAnswer): object {
  const { usage } = answer;
  const reason = reasonOf(answer);
  return {
    ...head(answer),
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(answer).map((item) => item.whole),
    // The API always counts, and clients rely on it.
    usage: { input_tokens: usage?.inputTokens ?? 0, output_tokens: usage?.outputTokens ?? 0 },
  };
}

function lastOf(answer: CompleteAnswer): { type: string; response: object } {
  const isIncomplete = reasonOf(answer) !== undefined;
  return { type: isIncomplete ? "response.incomplete" : "response.completed", response: responseOf(answer) };
}

interface FakeItem {
  readonly id: string;
  readonly start: object;
  readonly pieces: readonly { readonly type: string; readonly members: object }[];
  readonly whole: object;
}

function itemsOf(answer: CompleteAnswer): FakeItem[] {
  return [
    ...(answer.reasoning.length === 0 ? [] : [reasoningItem(answer)]),
    ...(answer.text.length === 0 ? [] : [messageItem(answer)]),
    ...answer.toolCalls.map(callItem),
  ];
}

function reasoningItem({ reasoning, id }: CompleteAnswer): FakeItem {
  const item = { type: "reasoning", id: `rs_${id}` };
  return {
    id: item.id,
    start: { ...item, summary: [] },
    pieces: reasoning.map((delta) => {
      return { type: "response.reasoning_summary_text.delta", members: { summary_index: 0, delta } };
    }),
    whole: { ...item, summary: [{ type: "summary_text", text: reasoning.join("") }], encrypted_content: "c2VhbGVk" },
  };
}

function messageItem({ text, id }: CompleteAnswer): FakeItem {
  const item = { type: "message", id: `msg_${id}`, role: "assistant" };
  const content = [{ type: "output_text", text: text.join(""), annotations: [] }];
  return {
    id: item.id,
    start: { ...item, status: "in_progress", content: [] },
    pieces: text.map((delta) => ({ type: "response.output_text.delta", members: { content_index: 0, delta } })),
    whole: { ...item, status: "completed", content },
  };
}

function callItem(call: CompleteAnswer["toolCalls"][number]): FakeItem {
  const item = { type: "function_call", id: `fc_${call.id}`, call_id: call.id, name: call.name };
  const half = Math.ceil(call.arguments.length / 2);
  const halves = [call.arguments.slice(0, half), call.arguments.slice(half)];
  return {
    id: item.id,
    start: { ...item, status: "in_progress", arguments: "" },
    pieces: [
      ...halves.map((delta) => ({ type: "response.function_call_arguments.delta", members: { delta } })),
      { type: "response.function_call_arguments.done", members: { arguments: call.arguments } },
    ],
    whole: { ...item, status: "completed", arguments: call.arguments },
  };
}
