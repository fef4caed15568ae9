/** What makes the adapter of docs/models.md stream, word for word. */
import type { ModelEvent } from "harness-kit";
import { httpModel } from "harness-kit/models/http";
import { REASONS, toBody, toResponse } from "./own-adapter.ts";

export const myStreamingModel = (endpoint: { baseUrl: string; apiKey: string }) =>
  httpModel({
    ...{ model: "my-model", ...endpoint, path: "/chat/completions", toResponse, toEvents },
    toBody: (request, how) => ({
      ...toBody(request, how),
      ...(how.stream && { stream: true, stream_options: { include_usage: true } }),
    }),
  });

function* toEvents({ choices: [choice], usage }: Chunk): Generator<ModelEvent> {
  const { content, tool_calls = [] } = choice?.delta ?? {};
  if (content) yield { type: "text", text: content };
  for (const { index, id, function: asked } of tool_calls) yield { type: "toolCall", index, id, ...asked };
  if (choice?.finish_reason) yield { type: "finish", finishReason: REASONS[choice.finish_reason] };
  if (usage) {
    yield { type: "usage", usage: { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens } };
  }
}

interface Chunk {
  choices: {
    delta: { content?: string; tool_calls?: { index: number; id?: string; function: object }[] };
    finish_reason: keyof typeof REASONS | null;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}
