import { describe, expect, it } from "vitest";
import { anthropicModel } from "../../../../src/adapters/models/anthropic/index.ts";
import type { Message } from "../../../../src/contract/message.ts";
import type { ModelSettings } from "../../../../src/contract/model.ts";
import { addTool, asking, callContext, collect, failureOf, KEY, request } from "../support.ts";
import { block, call, end, generateFrom, message, modelOf, sent, sse, start, streamOf, text } from "./support.ts";

const HINT = { cache_control: { type: "ephemeral" } };
const plain = { cache: false } as const;
const user: Message = { role: "user", content: "Hi" };
const wire = async (...messages: Message[]) => (await sent(asking(...messages), plain)).body["messages"];

describe("a request", () => {
  it("goes to /v1/messages with the key, the version and the betas", async () => {
    const { headers, body } = await sent(request(), { betas: ["a-1", "b-2"], headers: { "x-team": "search" } });
    expect(headers).toMatchObject({
      "x-api-key": KEY,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "a-1,b-2",
      "x-team": "search",
    });
    expect(body).toMatchObject({ model: "m", max_tokens: 16_000 });
    expect(body).not.toHaveProperty("stream");
  });

  it.each([
    [undefined, "https://api.anthropic.com/v1/messages"],
    ["https://gate.example", "https://gate.example/v1/messages"],
    ["https://gate.example/anthropic/", "https://gate.example/anthropic/v1/messages"],
    ["https://gate.example/v1?team=a", "https://gate.example/v1/messages?team=a"],
    ["https://gate.example/v1/messages", "https://gate.example/v1/messages"],
  ])("with the base URL %s goes to %s", async (baseUrl, url) => {
    const asked: string[] = [];
    const fetch = async (input: unknown) => {
      asked.push(String(input));
      return new Response(JSON.stringify(message([{ type: "text", text: "ok" }])));
    };
    await anthropicModel({ model: "m", baseUrl, fetch: fetch as typeof globalThis.fetch }).generate(
      request(),
      callContext(),
    );
    expect(asked).toEqual([url]);
  });

  it("has the leading system messages as its system prompt, later ones in their place", async () => {
    const { body } = await sent(
      asking({ role: "system", content: "Be brief." }, { role: "system", content: "Be kind." }, user, {
        role: "system",
        content: "It is late.",
      }),
      plain,
    );
    expect(body["system"]).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind." },
    ]);
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "<system>\nIt is late.\n</system>" },
        ],
      },
    ]);
  });

  it("has all results of one turn, and what the user says after them, in one message", async () => {
    const toolCalls = [
      { id: "a", name: "add", arguments: { n: 1 } },
      { id: "b", name: "add", arguments: '{"n":2}' },
    ];
    expect(
      await wire(
        user,
        { role: "assistant", content: "I add.", toolCalls },
        { role: "tool", toolCallId: "a", name: "add", content: "1" },
        { role: "tool", toolCallId: "b", name: "add", content: "no such number", isError: true },
        { role: "user", content: "Go on" },
      ),
    ).toEqual([
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I add." },
          { type: "tool_use", id: "a", name: "add", input: { n: 1 } },
          { type: "tool_use", id: "b", name: "add", input: { n: 2 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "1" },
          { type: "tool_result", tool_use_id: "b", content: "no such number", is_error: true },
          { type: "text", text: "Go on" },
        ],
      },
    ]);
  });

  it("never holds what the API refuses: empty text, broken arguments, foreign ids, an answer first", async () => {
    const id = "call.1|fc:2";
    const messages = (await wire(
      { role: "assistant", content: " ", toolCalls: [{ id, name: "add", arguments: '{"n":' }] },
      { role: "tool", toolCallId: id, name: "add", content: "" },
      { role: "assistant", content: "" },
      { role: "user", content: "" },
      user,
    )) as { role: string; content: Record<string, unknown>[] }[];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const [toolUse] = messages[1]?.content ?? [];
    expect(toolUse).toMatchObject({ type: "tool_use", input: { _unparsed: '{"n":' } });
    expect(toolUse?.["id"]).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: toolUse?.["id"], content: "(no output)" },
      { type: "text", text: "Hi" },
    ]);
  });

  it("holds images of users and tools, by address or by bytes", async () => {
    const image = { type: "image", url: "data:image/png;base64,aGk=" } as const;
    const block = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
    expect(
      await wire(
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image", url: "https://x.example/a.png" },
          ],
        },
        { role: "assistant", content: "", toolCalls: [{ id: "a", name: "shot", arguments: {} }] },
        { role: "tool", toolCallId: "a", name: "shot", content: [image] },
      ),
    ).toMatchObject([
      { content: [{ text: "Look" }, { type: "image", source: { type: "url", url: "https://x.example/a.png" } }] },
      {},
      { content: [{ type: "tool_result", content: [block] }] },
    ]);
    const odd = asking({ role: "user", content: [{ type: "image", url: "file:///etc/passwd" }] });
    expect(await failureOf(modelOf([]).generate(odd, callContext()))).toMatchObject({ code: "MODEL_INVALID_REQUEST" });
  });

  it("holds no lone surrogate and no NUL", async () => {
    const { body } = await sent(asking({ role: "user", content: "caf\ud800e \u0000" }), plain);
    expect(body["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "caf\ufffde \u2400" }] }]);
  });

  it("maps the names of tools, and the answer's back", async () => {
    const asked = request({
      tools: [
        { ...addTool, name: "math.add" },
        { ...addTool, name: "查天气" },
      ],
    });
    const { body } = await sent(asked);
    const names = (body["tools"] as { name: string }[]).map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const calls = names.map((name, index) => ({ type: "tool_use", id: `c${index}`, name, input: {} }));
    const whole = await generateFrom(message(calls, "tool_use"), asked);
    expect(whole.toolCalls.map(({ name }) => name)).toEqual(["math.add", "查天气"]);
    const pieces = names.flatMap((name, index) => call(index, `c${index}`, name, "{}"));
    const streamed = await collect(streamOf([sse(start(), ...pieces, ...end("tool_use"))], asked));
    expect(streamed.toolCalls.map(({ name }) => name)).toEqual(["math.add", "查天气"]);
  });

  it("names the tools of the past when there are none any more", async () => {
    const { body } = await sent(
      asking(
        user,
        { role: "assistant", content: "", toolCalls: [{ id: "a", name: "add", arguments: {} }] },
        { role: "tool", toolCallId: "a", name: "add", content: "1" },
      ),
    );
    expect(body).toMatchObject({
      tools: [{ name: "add", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });
});

describe("settings", () => {
  const body = async (settings: ModelSettings, options = {}) =>
    (await sent(request({ tools: [addTool], settings }), { ...plain, ...options })).body;

  it.each<[ModelSettings["toolChoice"], unknown]>([
    [undefined, undefined],
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [{ tool: "add" }, { type: "tool", name: "add" }],
  ])("the tool choice %j is sent as %j", async (toolChoice, expected) => {
    expect((await body({ toolChoice }))["tool_choice"]).toEqual(expected);
  });

  it("sampling, stops and the limit have the API's names", async () => {
    expect(await body({ temperature: 0.5, topP: 0.9, maxOutputTokens: 100, stop: ["END"] })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      stop_sequences: ["END"],
    });
  });

  it("one call at a time is asked for beside any choice but none", async () => {
    const single = { parallelToolCalls: false };
    expect((await body({}, single))["tool_choice"]).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect((await body({ toolChoice: "required" }, single))["tool_choice"]).toEqual({
      type: "any",
      disable_parallel_tool_use: true,
    });
    expect((await body({ toolChoice: "none" }, single))["tool_choice"]).toEqual({ type: "none" });
  });

  it("a budget for thinking comes on top of the reply, without a temperature", async () => {
    const asked = await body({ temperature: 0.5, maxOutputTokens: 100 }, { thinking: { budgetTokens: 2_000 } });
    expect(asked).toMatchObject({ max_tokens: 2_100, thinking: { type: "enabled", budget_tokens: 2_000 } });
    expect(asked).not.toHaveProperty("temperature");
  });

  it("thinking is left out where a call is forced, which the API refuses together", async () => {
    expect(await body({ toolChoice: "required" }, { thinking: "adaptive" })).not.toHaveProperty("thinking");
    expect(await body({}, { thinking: "adaptive", effort: "low" })).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    });
  });

  it("a reply in JSON is asked for in words, or by its schema with every object closed", async () => {
    const schema = { type: "object", properties: { a: { type: "array", items: { type: "object", properties: {} } } } };
    const responseFormat = { name: "reply", schema };
    const words = await body({ responseFormat });
    expect(words["system"]).toEqual([{ type: "text", text: expect.stringContaining(JSON.stringify(schema)) }]);
    expect((await body({ responseFormat }, { jsonMode: "json_schema" }))["output_config"]).toEqual({
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: { a: { type: "array", items: { type: "object", properties: {}, additionalProperties: false } } },
          additionalProperties: false,
        },
      },
    });
  });

  it("extra members are merged last, and undefined removes one", async () => {
    const asked = await body({}, { extraBody: { max_tokens: undefined, metadata: { user_id: "u" } } });
    expect(asked).toMatchObject({ metadata: { user_id: "u" } });
    expect(asked).not.toHaveProperty("max_tokens");
  });
});

