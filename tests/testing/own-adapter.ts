/** The adapter of docs/models.md, word for word. */
import type { Message, ModelRequest, ModelResponse } from "harness-kit";
import { httpModel } from "harness-kit/models/http";

export const myModel = (endpoint: { baseUrl: string; apiKey: string }) =>
  httpModel({ model: "my-model", ...endpoint, path: "/chat/completions", toBody, toResponse });

export const toBody = ({ messages, tools, settings }: ModelRequest, { model }: { model: string }) => ({
  model,
  messages: messages.map(toMessage),
  tools: tools.length > 0 ? tools.map((tool) => ({ type: "function", function: tool })) : undefined,
  max_tokens: settings?.maxOutputTokens,
});

function toMessage(message: Message) {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  const calls = message.role === "assistant" ? message.toolCalls : undefined;
  const tool_calls = calls?.map(({ id, ...asked }) => ({ id, type: "function", function: asked }));
  return { role: message.role, content: message.content, tool_calls };
}

export const toResponse = ({ choices: [{ message, finish_reason }], usage }: Completion): ModelResponse => ({
  content: message.content ?? "",
  toolCalls: (message.tool_calls ?? []).map(({ id, function: asked }) => ({ id, ...asked })),
  finishReason: REASONS[finish_reason],
  usage: usage && { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens },
});

export const REASONS = { stop: "stop", tool_calls: "toolCalls", length: "length", content_filter: "filtered" } as const;

interface Completion {
  choices: [{ message: { content?: string; tool_calls?: WireCall[] }; finish_reason: keyof typeof REASONS }];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

interface WireCall {
  id: string;
  function: { name: string; arguments: string };
}
