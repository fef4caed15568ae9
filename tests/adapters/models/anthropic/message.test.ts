import { describe, expect, it } from "vitest";
import { failureOf } from "../support.ts";
import { generateFrom, message } from "./support.ts";

const said = { type: "text", text: "ok" };
const called = { type: "tool_use", id: "a", name: "add", input: { n: 1 } };

describe("a whole message", () => {
  it("becomes text, calls, usage and who answered", async () => {
    const usage = {
      input_tokens: 7,
      output_tokens: 5,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 2,
      output_tokens_details: { thinking_tokens: 4 },
    };
    expect(await generateFrom(message([said, said, called], "tool_use", { usage }))).toEqual({
      content: "okok",
      toolCalls: [{ id: "a", name: "add", arguments: { n: 1 } }],
      finishReason: "toolCalls",
      usage: { inputTokens: 12, outputTokens: 5, cachedInputTokens: 3, reasoningTokens: 4 },
      model: "m-1",
      requestId: "msg_1",
    });
  });

  it.each([
    ["end_turn", [said], "stop"],
    ["stop_sequence", [said], "stop"],
    ["tool_use", [called], "toolCalls"],
    ["end_turn", [called], "toolCalls"],
    ["tool_use", [said], "stop"],
    ["tool_use", [], "other"],
    ["max_tokens", [said, called], "length"],
    ["model_context_window_exceeded", [said], "length"],
    ["refusal", [said], "filtered"],
    ["pause_turn", [said], "other"],
    ["something_new", [said], "other"],
    [null, [said], undefined],
  ])("with the stop reason %s and %j finishes as %s", async (stopReason, content, finishReason) => {
    expect((await generateFrom(message(content, stopReason))).finishReason).toBe(finishReason);
  });

  it("gives a call without an id one of its own, and a call without input an empty object", async () => {
    const { toolCalls } = await generateFrom(
      message(
        [
          { type: "tool_use", name: "now" },
          { type: "tool_use", name: "now", input: null },
        ],
        "tool_use",
      ),
    );
    expect(toolCalls).toMatchObject([{ arguments: {} }, { arguments: {} }]);
    expect(toolCalls[0]?.id).toMatch(/^call_\w{20}$/);
    expect(toolCalls[1]?.id).not.toBe(toolCalls[0]?.id);
  });

  it("with a refusal and nothing else is filtered content", async () => {
    expect(await failureOf(generateFrom(message([], "refusal")))).toMatchObject({
      code: "MODEL_CONTENT_FILTERED",
      retryable: false,
    });
  });

  it.each([
    ["nothing", "", "empty"],
    ["HTML", "<!DOCTYPE html><title>Sign in</title>", "Sign in"],
    ["cut JSON", JSON.stringify(message([said])).slice(0, -3), "not the JSON of a message"],
    ["a list", "[]", "not the JSON of a message"],
    ["another API's document", { choices: [{ message: { content: "hi" } }] }, "no list `content`"],
    ["a block that is no object", message(["ok"]), "no object"],
    ["text without text", message([{ type: "text" }]), "without text"],
    ["a call without a name", message([{ type: "tool_use", id: "a", input: {} }]), "without the name"],
  ])("is an error, not an answer: %s", async (_name, document, words) => {
    expect(await failureOf(generateFrom(document))).toMatchObject({
      kind: "model",
      code: "MODEL_BAD_RESPONSE",
      status: 200,
      message: expect.stringContaining(words),
    });
  });

  it("that reports an error behind a 200 is that error", async () => {
    const document = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(await failureOf(generateFrom(document))).toMatchObject({ code: "MODEL_OVERLOADED", retryable: true });
  });
});
