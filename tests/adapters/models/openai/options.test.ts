import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapNames } from "../../../../src/adapters/models/http/names.ts";
import { type OpenAIModelOptions, openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import { callContext, fetchOf, KEY, request } from "../support.ts";
import { completion } from "./support.ts";

async function sent(options: Partial<OpenAIModelOptions>) {
  const calls: { url: string; headers: Record<string, string> }[] = [];
  const { fetch } = fetchOf([JSON.stringify(completion({ content: "ok" }))]);
  const spy = ((url: string, init: RequestInit) => {
    calls.push({ url, headers: init.headers as Record<string, string> });
    return fetch(url, init);
  }) as typeof globalThis.fetch;
  await openaiModel({ model: "m", fetch: spy, ...options }).generate(request(), callContext());
  return calls[0];
}

describe("openaiModel", () => {
  it("is named after its model unless a name is given", () => {
    expect(openaiModel({ model: "gpt-5" }).name).toBe("openai:gpt-5");
    expect(openaiModel({ model: "gpt-5", name: "main" }).name).toBe("main");
  });

  it.each([
    [undefined, "https://api.openai.com/v1/chat/completions"],
    ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"],
    ["http://127.0.0.1:11434/v1///", "http://127.0.0.1:11434/v1/chat/completions"],
    [" https://x.example/v1/chat/completions\n", "https://x.example/v1/chat/completions"],
    [
      "https://x.example/openai/deployments/d?api-version=1",
      "https://x.example/openai/deployments/d/chat/completions?api-version=1",
    ],
  ])("takes %j as the address", async (baseUrl, url) => {
    expect((await sent({ baseUrl }))?.url).toBe(url);
  });

  it("sends the key as a bearer token, trimmed, and none when there is none", async () => {
    expect((await sent({ apiKey: ` ${KEY}\n` }))?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect((await sent({ apiKey: "" }))?.headers).not.toHaveProperty("authorization");
    expect((await sent({}))?.headers).not.toHaveProperty("authorization");
  });

  it("lets headers of the host win, and leaves out those that are undefined", async () => {
    const headers = (
      await sent({ apiKey: KEY, headers: { Authorization: "Custom abc", "X-Team": "search", "x-none": undefined } })
    )?.headers;
    expect(headers).toEqual({
      "content-type": "application/json",
      accept: "application/json",
      authorization: "Custom abc",
      "x-team": "search",
    });
  });

  it("takes undefined for every option that may be left out", () => {
    const options: Required<OpenAIModelOptions> = {
      model: "m",
      apiKey: undefined,
      baseUrl: undefined,
      headers: undefined,
      fetch: undefined,
      extraBody: undefined,
      name: undefined,
      maxTokensField: undefined,
      systemRole: undefined,
      parallelToolCalls: undefined,
      strictSchemas: undefined,
      jsonMode: undefined,
      streamUsage: undefined,
      sendReasoning: undefined,
      thinkTags: undefined,
    };
    expect(openaiModel(options).name).toBe("openai:m");
  });

  it.each([
    ["no options", undefined, "{ model:"],
    ["no model", {}, "needs `model`"],
    ["an empty model", { model: " " }, "needs `model`"],
    ["a base URL that is none", { model: "m", baseUrl: "api.openai.com" }, "`baseUrl` must be an address"],
    ["a base URL of another scheme", { model: "m", baseUrl: "file:///etc" }, "`baseUrl` must be an address"],
    [
      "a password in the base URL",
      { model: "m", baseUrl: "https://u:hunter22@x.example" },
      "must not hold a user name",
    ],
    ["a key that is no text", { model: "m", apiKey: 7 }, "`apiKey` must be a text"],
    ["a key that is null", { model: "m", apiKey: null }, "`apiKey` must be a text"],
    ["a key with a line end inside", { model: "m", apiKey: "sk-abc\ndef" }, "a character that no key has"],
    ["a key that is no ASCII", { model: "m", apiKey: "sk-abcé" }, "a character that no key has"],
    ["headers that are no object", { model: "m", headers: ["a"] }, "`headers` must be an object"],
    ["a header name that is none", { model: "m", headers: { "a b": "c" } }, "no name for a header"],
    ["a header value over two lines", { model: "m", headers: { a: "sk-abc\r\nx: y" } }, "on one line"],
    ["a fetch that is no function", { model: "m", fetch: {} }, "`fetch` must be a function"],
    ["an extra body that is no object", { model: "m", extraBody: [] }, "`extraBody` must be an object"],
    ["an extra body that is no JSON", { model: "m", extraBody: { n: 1n } }, "plain JSON"],
    ["an unknown choice", { model: "m", jsonMode: "yaml" }, '"json_schema" or "json_object" or "instructions"'],
    ["a flag that is a text", { model: "m", streamUsage: "no" }, "`streamUsage` must be true or false"],
    ["a name that is empty", { model: "m", name: "" }, "`name` must be a text"],
  ])("refuses %s with a sentence that says what to write", (_name, options, words) => {
    const make = () => openaiModel(options as unknown as OpenAIModelOptions);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(
      expect.objectContaining({ code: "RUNTIME_INVALID_CONFIG", message: expect.stringContaining(words) }),
    );
    expect(make).not.toThrow(/sk-abc|hunter22/);
  });
});

describe("tool names on the wire", () => {
  it("are accepted, unique, reversible and equal for equal input, whatever the names are", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("a.b", "a_b", "a b", "a/b", "查", "查天气", "", "_", "x".repeat(64), "x".repeat(65)),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
        const map = mapNames(names);
        const wires = names.map((each) => map.toWire(each));
        for (const wire of wires) expect(wire).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(new Set(wires).size).toBe(names.length);
        expect(wires.map((wire) => map.fromWire(wire))).toEqual(names);
        expect(names.map((each) => mapNames(names).toWire(each))).toEqual(wires);
      }),
    );
  });

  it("stay what they are where the provider takes them, whatever else is registered", () => {
    expect(mapNames(["a.b", "a_b"]).toWire("a_b")).toBe("a_b");
    expect(mapNames(["a.b"]).toWire("a.b")).toBe("a_b");
  });
});
