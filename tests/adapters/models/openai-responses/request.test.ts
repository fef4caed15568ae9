import { describe, expect, it } from "vitest";
import { openaiResponsesModel } from "../../../../src/adapters/models/openai-responses/index.ts";
import type { Message } from "../../../../src/contract/message.ts";
import type { ModelSettings } from "../../../../src/contract/model.ts";
import { addTool, asking, callContext, collect, failureOf, KEY, request } from "../support.ts";
import {
  call,
  completed,
  generateFrom,
  item,
  message,
  modelOf,
  refusal,
  response,
  sent,
  sse,
  streamOf,
  thought,
} from "./support.ts";

const user: Message = { role: "user", content: "Hi" };
const input = async (...messages: Message[]) => (await sent(asking(...messages))).body["input"];

describe("a request", () => {
  it("goes to /responses with the key, stores nothing and asks for encrypted reasoning", async () => {
    const { headers, body } = await sent(request());
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(body).toEqual({
      model: "m",
      input: [{ role: "user", content: "What is 17 + 38?" }],
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });

  it.each([
    [undefined, "https://api.openai.com/v1/responses"],
    [
      "https://x.openai.azure.com/openai/v1?api-version=preview",
      "https://x.openai.azure.com/openai/v1/responses?api-version=preview",
    ],
    ["https://gate.example/v1/responses", "https://gate.example/v1/responses"],
  ])("with the base URL %s goes to %s", async (baseUrl, url) => {
    const asked: string[] = [];
    const fetch = async (address: unknown) => {
      asked.push(String(address));
      return new Response(JSON.stringify(response([message("ok")])));
    };
    await openaiResponsesModel({ model: "m", baseUrl, fetch: fetch as typeof globalThis.fetch }).generate(
      request(),
      callContext(),
    );
    expect(asked).toEqual([url]);
  });

  it("has the leading system messages as instructions, later ones in their place", async () => {
    const { body } = await sent(
      asking({ role: "system", content: "Be brief." }, { role: "system", content: "Be kind." }, user, {
        role: "system",
        content: "It is late.",
      }),
    );
    expect(body["instructions"]).toBe("Be brief.\n\nBe kind.");
    expect(body["input"]).toEqual([
      { role: "user", content: "Hi" },
      { role: "developer", content: "It is late." },
    ]);
  });

  it("has answers, calls and results as items, and nothing that the API refuses", async () => {
    const long = "x".repeat(80);
    const toolCalls = [
      { id: "a", name: "add", arguments: { n: 1 } },
      { id: long, name: "add", arguments: '{"n":' },
    ];
    const items = (await input(
      user,
      { role: "assistant", content: "I add.", toolCalls },
      { role: "tool", toolCallId: "a", name: "add", content: "1" },
      { role: "tool", toolCallId: long, name: "add", content: "", isError: true },
    )) as Record<string, unknown>[];
    const shortened = items[3]?.["call_id"];
    expect(items).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "I add." },
      { type: "function_call", call_id: "a", name: "add", arguments: '{"n":1}' },
      { type: "function_call", call_id: shortened, name: "add", arguments: '{"_unparsed":"{\\"n\\":"}' },
      { type: "function_call_output", call_id: "a", output: "1" },
      { type: "function_call_output", call_id: shortened, output: "(no output)" },
    ]);
    expect(String(shortened).length).toBeLessThanOrEqual(64);
  });

  it("holds images of users and tools", async () => {
    const image = { type: "image", url: "data:image/png;base64,aGk=" } as const;
    const wired = { type: "input_image", image_url: image.url };
    expect(
      await input(
        { role: "user", content: [{ type: "text", text: "Look" }, image] },
        { role: "assistant", content: "", toolCalls: [{ id: "a", name: "shot", arguments: {} }] },
        { role: "tool", toolCallId: "a", name: "shot", content: [image] },
      ),
    ).toMatchObject([
      { content: [{ type: "input_text", text: "Look" }, wired] },
      {},
      { type: "function_call_output", output: [wired] },
    ]);
  });

  it("maps the names of tools, and the answer's back", async () => {
    const asked = request({
      tools: [
        { ...addTool, name: "math.add" },
        { ...addTool, name: "查天气" },
      ],
    });
    const names = ((await sent(asked)).body["tools"] as { name: string }[]).map(({ name }) => name);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const calls = names.map((name, index) => call(`c${index}`, name, "{}"));
    const whole = await generateFrom(response(calls), asked);
    const streamed = await collect(
      streamOf([sse(...calls.flatMap((whole, at) => item(at, whole)), completed())], asked),
    );
    for (const { toolCalls } of [whole, streamed])
      expect(toolCalls.map(({ name }) => name)).toEqual(["math.add", "查天气"]);
  });
});

