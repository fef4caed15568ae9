import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsText } from "../../../../src/adapters/models/http/tool-calls.ts";
import { type OpenAIModelOptions, openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import type { Message, ToolCall } from "../../../../src/contract/message.ts";
import type { ModelRequest } from "../../../../src/contract/model.ts";
import { addTool, asking, callContext, fetchOf, request } from "../support.ts";
import { completion, delta, sse } from "./support.ts";

interface SentBody {
  messages: Record<string, unknown>[];
  [member: string]: unknown;
}

async function sent(asked: ModelRequest, options: Partial<OpenAIModelOptions> = {}): Promise<SentBody> {
  const { fetch, seen } = fetchOf([JSON.stringify(completion({ content: "ok" }))]);
  await openaiModel({ model: "m", fetch, ...options }).generate(asked, callContext());
  return JSON.parse(String(seen.init?.body)) as SentBody;
}

async function sentMessages(messages: Message[], options: Partial<OpenAIModelOptions> = {}) {
  return (await sent(asking(...messages), options)).messages;
}

async function sentStreaming(options: Partial<OpenAIModelOptions> = {}): Promise<SentBody> {
  const { fetch, seen } = fetchOf([sse(delta({ content: "ok" }), delta({}, "stop"))]);
  for await (const _event of openaiModel({ model: "m", fetch, ...options }).stream(request(), callContext()));
  return JSON.parse(String(seen.init?.body)) as SentBody;
}

const call: ToolCall = { id: "call_1", name: "add", arguments: { a: 1, b: 2 } };
const image = { type: "image", url: "data:image/png;base64,AAAA" } as const;

describe("the messages of a request", () => {
  it("say a whole conversation in the provider's form", async () => {
    const messages = await sentMessages([
      { role: "system", content: "Be brief." },
      { role: "user", content: "1 + 2?" },
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", toolCallId: "call_1", name: "add", content: "3" },
      { role: "assistant", content: "3" },
    ]);
    expect(messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "1 + 2?" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1,"b":2}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "3" },
      { role: "assistant", content: "3" },
    ]);
  });

  it("leave out an assistant message that says nothing", async () => {
    const messages = await sentMessages([
      { role: "user", content: "a" },
      { role: "assistant", content: " \n" },
      { role: "user", content: "b" },
    ]);
    expect(messages.map((message) => message["content"])).toEqual(["a", "b"]);
  });

  it("hold images as URLs, and text parts alone as plain text", async () => {
    const messages = await sentMessages([
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
    ]);
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: image.url } },
        ],
      },
      { role: "user", content: "one\ntwo" },
    ]);
  });

  it("put images of tool results behind all results of the turn", async () => {
    const messages = await sentMessages([
      { role: "assistant", content: "", toolCalls: [call, { ...call, id: "call_2" }] },
      { role: "tool", toolCallId: "call_1", name: "add", content: [image] },
      { role: "tool", toolCallId: "call_2", name: "add", content: "" },
      { role: "user", content: "next" },
    ]);
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "call_1", content: "(see the image below)" },
      { role: "tool", tool_call_id: "call_2", content: "(no output)" },
      {
        role: "user",
        content: [
          { type: "text", text: expect.any(String) },
          { type: "image_url", image_url: { url: image.url } },
        ],
      },
      { role: "user", content: "next" },
    ]);
  });

  it("end with the images when a tool result is the last message", async () => {
    const messages = await sentMessages([{ role: "tool", toolCallId: "call_1", name: "add", content: [image] }]);
    expect(messages.map((message) => message["role"])).toEqual(["tool", "user"]);
  });

  it("shorten ids that OpenAI would refuse, the same way in call and result", async () => {
    const id = `fc_${"x".repeat(60)}`;
    const messages = await sentMessages([
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { ...call, id },
          { ...call, id: `${id}y` },
        ],
      },
      { role: "tool", toolCallId: id, name: "add", content: "3" },
    ]);
    const calls = (messages[0]?.["tool_calls"] ?? []) as { id: string }[];
    const ids = calls.map((entry) => entry.id);
    expect(messages[1]?.["tool_call_id"]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(2);
    for (const short of ids) expect(short.length).toBeLessThanOrEqual(40);
  });

  it("can give instructions under the developer role", async () => {
    const messages = await sentMessages([{ role: "system", content: "Be brief." }], { systemRole: "developer" });
    expect(messages[0]?.["role"]).toBe("developer");
  });

  it("never hold null, an empty assistant, a lone surrogate or arguments that are no JSON object", async () => {
    const text = fc.string({ unit: "binary" }).map((value) => `${value}\ud83d`);
    const toolCall = fc.record({ id: fc.string(), name: text, arguments: fc.oneof(fc.anything(), text, fc.json()) });
    const assistant = fc.record({
      role: fc.constant("assistant" as const),
      content: fc.oneof(text, fc.constantFrom("", " ", "\ud800")),
      toolCalls: fc.array(toolCall, { maxLength: 3 }),
    });
    const user = fc.record({ role: fc.constant("user" as const), content: text });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(assistant, user), { maxLength: 5 }), async (messages) => {
        const plain = JSON.parse(
          JSON.stringify(messages, (_key, value) => (typeof value === "bigint" ? String(value) : value)),
        );
        const body = await sent(asking(...(plain as Message[])));
        expect(JSON.stringify(body)).not.toMatch(/\\u(d[89a-f]|0000)/i);
        for (const message of body.messages) {
          expect(message["content"]).toEqual(expect.any(String));
          const calls = (message["tool_calls"] ?? []) as { function: { name: string; arguments: string } }[];
          if (message["role"] === "assistant") expect(calls.length > 0 || message["content"] !== "").toBe(true);
          for (const { function: target } of calls) {
            expect(target.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
            const parsed: unknown = JSON.parse(target.arguments);
            expect(typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("arguments sent back", () => {
  it.each([
    [{ a: 1 }, '{"a":1}'],
    ['{ "a": 1 }', '{ "a": 1 }'],
    ["", "{}"],
    [undefined, "{}"],
    [null, "{}"],
    ["null", "{}"],
    ['{"{"city":"Oslo"}', '{"_unparsed":"{\\"{\\"city\\":\\"Oslo\\"}"}'],
    ["[]", '{"_unparsed":"[]"}'],
    ["7", '{"_unparsed":"7"}'],
    [[1], '{"_unparsed":"[1]"}'],
    [{ a: "\ud800", "\udc00": 1 }, '{"a":"\uFFFD","\uFFFD":1}'],
    ['{"a":"\\ud800"}', '{"a":"\uFFFD"}'],
  ])("are always the JSON text of an object: %j", (given, expected) => {
    expect(argumentsText({ id: "a", name: "t", arguments: given })).toBe(expected);
  });
});

describe("the tools of a request", () => {
  it("are left out together with the choice when there are none", async () => {
    const body = await sent(request({ settings: { toolChoice: "required" } }), { parallelToolCalls: false });
    for (const member of ["tools", "tool_choice", "parallel_tool_calls"]) expect(body).not.toHaveProperty(member);
  });

  it("come with choice, parallel calls and strictness", async () => {
    const body = await sent(request({ tools: [addTool], settings: { toolChoice: { tool: "add" } } }), {
      parallelToolCalls: false,
      strictSchemas: true,
    });
    expect(body).toMatchObject({
      tools: [
        {
          type: "function",
          function: { name: "add", description: "Add two numbers.", parameters: addTool.parameters, strict: true },
        },
      ],
      tool_choice: { type: "function", function: { name: "add" } },
      parallel_tool_calls: false,
    });
  });

  it("have no union at the root of a schema, for which OpenAI refuses the whole request", async () => {
    const parameters = { type: "object", oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] };
    const body = await sent(request({ tools: [{ ...addTool, parameters }] }));
    expect(body).toMatchObject({ tools: [{ function: { parameters: { properties: { a: {}, b: {} } } } }] });
    expect(JSON.stringify(body)).not.toContain("oneOf");
  });

  it.each(["auto", "none", "required"] as const)("pass the choice %s on", async (toolChoice) => {
    expect((await sent(request({ tools: [addTool], settings: { toolChoice } })))["tool_choice"]).toBe(toolChoice);
  });

  it("have accepted names, the same in definitions, choice and history", async () => {
    const tools = ["math.add", "math_add", "查天气", "x".repeat(70)].map((name) => ({ ...addTool, name }));
    const body = await sent({
      tools,
      settings: { toolChoice: { tool: "math.add" } },
      messages: [
        {
          role: "assistant",
          content: "",
          toolCalls: tools.map(({ name }, index) => ({ id: `c${index}`, name, arguments: {} })),
        },
      ],
    });
    const defined = (body["tools"] as { function: { name: string } }[]).map((tool) => tool.function.name);
    const calls = (body.messages[0]?.["tool_calls"] ?? []) as { function: { name: string } }[];
    const called = calls.map((entry) => entry.function.name);
    expect(called).toEqual(defined);
    expect(new Set(defined).size).toBe(4);
    expect(defined[1]).toBe("math_add");
    for (const name of defined) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(body["tool_choice"]).toEqual({ type: "function", function: { name: defined[0] } });
  });
});

describe("the settings of a request", () => {
  it("are named as the provider names them", async () => {
    const body = await sent(request({ settings: { temperature: 0, topP: 0.5, maxOutputTokens: 100, stop: ["END"] } }), {
      baseUrl: "http://localhost:1/v1",
    });
    expect(body).toMatchObject({ model: "m", temperature: 0, top_p: 0.5, max_tokens: 100, stop: ["END"] });
    expect(body).not.toHaveProperty("stream");
  });

  it("call the limit max_completion_tokens at OpenAI, and as told anywhere", async () => {
    const asked = request({ settings: { maxOutputTokens: 100 } });
    expect(await sent(asked)).toMatchObject({ max_completion_tokens: 100 });
    expect(await sent(asked, { maxTokensField: "max_tokens" })).toMatchObject({ max_tokens: 100 });
  });

  it("say nothing that was not asked for", async () => {
    expect(Object.keys(await sent(request({ settings: { stop: [] } })))).toEqual(["model", "messages"]);
  });

  it("ask for usage when streaming, unless turned off", async () => {
    expect(await sentStreaming()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(await sentStreaming({ streamUsage: false })).not.toHaveProperty("stream_options");
  });

  it("let extraBody add, replace and remove members", async () => {
    const body = await sent(request({ settings: { temperature: 1 } }), {
      extraBody: { reasoning_effort: "low", model: "other", temperature: undefined },
    });
    expect(body).toMatchObject({ reasoning_effort: "low", model: "other" });
    expect(body).not.toHaveProperty("temperature");
  });
});

describe("a reply asked for in JSON", () => {
  const responseFormat = { name: "the answer", schema: { type: "object", properties: { n: { type: "number" } } } };
  const asked = {
    ...asking({ role: "system", content: "Be brief." }, { role: "user", content: "n?" }),
    settings: { responseFormat },
  };

  it("is asked for by its schema", async () => {
    expect((await sent(asked, { strictSchemas: true }))["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "the_answer", schema: responseFormat.schema, strict: true },
    });
  });

  it("is asked for as an object, the schema standing in the instructions", async () => {
    const body = await sent(asked, { jsonMode: "json_object" });
    expect(body["response_format"]).toEqual({ type: "json_object" });
    expect(body.messages[0]?.["content"]).toMatch(/^Be brief\.\n+Answer with one JSON object[\s\S]*"type":"number"/);
  });

  it("is asked for by words alone, also without a system message", async () => {
    const body = await sent({ ...request(), settings: { responseFormat } }, { jsonMode: "instructions" });
    expect(body).not.toHaveProperty("response_format");
    expect(body.messages.map((message) => message["role"])).toEqual(["system", "user"]);
  });
});

describe("earlier reasoning", () => {
  const thought: Message = {
    role: "assistant",
    content: "",
    toolCalls: [call],
    reasoning: [{ text: "hm" }, { text: "", provider: "anthropic", data: { x: 1 } }],
  };

  it("stays at home unless a field for it is named", async () => {
    const [message] = await sentMessages([thought]);
    expect(message).not.toHaveProperty("reasoning_content");
    expect(message).not.toHaveProperty("reasoning");
  });

  it.each(["reasoning_content", "reasoning"] as const)(
    "goes back as %s, and beside every call",
    async (sendReasoning) => {
      const messages = await sentMessages(
        [thought, { role: "assistant", content: "", toolCalls: [call] }, { role: "assistant", content: "a" }],
        { sendReasoning },
      );
      expect(messages.map((message) => message[sendReasoning])).toEqual(["hm", "", undefined]);
    },
  );

  it("that is opaque goes back unchanged to the endpoint it came from, and to no other", async () => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "sig", index: 0 }];
    const signature = { google: { thought_signature: "s1" } };
    const message = {
      content: null,
      reasoning_details: details,
      tool_calls: [{ id: "call_1", function: { name: "add", arguments: "{}" }, extra_content: signature }],
    };
    const { fetch } = fetchOf([JSON.stringify(completion(message))]);
    const baseUrl = "https://openrouter.example/api/v1";
    const answer = await openaiModel({ model: "m", fetch, baseUrl }).generate(request(), callContext());
    const history: Message = {
      role: "assistant",
      content: "",
      toolCalls: answer.toolCalls,
      reasoning: answer.reasoning,
    };
    const [back] = await sentMessages([history], { baseUrl });
    expect(back).toMatchObject({ reasoning_details: details, tool_calls: [{ extra_content: signature }] });
    const [elsewhere] = await sentMessages([history]);
    expect(JSON.stringify(elsewhere)).not.toMatch(/sig|s1/);
  });

  it("that is opaque is put together from the pieces of a stream", async () => {
    const piece = (more: object) => delta({ reasoning_details: [{ type: "reasoning.text", index: 0, ...more }] });
    const encrypted = { type: "reasoning.encrypted", data: "zz", index: 0 };
    const stream = sse(
      piece({ text: "h" }),
      piece({ text: "m", signature: null }),
      piece({ signature: "sig" }),
      delta({ reasoning_details: [encrypted] }),
      delta({ content: "a" }),
      delta({}, "stop"),
    );
    const { fetch } = fetchOf([stream]);
    const blocks: unknown[] = [];
    for await (const event of openaiModel({ model: "m", fetch }).stream(request(), callContext())) {
      if (event.type === "reasoning" && event.data !== undefined) blocks.push(event);
    }
    const details = [{ type: "reasoning.text", index: 0, text: "hm", signature: "sig" }, encrypted];
    expect(blocks).toEqual([
      {
        type: "reasoning",
        text: "",
        provider: "openai",
        data: { origin: "https://api.openai.com", reasoning_details: details },
      },
    ]);
  });
});