describe("cache hints", () => {
  const asked = request({
    messages: [
      { role: "system", content: "Be brief." },
      user,
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "add", arguments: {} }] },
      { role: "tool", toolCallId: "a", name: "add", content: "1" },
      { role: "assistant", content: "One." },
      { role: "user", content: "And then?" },
    ],
    tools: [addTool, { ...addTool, name: "sub" }],
  });

  it("mark the last tool, the system prompt and the last two messages of the user", async () => {
    const { body } = await sent(asked);
    expect(body["tools"]).toEqual([expect.not.objectContaining(HINT), expect.objectContaining(HINT)]);
    expect(body["system"]).toEqual([expect.objectContaining(HINT)]);
    const marked = (body["messages"] as { content: object[] }[]).map(
      ({ content }) => "cache_control" in (content.at(-1) ?? {}),
    );
    expect(marked).toEqual([false, false, true, false, true]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });

  it("last an hour where asked, and are left out where not wanted", async () => {
    expect(JSON.stringify((await sent(asked, { cache: "1h" })).body)).toContain('{"type":"ephemeral","ttl":"1h"}');
    expect(JSON.stringify((await sent(asked, plain)).body)).not.toContain("cache_control");
  });
});

describe("thinking", () => {
  const thought = { type: "thinking", thinking: "hm", signature: "c2ln" };
  const hidden = { type: "redacted_thinking", data: "b3BhcXVl" };
  const asked = request({ tools: [addTool] });
  const answer = async (content: object[], stopReason: string) => {
    const { content: said, toolCalls, reasoning } = await generateFrom(message(content, stopReason), asked);
    return { role: "assistant", content: said, toolCalls, reasoning } as const;
  };

  it("is kept whole, with the text to read beside the signed block", async () => {
    const { reasoning } = await answer([thought, hidden, { type: "text", text: "ok" }], "end_turn");
    expect(reasoning).toEqual([
      { text: "hm", provider: "anthropic", data: thought },
      { text: "", provider: "anthropic", data: hidden },
    ]);
  });

  it.each([
    ["first", [thought, hidden, { type: "text", text: "ok" }, { type: "tool_use", id: "a", name: "add", input: {} }]],
    [
      "between text and calls",
      [
        { type: "text", text: "I" },
        thought,
        { type: "text", text: " see" },
        hidden,
        { type: "tool_use", id: "a", name: "add", input: {} },
        thought,
        { type: "tool_use", id: "b", name: "add", input: { n: 1 } },
      ],
    ],
    [
      "with the API's own tools",
      [
        { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "s", content: [] },
        { type: "text", text: "Found." },
      ],
    ],
  ])("goes back unchanged, in the place where it stood: %s", async (_name, content) => {
    const said = await answer(content, "tool_use");
    // As a store keeps it.
    const stored = JSON.parse(JSON.stringify(said)) as Message;
    expect(await wire(user, stored, user)).toMatchObject([{}, { role: "assistant", content }, {}]);
  });

  it("goes back the same after a stream", async () => {
    const content = sse(
      start(),
      ...text(0, "I", " look"),
      ...block(
        1,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "hm" },
        { type: "signature_delta", signature: "c2ln" },
      ),
      ...call(2, "a", "add", '{"n":1}'),
      ...end("tool_use"),
    );
    const { content: said, toolCalls, reasoning } = await collect(streamOf([content], asked));
    expect(await wire(user, { role: "assistant", content: said, toolCalls, reasoning }, user)).toMatchObject([
      {},
      {
        content: [
          { type: "text", text: "I look" },
          thought,
          { type: "tool_use", id: "a", name: "add", input: { n: 1 } },
        ],
      },
      {},
    ]);
  });

  it("of another endpoint is left out, and stays with its own", async () => {
    const baseUrl = "https://gate.example";
    const there = modelOf([JSON.stringify(message([thought, { type: "text", text: "ok" }]))], { baseUrl });
    const { reasoning } = await there.generate(asked, callContext());
    const history = asking(user, { role: "assistant", content: "ok", reasoning }, user);
    const contentAt = async (options: object) =>
      ((await sent(history, options)).body["messages"] as { content: object[] }[])[1]?.content;
    expect(await contentAt({ ...plain, baseUrl })).toEqual([thought, { type: "text", text: "ok" }]);
    expect(await contentAt(plain)).toEqual([{ type: "text", text: "ok" }]);
  });

  it("of other providers is left out", async () => {
    const reasoning = [{ text: "hm" }, { text: "", provider: "openai", data: { type: "thinking" } }];
    expect(await wire(user, { role: "assistant", content: "ok", reasoning }, user)).toMatchObject([
      {},
      { content: [{ type: "text", text: "ok" }] },
      {},
    ]);
  });
});

