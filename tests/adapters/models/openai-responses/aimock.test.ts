/** Against a server that nobody here wrote. */
import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openaiResponsesModel } from "../../../../src/adapters/models/openai-responses/index.ts";
import type { ModelRequest } from "../../../../src/contract/model.ts";
import { collect } from "../collect.ts";
import { addTool, callContext, failureOf, KEY, request, untilFailure } from "../openai/support.ts";

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7 });
  await mock.start();
});
afterEach(() => mock.stop());

const model = () => openaiResponsesModel({ model: "gpt-5", apiKey: KEY, baseUrl: `${mock.url}/v1` });
const asked = request({ tools: [addTool] });
const toolCalls = [
  { id: "call_a", name: "add", arguments: '{"a":17,"b":38}' },
  { id: "call_b", name: "add", arguments: '{"a":1,"b":2}' },
];

describe("against aimock", () => {
  it("a conversation with tools goes round, whole and streamed", async () => {
    mock.on({ userMessage: "17 + 38", hasToolResult: false }, { toolCalls });
    mock.on({ userMessage: "17 + 38", hasToolResult: true }, { content: "It is 55, née 😀." });
    const first = await model().generate(asked, callContext());
    expect(first).toMatchObject({ toolCalls, finishReason: "toolCalls" });
    expect(await collect(model().stream(asked, callContext()))).toMatchObject({ toolCalls, finishReason: "toolCalls" });
    const next: ModelRequest = {
      ...asked,
      messages: [
        ...asked.messages,
        { role: "assistant", content: first.content, toolCalls: first.toolCalls },
        { role: "tool", toolCallId: "call_a", name: "add", content: "55" },
        { role: "tool", toolCallId: "call_b", name: "add", content: "3" },
      ],
    };
    const answer = { content: "It is 55, née 😀.", finishReason: "stop" };
    expect(await model().generate(next, callContext())).toMatchObject(answer);
    expect(await collect(model().stream(next, callContext()))).toMatchObject(answer);
  });

  it("reasoning comes with its encrypted form and goes back", async () => {
    mock.on({ userMessage: "17 + 38" }, { content: "55", reasoning: "Seventeen and thirty-eight." });
    for (const answer of [
      await model().generate(asked, callContext()),
      await collect(model().stream(asked, callContext())),
    ]) {
      expect(answer.reasoning?.map(({ text }) => text).join("")).toBe("Seventeen and thirty-eight.");
      expect(answer.reasoning?.at(-1)).toMatchObject({
        provider: "openai-responses",
        data: { block: { type: "reasoning", encrypted_content: expect.any(String) } },
      });
    }
  });

  it.each([
    [401, { message: "Incorrect API key", code: "invalid_api_key" }, "MODEL_AUTH", false],
    [503, { message: "Overloaded" }, "MODEL_OVERLOADED", true],
  ] as const)("status %i is told from others, whole and streamed", async (status, body, code, retryable) => {
    const expected = { kind: "model", code, status, retryable, message: expect.stringContaining(body.message) };
    mock.nextRequestError(status, body);
    expect(await failureOf(model().generate(asked, callContext()))).toMatchObject(expected);
    mock.nextRequestError(status, body);
    expect((await untilFailure(model().stream(asked, callContext()))).error).toMatchObject(expected);
  });
});
