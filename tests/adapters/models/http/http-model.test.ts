import { describe, expect, it } from "vitest";
import { type HttpModelOptions, httpModel } from "../../../../src/adapters/models/http/http-model.ts";
import type { ModelEvent, ModelRequest } from "../../../../src/contract/model.ts";
import { ModelError } from "../../../../src/errors/index.ts";
import { addTool, asking, callContext, collect, failureOf, fetchOf, KEY, request } from "../support.ts";

interface Said {
  readonly say: string;
}

const OPTIONS: HttpModelOptions<Said> = {
  model: "m",
  baseUrl: "http://127.0.0.1/api",
  path: "/talk",
  toBody: ({ messages, tools, settings }, how) => ({ messages, tools, settings, how }),
  toResponse: ({ say }) => ({ content: say.trim(), toolCalls: [] }),
};

const modelOf = (text: string, options: Partial<HttpModelOptions<Said, never>> = {}, headers = {}) =>
  httpModel({ ...OPTIONS, fetch: fetchOf([text], { headers }).fetch, ...options });
const answer = (text: string, options: Partial<HttpModelOptions<Said, never>> = {}) =>
  modelOf(text, options).generate(request({ tools: [addTool] }), callContext());

/** What a request became. */
async function sent(asked: ModelRequest, options: Partial<HttpModelOptions<Said>> = {}) {
  const { fetch, seen } = fetchOf(['{"say":"ok"}']);
  await httpModel({ ...OPTIONS, fetch, ...options }).generate(asked, callContext());
  const { body, headers } = seen.init ?? {};
  return { body: JSON.parse(String(body)), headers: headers as Record<string, string> };
}

