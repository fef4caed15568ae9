/** Against a server that nobody here wrote. */
import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/contract/model.ts";
import { SPECIMENS } from "./specimens.ts";
import { addTool, callContext, collect, failureOf, request, untilFailure } from "./support.ts";

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7 });
  await mock.start();
});
afterEach(() => mock.stop());

const asked = request({ tools: [addTool] });
const toolCalls = [
  { id: "call_a", name: "add", arguments: '{"a":17,"b":38}' },
  { id: "call_b", name: "add", arguments: '{"a":1,"b":2}' },
];
const THOUGHT = "Seventeen and thirty-eight.";

describe.each(SPECIMENS)("$name against aimock", ({ name, model: make }) => {
  const model = () => make({ baseUrl: `${mock.url}/v1` });
  const generate = (wanted: ModelRequest = asked) => model().generate(wanted, callContext());
  const stream = (wanted: ModelRequest = asked) => collect(model().stream(wanted, callContext()));

  it("carries a conversation with tools, whole and streamed", async () => {
    mock.on({ userMessage: "17 + 38", hasToolResult: false }, { toolCalls });
    mock.on({ userMessage: "17 + 38", hasToolResult: true }, { content: "It is 55, née 😀." });
    const first = await generate();
    expect(first.toolCalls.map(({ id }) => id)).toEqual(["call_a", "call_b"]);
    expect(await stream()).toMatchObject({ toolCalls, finishReason: "toolCalls" });
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
    expect(await generate(next)).toMatchObject(answer);
    expect(await stream(next)).toMatchObject({ ...answer, usage: { inputTokens: expect.any(Number) } });
  });

  it("shows reasoning in one entry, with the block that goes back where the API has one", async () => {
    mock.on({ userMessage: "17 + 38" }, { content: "55", reasoning: THOUGHT });
    for (const answer of [await generate(), await stream()]) {
      expect(answer.reasoning).toHaveLength(1);
      expect(answer.reasoning?.[0]).toMatchObject({ text: THOUGHT, ...KEPT[name] });
    }
  });

  it.each([
    [401, "authentication_error", "MODEL_AUTH", false],
    [429, "rate_limit_error", "MODEL_RATE_LIMITED", true],
    [503, "overloaded_error", "MODEL_OVERLOADED", true],
  ] as const)("tells status %i from others, whole and streamed", async (status, type, code, retryable) => {
    const body = { message: "Not now, says the mock", type };
    const expected = { kind: "model", code, status, retryable, message: expect.stringContaining(body.message) };
    mock.nextRequestError(status, body);
    expect(await failureOf(generate())).toMatchObject(expected);
    mock.nextRequestError(status, body);
    expect((await untilFailure(model().stream(asked, callContext()))).error).toMatchObject(expected);
  });
});

const KEPT: Readonly<Record<string, object>> = {
  anthropicModel: { provider: "anthropic", data: { block: { type: "thinking" } } },
  openaiResponsesModel: {
    provider: "openai-responses",
    data: { block: { type: "reasoning", encrypted_content: expect.any(String) } },
  },
};
