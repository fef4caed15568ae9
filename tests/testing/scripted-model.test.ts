import type { ModelResponse } from "harness-kit";
import { scriptedModel } from "harness-kit/testing";
import { expect, it } from "vitest";
import { StreamCollector } from "../../src/contract/stream-collector.ts";

it("a scripted model streams all that it answers whole", async () => {
  const answer: ModelResponse = {
    content: "I add.",
    toolCalls: [{ id: "c1", name: "add", arguments: '{"a":1}' }],
    finishReason: "toolCalls",
    usage: { inputTokens: 1, outputTokens: 2 },
    reasoning: [
      { text: "Hm.", provider: "own", data: { signed: true } },
      { text: "", provider: "own", data: { sealed: "x" } },
    ],
    model: "m-1",
    requestId: "req_1",
  };
  const model = scriptedModel([answer, answer], { chunkSize: 2 });
  const asked = [
    { messages: [], tools: [] },
    { signal: new AbortController().signal, attempt: 1, runId: "r" },
  ] as const;
  const collector = new StreamCollector({ onText: () => {}, onReasoning: () => {} });
  for await (const event of model.stream?.(...asked) ?? []) collector.take(event);
  expect(collector.response()).toEqual(await model.generate(...asked));
});
