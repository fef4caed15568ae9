/** Against a server that nobody here wrote. */
import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import type { ModelRequest } from "../../../../src/contract/model.ts";
import { addTool, assemble, callContext, failureOf, KEY, request, untilFailure } from "./support.ts";

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7 });
  await mock.start();
});
afterEach(() => mock.stop());

const model = () => openaiModel({ model: "gpt-4o", apiKey: KEY, baseUrl: `${mock.url}/v1` });
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
    expect(await assemble(model().stream(asked, callContext()))).toMatchObject({
      calls: toolCalls,
      finishes: ["toolCalls"],
    });
    const next: ModelRequest = {
      ...asked,
      messages: [
        ...asked.messages,
        { role: "assistant", content: first.content, toolCalls: first.toolCalls },
        { role: "tool", toolCallId: "call_a", name: "add", content: "55" },
        { role: "tool", toolCallId: "call_b", name: "add", content: "3" },
      ],
    };
    expect(await model().generate(next, callContext())).toMatchObject({
      content: "It is 55, née 😀.",
      finishReason: "stop",
    });
    const streamed = await assemble(model().stream(next, callContext()));
    expect(streamed).toMatchObject({
      text: "It is 55, née 😀.",
      finishes: ["stop"],
      usage: { inputTokens: expect.any(Number) },
    });
  });

  it.each([
    [401, { message: "Incorrect API key provided", code: "invalid_api_key" }, "MODEL_AUTH", false],
    [429, { message: "Rate limit reached", type: "rate_limit_error" }, "MODEL_RATE_LIMITED", true],
  ] as const)("status %i is told from others, whole and streamed", async (status, body, code, retryable) => {
    const expected = { kind: "model", code, status, retryable, message: expect.stringContaining(body.message) };
    mock.nextRequestError(status, body);
    expect(await failureOf(model().generate(asked, callContext()))).toMatchObject(expected);
    mock.nextRequestError(status, body);
    expect((await untilFailure(model().stream(asked, callContext()))).error).toMatchObject(expected);
  });
});