describe("settings", () => {
  const body = async (settings: ModelSettings, options = {}) =>
    (await sent(request({ tools: [addTool], settings }), options)).body;

  it("tools go with their schema as it is, never strict by omission", async () => {
    expect((await body({}))["tools"]).toEqual([
      {
        type: "function",
        name: "add",
        description: addTool.description,
        parameters: addTool.parameters,
        strict: false,
      },
    ]);
    expect((await body({}, { strictSchemas: true }))["tools"]).toMatchObject([{ strict: true }]);
  });

  it("a union at the root of a schema becomes one object, which the API takes", async () => {
    const parameters = { type: "object", anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] };
    const { body: asked } = await sent(request({ tools: [{ ...addTool, parameters }] }));
    expect(asked["tools"]).toMatchObject([{ parameters: { type: "object", properties: { a: {}, b: {} } } }]);
    expect(JSON.stringify(asked)).not.toContain("anyOf");
  });

  it.each<[ModelSettings["toolChoice"], unknown]>([
    [undefined, undefined],
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ tool: "add" }, { type: "function", name: "add" }],
  ])("the tool choice %j is sent as %j", async (toolChoice, expected) => {
    expect((await body({ toolChoice }))["tool_choice"]).toEqual(expected);
  });

  it("sampling and the limit have the API's names, and stops are left out", async () => {
    const asked = await body({ temperature: 0.5, topP: 0.9, maxOutputTokens: 100, stop: ["END"] });
    expect(asked).toMatchObject({ temperature: 0.5, top_p: 0.9, max_output_tokens: 100 });
    expect(JSON.stringify(asked)).not.toContain("END");
  });

  it("a reply in JSON is asked for by its schema", async () => {
    const responseFormat = { name: "the reply", schema: { type: "object", properties: {} } };
    expect((await body({ responseFormat }))["text"]).toEqual({
      format: { type: "json_schema", name: "the_reply", schema: responseFormat.schema, strict: false },
    });
    expect((await body({ responseFormat }, { strictSchemas: true }))["text"]).toMatchObject({
      format: { strict: true, schema: { additionalProperties: false } },
    });
  });

  it("reasoning, storage and single calls are asked for as the options say", async () => {
    expect(
      await body({}, { reasoning: { effort: "low", summary: "auto" }, store: true, parallelToolCalls: false }),
    ).toMatchObject({
      reasoning: { effort: "low", summary: "auto" },
      store: true,
      parallel_tool_calls: false,
    });
  });

  it.each([
    ["gpt-5", true],
    ["o4-mini", true],
    ["gpt-4o", false],
    ["openai/gpt-4.1", false],
    ["gpt-5-chat-latest", false],
  ])("of %s encrypted reasoning is asked for: %s", async (model, expected) => {
    expect("include" in (await body({}, { model }))).toBe(expected);
    expect("include" in (await body({}, { model, keepReasoning: !expected }))).toBe(!expected);
  });

  it("extra members are merged last", async () => {
    expect(await body({}, { extraBody: { store: undefined, user: "u" } })).not.toHaveProperty("store");
  });
});