describe("options", () => {
  it.each([
    [{ model: "" }, "needs `model`"],
    [{ maxTokens: 0 }, "`maxTokens`"],
    [{ thinking: { budgetTokens: 0.5 } }, "`thinking`"],
    [{ thinking: "on" }, "`thinking`"],
    [{ cache: "2h" }, "`cache`"],
    [{ effort: "most" }, "`effort`"],
    [{ betas: "one" }, "`betas`"],
    [{ betas: ["a\r\nb"] }, "`betas`"],
    [{ parallelToolCalls: "no" }, "`parallelToolCalls`"],
    [{ jsonMode: "json" }, "`jsonMode`"],
    [{ baseUrl: "api.anthropic.com" }, "`baseUrl`"],
    [{ apiKey: 7 }, "`apiKey`"],
    [{ headers: { "x-a": "b\r\nc" } }, "header"],
    [{ fetch: "fetch" }, "`fetch`"],
    [{ name: "" }, "`name`"],
    [{ extraBody: [] }, "`extraBody`"],
  ])("%j are refused when the model is made, in words that help", (wrong, words) => {
    const make = () => anthropicModel({ model: "m", ...wrong } as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(words);
  });

  it("that are no JSON or no object are refused, too", () => {
    expect(() => modelOf([], { extraBody: { n: 1n } })).toThrow("plain JSON");
    expect(() => anthropicModel(undefined as never)).toThrow("takes an object");
  });

  it("name the model for the record", () => {
    expect(modelOf([]).name).toBe("anthropic:m");
    expect(modelOf([], { name: "mine" }).name).toBe("mine");
  });
});