describe("a model over HTTP", () => {
  it("asks with what `toBody` wrote and answers with what `toResponse` read", async () => {
    const { fetch, seen } = fetchOf(['{"say":" 55 "}']);
    const model = httpModel({ ...OPTIONS, fetch, apiKey: KEY });
    expect(await model.generate(request(), callContext())).toEqual({ content: "55", toolCalls: [] });
    expect(seen.calls).toBe(1);
    expect(seen.init).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${KEY}` } });
    expect(model.name).toBe("http:m");
    expect(model.stream).toBeUndefined();
  });

  it("gives names that providers take, arguments as text, and no message that they refuse", async () => {
    const history = asking(
      { role: "user", content: "Go." },
      { role: "assistant", content: " ", toolCalls: [] },
      { role: "assistant", content: "Yes.", toolCalls: [] },
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "files.read", arguments: { q: 1 } }] },
      { role: "tool", toolCallId: "a", name: "files.read", content: "text" },
    );
    const tools = [{ ...addTool, name: "files.read" }];
    const { body } = await sent({ ...history, tools, settings: { toolChoice: { tool: "files.read" } } });
    expect(body).toMatchObject({
      messages: [
        { role: "user", content: "Go." },
        { role: "assistant", content: "Yes." },
        { role: "assistant", content: "", toolCalls: [{ id: "a", name: "files_read", arguments: '{"q":1}' }] },
        { role: "tool", toolCallId: "a", name: "files_read", content: "text" },
      ],
      tools: [{ name: "files_read", parameters: addTool.parameters }],
      settings: { toolChoice: { tool: "files_read" } },
      how: { model: "m", stream: false },
    });
    expect(body.messages[1]).not.toHaveProperty("toolCalls");
  });

  it("sends headers and members of the host's own, without lone surrogates", async () => {
    const options = { headers: { "x-api-key": "k-123456789" }, extraBody: { seed: 7, how: undefined } };
    const { body, headers } = await sent(asking({ role: "user", content: "a\ud800b" }), options);
    expect(headers).toMatchObject({ "x-api-key": "k-123456789" });
    expect(headers).not.toHaveProperty("authorization");
    expect(body).toMatchObject({ seed: 7, messages: [{ content: "a\ufffdb" }] });
    expect(body).not.toHaveProperty("how");
  });

  it("turns the names of calls back, whole and streamed", async () => {
    const tools = [{ ...addTool, name: "files.read" }];
    const called = { id: "a", name: "files_read", arguments: "{}" };
    const events: ModelEvent[] = [
      { type: "toolCall", index: 0, ...called },
      { type: "toolCall", index: 0, arguments: "" },
      { type: "finish", finishReason: "toolCalls" },
    ];
    const options = { toResponse: () => ({ content: "", toolCalls: [called] }), toEvents: () => events };
    const whole = await modelOf("{}", options).generate(request({ tools }), callContext());
    const streaming = modelOf("data: {}\n\n", options);
    const streamed = await collect(streaming.stream?.(request({ tools }), callContext()) as AsyncIterable<ModelEvent>);
    expect(whole.toolCalls).toEqual([{ ...called, name: "files.read" }]);
    expect(streamed.toolCalls).toEqual(whole.toolCalls);
  });

  it("tells the request id that the server gave, unless the answer has one", async () => {
    const headers = { "x-request-id": "req_1" };
    expect(await modelOf('{"say":"a"}', {}, headers).generate(request(), callContext())).toMatchObject({
      requestId: "req_1",
    });
    const toResponse = () => ({ content: "a", toolCalls: [], requestId: "mine" });
    const own = modelOf("{}", { toResponse }, headers);
    expect(await own.generate(request(), callContext())).toMatchObject({ requestId: "mine" });
  });

  it.each<[string, string, Partial<HttpModelOptions<Said, never>>, string]>([
    ["a document of another shape", '{"text":"a"}', {}, "does not look as the API describes it"],
    ["an answer that is none", "{}", { toResponse: () => undefined as never }, "gave no answer"],
    ["a page", "<html>", {}, "not the JSON of an answer"],
    ["an error inside a 200", '{"error":{"message":"boom"}}', {}, "boom"],
  ])("takes %s for a bad response", async (_name, text, options, words) => {
    const failure = await failureOf(answer(text, options));
    expect(failure).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE" });
    expect(failure.message).toContain(words);
  });

  it("takes no code and message for an error, which belong to the answers of some APIs", async () => {
    const toResponse = (said: object) => ({ content: JSON.stringify(said), toolCalls: [] });
    expect((await answer('{"code":0,"message":"ok"}', { toResponse })).content).toBe('{"code":0,"message":"ok"}');
    const failure = await failureOf(answer('{"type":"error","message":"Overloaded"}', { toResponse }));
    expect(failure.message).toContain("Overloaded");
  });

  it("lets an error through that the host's function made", async () => {
    const refused = new ModelError("No.", { code: "MODEL_CONTENT_FILTERED" });
    const toResponse = () => {
      throw refused;
    };
    expect(await failureOf(answer("{}", { toResponse }))).toBe(refused);
  });

  it("gives the finish of a stream last and once, and fails without one or with an error in it", async () => {
    const toEvents = ({ say }: Said): ModelEvent[] =>
      say === "end" ? [{ type: "finish", finishReason: "stop" }] : [{ type: "text", text: say.trim() }];
    const types = async (text: string) => {
      const seen: string[] = [];
      const stream = httpModel({ ...OPTIONS, fetch: fetchOf([text]).fetch, toEvents }).stream;
      for await (const { type } of stream?.(request(), callContext()) ?? []) seen.push(type);
      return seen;
    };
    const event = (say: unknown) => `data: ${JSON.stringify({ say })}\n\n`;
    expect(await types(event("end") + event("a") + event("end"))).toEqual(["text", "finish"]);
    expect(await failureOf(types(event("a")))).toMatchObject({ code: "MODEL_BAD_RESPONSE" });
    expect((await failureOf(types(event(7)))).message).toContain("as the API describes it");
    const report = 'data: {"error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    expect(await failureOf(types(event("a") + report))).toMatchObject({ code: "MODEL_OVERLOADED" });
  });

  it.each([
    [undefined, "takes an object"],
    [{ ...OPTIONS, model: "" }, "needs `model`"],
    [{ ...OPTIONS, baseUrl: undefined }, "needs `baseUrl`"],
    [{ ...OPTIONS, baseUrl: "nowhere" }, "`baseUrl` must be an address"],
    [{ ...OPTIONS, path: undefined }, "needs `path`"],
    [{ ...OPTIONS, path: "talk" }, "needs `path`"],
    [{ ...OPTIONS, toBody: undefined }, "needs `toBody`, a function"],
    [{ ...OPTIONS, toResponse: {} }, "needs `toResponse`, a function"],
    [{ ...OPTIONS, toEvents: [] }, "needs `toEvents`, a function"],
  ])("refuses %j in words that help", (wrong, words) => {
    expect(() => httpModel(wrong as never)).toThrow(TypeError);
    expect(() => httpModel(wrong as never)).toThrow(words);
  });
});