describe("reasoning", () => {
  const asked = request({ tools: [addTool] });
  const plain = ({ id: _id, ...rest }: Record<string, unknown>) => rest;

  it("goes back unchanged, in the place where it stood, after a whole answer and after a stream", async () => {
    const output = [
      thought("rs_1", "hm"),
      message("I add."),
      thought("rs_2"),
      call("a", "add", "{}"),
      thought("rs_3"),
      call("b", "add", "{}"),
    ];
    const expected = [
      output[0],
      { role: "assistant", content: "I add." },
      output[2],
      plain(output[3] ?? {}),
      output[4],
      plain(output[5] ?? {}),
    ];
    const whole = await generateFrom(response(output), asked);
    const streamed = await collect(
      streamOf([sse(...output.flatMap((each, at) => item(at, each)), completed())], asked),
    );
    for (const { content, toolCalls, reasoning } of [whole, streamed]) {
      const stored = JSON.parse(JSON.stringify({ role: "assistant", content, toolCalls, reasoning })) as Message;
      expect(((await input(user, stored)) as object[]).slice(1)).toEqual(expected);
    }
  });

  it("that the endpoint could not know again is left out: without its encrypted form, or without an answer", async () => {
    const open = { type: "reasoning", id: "rs_1", summary: [] };
    const { reasoning } = await generateFrom(response([open, message("ok")]), asked);
    expect(await input(user, { role: "assistant", content: "ok", reasoning })).toHaveLength(2);
    const stored = await sent(asking(user, { role: "assistant", content: "ok", reasoning }), { store: true });
    expect(stored.body["input"]).toHaveLength(3);
    const alone = await generateFrom(response([thought("rs_1"), message("")]), asked);
    expect(await input(user, { role: "assistant", content: "", reasoning: alone.reasoning })).toHaveLength(1);
  });

  it("does not go to another endpoint, to a model that does not reason, or out of another adapter", async () => {
    const { reasoning } = await generateFrom(response([thought("rs_1"), message("ok")]), asked);
    const there = modelOf([JSON.stringify(response([thought("rs_2"), message("ok")]))], {
      baseUrl: "https://b.example/v1",
    });
    const foreign = (await there.generate(asked, callContext())).reasoning;
    const said = { role: "assistant", content: "ok" } as const;
    expect(await input(user, { ...said, reasoning })).toHaveLength(3);
    expect(await input(user, { ...said, reasoning: foreign })).toHaveLength(2);
    const back = await sent(asking(user, { ...said, reasoning: foreign }), { baseUrl: "https://b.example/v1" });
    expect(back.body["input"]).toHaveLength(3);
    expect((await sent(asking(user, { ...said, reasoning }), { model: "gpt-4o" })).body["input"]).toHaveLength(2);
    const other = reasoning?.map((kept) => ({ ...kept, provider: "openai" }));
    expect(await input(user, { ...said, reasoning: other })).toHaveLength(2);
  });

  it("stays beside what the API's own tools did", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };
    const { content, reasoning } = await generateFrom(response([thought("rs_1"), search, message("Found.")]), asked);
    expect(await input(user, { role: "assistant", content, reasoning })).toEqual([
      { role: "user", content: "Hi" },
      thought("rs_1"),
      search,
      { role: "assistant", content: "Found." },
    ]);
  });
});

describe("a whole response", () => {
  it.each([
    [response([message("ok")]), "stop"],
    [response([message("ok")], { status: undefined }), "stop"],
    [response([call("a", "add", "{}")]), "toolCalls"],
    [response([refusal("No.")]), "filtered"],
    [
      response([message("ok")], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
      "length",
    ],
    [response([message("ok")], { status: "incomplete", incomplete_details: { reason: "content_filter" } }), "filtered"],
    [response([message("ok")], { status: "incomplete", incomplete_details: null }), "other"],
  ])("%j finishes as %s", async (document, finishReason) => {
    expect((await generateFrom(document)).finishReason).toBe(finishReason);
  });

  it.each([
    ["nothing", "", "MODEL_BAD_RESPONSE", "empty"],
    ["HTML", "<!DOCTYPE html><title>Sign in</title>", "MODEL_BAD_RESPONSE", "Sign in"],
    [
      "cut JSON",
      JSON.stringify(response([message("ok")])).slice(0, -3),
      "MODEL_BAD_RESPONSE",
      "not the JSON of a response",
    ],
    ["another API's document", { choices: [] }, "MODEL_BAD_RESPONSE", "no list `output`"],
    ["an item that is no object", response(["ok"]), "MODEL_BAD_RESPONSE", "no object"],
    ["a message without content", response([{ type: "message" }]), "MODEL_BAD_RESPONSE", "no list `content`"],
    ["a call without a name", response([{ type: "function_call" }]), "MODEL_BAD_RESPONSE", "without the name"],
    ["a response that is not finished", response([], { status: "queued" }), "MODEL_BAD_RESPONSE", "queued"],
    [
      "a failed response",
      response([], { status: "failed", error: { code: "server_error", message: "Boom" } }),
      "MODEL_SERVER_ERROR",
      "Boom",
    ],
    ["an error behind a 200", { error: { type: "server_error", message: "Boom" } }, "MODEL_SERVER_ERROR", "Boom"],
    [
      "one that a filter withheld",
      response([], { status: "incomplete", incomplete_details: { reason: "content_filter" } }),
      "MODEL_CONTENT_FILTERED",
      "filter",
    ],
  ])("is an error, not an answer: %s", async (_name, document, code, words) => {
    expect(await failureOf(generateFrom(document))).toMatchObject({
      kind: "model",
      code,
      message: expect.stringContaining(words),
    });
  });
});

describe("options", () => {
  it.each([
    [{ model: "" }, "needs `model`"],
    [{ reasoning: "low" }, "`reasoning`"],
    [{ store: "no" }, "`store`"],
    [{ keepReasoning: 1 }, "`keepReasoning`"],
    [{ parallelToolCalls: null }, "`parallelToolCalls`"],
    [{ strictSchemas: "yes" }, "`strictSchemas`"],
    [{ baseUrl: "ftp://x" }, "`baseUrl`"],
  ])("%j are refused when the model is made, in words that help", (wrong, words) => {
    const make = () => openaiResponsesModel({ model: "m", ...wrong } as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(words);
  });
});
