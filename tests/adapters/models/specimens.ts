/** One streamed answer a dialect, with all that an answer may hold, for the tests that every adapter over HTTP passes. */
import { anthropicModel } from "../../../src/adapters/models/anthropic/index.ts";
import type { ConnectionOptions } from "../../../src/adapters/models/http/connection.ts";
import { openaiModel } from "../../../src/adapters/models/openai/index.ts";
import { openaiResponsesModel } from "../../../src/adapters/models/openai-responses/index.ts";
import type { Model } from "../../../src/contract/model.ts";
import * as messages from "./anthropic/support.ts";
import * as chat from "./openai/support.ts";
import * as responses from "./openai-responses/support.ts";
import { callContext, fetchOf, KEY, request, toBytes } from "./support.ts";

/** What the specimen of every dialect says. */
export const TEXT = "né€😀工";
export const COLLECTED = {
  content: TEXT,
  toolCalls: [{ id: "c1", name: "look", arguments: '{"q":"ädä"}' }],
  finishReason: "toolCalls",
  usage: { inputTokens: 7, outputTokens: 5 },
  model: "m-1",
};

export interface Specimen {
  readonly name: string;
  readonly model: (options: Partial<ConnectionOptions>) => Model & Required<Pick<Model, "stream">>;
  /** The path of the requests. */
  readonly path: string;
  /** The answer as the bytes of a stream. */
  readonly whole: string;
  /** So many bytes of it are needed for an answer. */
  readonly wholeAfter: number;
  /** Events of a text "a", of which nothing follows. */
  readonly begun: string;
  /** The least that is a whole answer, "a", with nothing behind it. */
  readonly least: string;
}

const REASONING = "hm, so";
const ARGUMENTS = '{"q":"ädä"}';
const HALVES = [ARGUMENTS.slice(0, 5), ARGUMENTS.slice(5)] as const;

const chatWhole = chat.sse(
  chat.delta({ role: "assistant", content: "" }),
  chat.delta({ reasoning_content: "hm, " }),
  chat.delta({ reasoning_content: "so" }),
  chat.delta({ content: TEXT.slice(0, 2) }),
  chat.delta({ content: TEXT.slice(2) }),
  chat.delta({ tool_calls: [{ index: 0, id: "c1", function: { name: "look", arguments: HALVES[0] } }] }),
  chat.delta({ tool_calls: [{ index: 0, function: { arguments: HALVES[1] } }] }),
  chat.delta({}, "tool_calls"),
  { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } },
  "[DONE]",
);

const messagesWhole = messages.sse(
  messages.start({ input_tokens: 7, output_tokens: 1 }),
  { type: "ping" },
  ...messages.block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "hm, " },
    { type: "thinking_delta", thinking: "so" },
    { type: "signature_delta", signature: "c2ln" },
  ),
  ...messages.text(1, TEXT.slice(0, 2), TEXT.slice(2)),
  ...messages.call(2, "c1", "look", "", ...HALVES),
  ...messages.end("tool_use"),
);

const output = [
  responses.thought("rs_1", REASONING),
  responses.message(TEXT),
  responses.call("c1", "look", ARGUMENTS),
] as const;
const beforeLast = responses.sse(
  responses.created,
  ...responses.item(0, output[0], ...["hm, ", "so"].map((piece) => responses.summaryPiece(piece))),
  ...responses.item(
    1,
    output[1],
    ...[TEXT.slice(0, 2), TEXT.slice(2)].map((piece) => responses.piece("output_text", piece)),
  ),
  ...responses.item(2, output[2], ...HALVES.map((half) => responses.piece("function_call_arguments", half))),
);
const responsesWhole =
  beforeLast + responses.sse(responses.completed([...output], { usage: { input_tokens: 7, output_tokens: 5 } }));

/** How far `text` reaches with the first `end`, in bytes. */
function lengthUntil(text: string, end: string): number {
  return toBytes(text.slice(0, text.indexOf(end) + end.length)).length;
}

export const SPECIMENS: readonly Specimen[] = [
  {
    name: "openaiModel",
    model: (options) => openaiModel({ model: "m", apiKey: KEY, ...options }),
    path: "/v1/chat/completions",
    whole: chatWhole,
    wholeAfter: lengthUntil(chatWhole, '"finish_reason":"tool_calls"}]}'),
    begun: chat.sse(chat.delta({ content: "a" })),
    least: chat.sse(chat.delta({ content: "a" }, "stop")),
  },
  {
    name: "anthropicModel",
    model: (options) => anthropicModel({ model: "m", apiKey: KEY, ...options }),
    path: "/v1/messages",
    whole: messagesWhole,
    wholeAfter: lengthUntil(messagesWhole, '"usage":{"output_tokens":5}}'),
    begun: messages.sse(messages.start(), ...messages.text(0, "a")),
    least: messages.sse(messages.start(), ...messages.text(0, "a"), ...messages.end("end_turn").slice(0, 1)),
  },
  {
    name: "openaiResponsesModel",
    model: (options) => openaiResponsesModel({ model: "m", apiKey: KEY, ...options }),
    path: "/v1/responses",
    whole: responsesWhole,
    wholeAfter: toBytes(responsesWhole.trimEnd()).length,
    begun: responses.sse(responses.piece("output_text", "a", { output_index: 0 })),
    least: responses.sse(responses.piece("output_text", "a", { output_index: 0 }), responses.completed()),
  },
];

/** Streams the answer that these chunks are. */
export function streamOf({ model }: Specimen, chunks: readonly (Uint8Array | string)[]) {
  return model({ fetch: fetchOf(chunks).fetch }).stream(request(), callContext());
}
