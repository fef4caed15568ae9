import { describe, expect, it } from "vitest";
import type { Message } from "../../../../src/contract/message.ts";
import type { ModelResponse, ModelSettings } from "../../../../src/contract/model.ts";
import { addTool, asking, collect, failureOf, request } from "../support.ts";
import { finish, generateFrom, result, sent, streamOf, VERSIONS } from "./support.ts";

const user: Message = { role: "user", content: "Hi" };
const image = { type: "image", url: "data:image/png;base64,aGk=" } as const;
const linked = { type: "image", url: "https://x.example/a.png" } as const;

describe.each(VERSIONS)("a request of specification %s", (version) => {
  const prompt = async (...messages: Message[]) => (await sent(version, asking(...messages))).prompt;

  it("holds the history as a prompt, the results of one turn in one message", async () => {
    const toolCalls = [
      { id: "a", name: "add", arguments: { n: 1 } },
      { id: "b", name: "add", arguments: '{"n":' },
    ];
    expect(
      await prompt(
        { role: "system", content: "Be brief." },
        user,
        { role: "assistant", content: "I add.", toolCalls },
        { role: "tool", toolCallId: "a", name: "add", content: "" },
        { role: "tool", toolCallId: "b", name: "add", content: "no such number", isError: true },
        { role: "assistant", content: "" },
      ),
    ).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I add." },
          { type: "tool-call", toolCallId: "a", toolName: "add", input: { n: 1 } },
          { type: "tool-call", toolCallId: "b", toolName: "add", input: { _unparsed: '{"n":' } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "add", output: { type: "text", value: "(no output)" } },
          {
            type: "tool-result",
            toolCallId: "b",
            toolName: "add",
            output: { type: "error-text", value: "no such number" },
          },
        ],
      },
    ]);
  });

  it("holds images in the form of its version", async () => {
    const [asked, , answered] = await prompt(
      { role: "user", content: [image, linked] },
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "shot", arguments: {} }] },
      { role: "tool", toolCallId: "a", name: "shot", content: [{ type: "text", text: "Look" }, image, linked] },
    );
    const url = new URL(linked.url);
    const data = {
      v2: ["aGk=", url],
      v3: ["aGk=", url],
      v4: [
        { type: "data", data: "aGk=" },
        { type: "url", url },
      ],
    }[version];
    expect(asked?.content).toEqual([
      { type: "file", mediaType: "image/png", data: data[0] },
      { type: "file", mediaType: "image/*", data: data[1] },
    ]);
    const parts = {
      v2: [
        { type: "media", mediaType: "image/png", data: "aGk=" },
        { type: "text", text: "[image: https://x.example/a.png]" },
      ],
      v3: [
        { type: "image-data", mediaType: "image/png", data: "aGk=" },
        { type: "image-url", url: linked.url },
      ],
      v4: [
        { type: "file", mediaType: "image/png", data: data[0] },
        { type: "file", mediaType: "image/*", data: data[1] },
      ],
    }[version];
    expect(answered?.content).toMatchObject([
      { output: { type: "content", value: [{ type: "text", text: "Look" }, ...parts] } },
    ]);
    const odd = asking({ role: "user", content: [{ type: "image", url: "file:///a.png" }] });
    expect(await failureOf(generateFrom(version, result(version, []), odd))).toMatchObject({
      code: "MODEL_INVALID_REQUEST",
    });
  });

  it("holds tools, their choice, the settings, the signal and what the options add", async () => {
    const settings: ModelSettings = {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stop: ["END"],
      toolChoice: { tool: "add" },
      responseFormat: { name: "reply", schema: { type: "object" } },
    };
    const providerOptions = { test: { effort: "low" } };
    const asked = await sent(version, request({ tools: [addTool], settings }), {
      providerOptions,
      headers: { "x-a": "b" },
    });
    expect(asked).toMatchObject({
      tools: [{ type: "function", name: "add", description: addTool.description, inputSchema: addTool.parameters }],
      toolChoice: { type: "tool", toolName: "add" },
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      responseFormat: { type: "json", name: "reply", schema: { type: "object" } },
      providerOptions,
      headers: { "x-a": "b" },
      abortSignal: expect.any(AbortSignal),
    });
    expect(
      (await sent(version, request({ tools: [addTool], settings: { toolChoice: "required" } })))["toolChoice"],
    ).toEqual({
      type: "required",
    });
  });

  it("says nothing about what was not asked", async () => {
    expect(Object.keys(await sent(version, request())).sort()).toEqual(["abortSignal", "prompt"]);
  });

  it("maps the names of tools, and the answer's back", async () => {
    const asked = request({
      tools: [
        { ...addTool, name: "math.add" },
        { ...addTool, name: "查天气" },
      ],
    });
    const names = ((await sent(version, asked))["tools"] as { name: string }[]).map(({ name }) => name);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const calls = names.map((toolName, at) => ({ type: "tool-call", toolCallId: `c${at}`, toolName, input: "{}" }));
    const whole = await generateFrom(version, result(version, calls, "tool-calls"), asked);
    const streamed = await collect(streamOf(version, [...calls, finish(version, "tool-calls")], asked));
    for (const { toolCalls } of [whole, streamed])
      expect(toolCalls.map(({ name }) => name)).toEqual(["math.add", "查天气"]);
  });

  const stored = ({ content, toolCalls, reasoning }: ModelResponse) =>
    JSON.parse(JSON.stringify({ role: "assistant", content, toolCalls, reasoning })) as Message;

  it("gives back what the provider attached, on the same parts in the same order", async () => {
    const meta = (id: string) => ({ test: { itemId: id } });
    const content = [
      { type: "reasoning", text: "hm", providerMetadata: meta("r1") },
      { type: "text", text: "I add.", providerMetadata: meta("t1") },
      { type: "reasoning", text: "", providerMetadata: meta("r2") },
      { type: "tool-call", toolCallId: "a", toolName: "add", input: '{"n":1}', providerMetadata: meta("c1") },
      { type: "tool-call", toolCallId: "b", toolName: "add", input: '{"n":2}' },
      { type: "tool-call", toolCallId: "s", toolName: "search", input: '{"q":"x"}', providerExecuted: true },
      { type: "tool-result", toolCallId: "s", toolName: "search", result: { hits: 1 } },
      { type: "text", text: " Done." },
    ];
    const parts = [
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-delta", id: "1", delta: "hm" },
      { type: "reasoning-end", id: "1", providerMetadata: meta("r1") },
      { type: "text-start", id: "1", providerMetadata: meta("t1") },
      { type: "text-delta", id: "1", delta: "I add." },
      { type: "text-end", id: "1" },
      { type: "reasoning-start", id: "1", providerMetadata: meta("r2") },
      { type: "reasoning-end", id: "1" },
      { type: "tool-input-start", id: "a", toolName: "add" },
      { type: "tool-input-delta", id: "a", delta: '{"n":1}' },
      ...content.slice(3, 7),
      { type: "text-start", id: "2" },
      { type: "text-delta", id: "2", delta: " Done." },
      finish(version, "tool-calls"),
    ];
    const expected = [
      { type: "reasoning", text: "hm", providerOptions: meta("r1") },
      { type: "text", text: "I add.", providerOptions: meta("t1") },
      { type: "reasoning", text: "", providerOptions: meta("r2") },
      { type: "tool-call", toolCallId: "a", toolName: "add", input: { n: 1 }, providerOptions: meta("c1") },
      { type: "tool-call", toolCallId: "b", toolName: "add", input: { n: 2 } },
      { type: "tool-call", toolCallId: "s", toolName: "search", input: { q: "x" }, providerExecuted: true },
      { type: "tool-result", toolCallId: "s", toolName: "search", output: { type: "json", value: { hits: 1 } } },
      { type: "text", text: " Done." },
    ];
    const whole = await generateFrom(version, result(version, content, "tool-calls"));
    const streamed = await collect(streamOf(version, parts));
    for (const answer of [whole, streamed]) {
      expect(answer.reasoning?.[0]?.text).toBe("hm");
      expect(await prompt(user, stored(answer))).toMatchObject([{}, { role: "assistant", content: expected }]);
    }
  });

  it("keeps what one provider attached from another, and reasoning from standing alone", async () => {
    const content = [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "ok" },
    ];
    const answer = await generateFrom(version, result(version, content));
    const foreign = JSON.parse(JSON.stringify(stored(answer)).replace("test.chat", "other.chat")) as Message;
    expect(await prompt(user, foreign)).toMatchObject([{}, { content: [{ type: "text", text: "ok" }] }]);
    const alone = await generateFrom(version, result(version, content.slice(0, 1)));
    expect(await prompt(user, stored(alone))).toHaveLength(1);
  });

  it("does not lose text or calls of a message that was changed after it was laid out", async () => {
    const content = [
      { type: "text", text: "ok", providerMetadata: { test: { id: 1 } } },
      { type: "tool-call", toolCallId: "a", toolName: "add", input: "{}" },
    ];
    const answer = await generateFrom(version, result(version, content, "tool-calls"));
    const toolCalls = [...answer.toolCalls, { id: "b", name: "add", arguments: {} }];
    const changed: Message = { role: "assistant", content: "okay", toolCalls, reasoning: answer.reasoning };
    expect(await prompt(user, changed)).toMatchObject([
      {},
      { content: [{ text: "ok" }, { toolCallId: "a" }, { text: "ay" }, { toolCallId: "b" }] },
    ]);
  });
});
