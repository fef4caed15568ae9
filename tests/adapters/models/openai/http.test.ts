import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenAIModelOptions, openaiModel } from "../../../../src/adapters/models/openai/index.ts";
import { type FakeProvider, fakeProvider } from "../../../../src/testing/fake-provider/fake-provider.ts";
import type { FakeCut, FakeReply, FakeTransport } from "../../../../src/testing/fake-provider/reply.ts";
import { addTool, assemble, callContext, failureOf, KEY, request, untilFailure } from "./support.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await fakeProvider();
});
afterEach(() => provider.close());

function model(options: Partial<OpenAIModelOptions> = {}) {
  return openaiModel({ model: "fake", apiKey: KEY, baseUrl: provider.baseUrl, ...options });
}

const generate = (signal?: AbortSignal) => model().generate(request(), callContext(signal));
const stream = (signal?: AbortSignal) => model().stream(request({ tools: [addTool] }), callContext(signal));

const ANSWER = {
  text: ["né€", "😀工"],
  toolCalls: [{ name: "add", arguments: { a: 1, b: 2 }, id: "c1" }],
  usage: { inputTokens: 3, outputTokens: 4 },
};
const ASSEMBLED = {
  text: "né€😀工",
  reasoning: "",
  calls: [{ id: "c1", name: "add", arguments: '{"a":1,"b":2}' }],
  finishes: ["toolCalls"],
  usage: { inputTokens: 3, outputTokens: 4 },
};

describe("over a real connection", () => {
  it("a whole answer and a stream say the same", async () => {
    provider.reply(ANSWER, ANSWER);
    expect(await generate()).toMatchObject({
      content: "né€😀工",
      toolCalls: [{ id: "c1", name: "add", arguments: '{"a":1,"b":2}' }],
      finishReason: "toolCalls",
      usage: { inputTokens: 3, outputTokens: 4 },
    });
    expect(await assemble(stream())).toEqual(ASSEMBLED);
  });

  it.each<[string, FakeTransport]>([
    ["one byte per chunk", { split: 1 }],
    ["chunks cut at odd places", { split: [1, 7, 64, 65, 200, 333] }],
    ["CRLF", { lineEnd: "\r\n", split: 5 }],
    ["lone CR", { lineEnd: "\r", split: 5 }],
    ["a BOM", { bom: true, split: 1 }],
    ["comments", { comments: true }],
    ["slow headers and pauses", { headerDelayMs: 20, pieceDelayMs: 2 }],
  ])("a stream survives %s", async (_name, transport) => {
    provider.reply({ ...ANSWER, transport });
    expect(await assemble(stream())).toEqual(ASSEMBLED);
  });

  it("one connection serves call after call, whole answers, streams and errors", async () => {
    // The end of the body comes a moment after [DONE].
    const slow = { ...ANSWER, transport: { pieceDelayMs: 3 } };
    provider.reply(ANSWER, slow, { status: 500, body: { error: { message: "no" } } }, slow, ANSWER);
    const calls = [generate, () => assemble(stream()), () => failureOf(generate()), () => assemble(stream()), generate];
    for (const call of calls) {
      await call();
      await sleep(20); // What a tool call takes at least; the end of a stream is read away meanwhile.
    }
    expect(new Set(provider.requests.map((asked) => asked.connection)).size).toBe(1);
  });

  it("a stream ends at [DONE] even when the server keeps the connection open, which is then closed", async () => {
    provider.reply({
      raw: 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      transport: { cut: { afterBytes: 10_000, how: "stall" } },
    });
    expect(await assemble(stream())).toMatchObject({ text: "a", finishes: ["stop"] });
    expect(await provider.requests[0]?.closed).toBe("cancelled");
  });

  it("leaving a stream early closes the connection", async () => {
    provider.reply({ ...ANSWER, transport: { pieceDelayMs: 20 } });
    for await (const event of stream()) {
      expect(event.type).toBe("text");
      break;
    }
    expect(await provider.requests[0]?.closed).toBe("cancelled");
  });

  it("each call makes one request, whatever comes back", async () => {
    provider.reply({ status: 500 }, { status: 429 }, { hangUp: "reset" });
    for (let call = 1; call <= 3; call++) {
      await failureOf(generate());
      expect(provider.requests).toHaveLength(call);
    }
  });
});

describe("a connection that breaks", () => {
  const cutStream = (how: FakeCut["how"], afterBytes: number): FakeReply => ({
    ...ANSWER,
    transport: { cut: { afterBytes, how } },
  });

  it.each([
    ["fin", "MODEL_NETWORK"],
    ["reset", "MODEL_NETWORK"],
    ["end", "MODEL_BAD_RESPONSE"],
  ] as const)("by %s in the middle of a stream is an error, not an answer", async (how, code) => {
    provider.reply(cutStream(how, 500));
    const { events, error } = await untilFailure(stream());
    expect(error).toMatchObject({ kind: "model", code, retryable: true });
    expect(events.some((event) => event.type === "finish")).toBe(false);
  });

  it.each([
    ["fin", "MODEL_NETWORK"],
    ["reset", "MODEL_NETWORK"],
    ["end", "MODEL_BAD_RESPONSE"],
  ] as const)("by %s in the middle of a document is an error", async (how, code) => {
    provider.reply(cutStream(how, 100));
    expect(await failureOf(generate())).toMatchObject({ kind: "model", code, retryable: true });
  });

  it.each(["fin", "reset"] as const)("by %s before any answer is a network error", async (hangUp) => {
    provider.reply({ hangUp });
    expect(await failureOf(generate())).toMatchObject({ kind: "model", code: "MODEL_NETWORK", retryable: true });
  });

  it.each(["fin", "reset"] as const)("by %s behind the finish reason takes nothing from the answer", async (how) => {
    const whole = 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n';
    provider.reply({
      raw: `${whole}: more`,
      transport: { split: [whole.length], pieceDelayMs: 10, cut: { afterBytes: whole.length + 2, how } },
    });
    expect(await assemble(stream())).toMatchObject({ text: "a", finishes: ["stop"] });
  });

  it("to a port where nobody listens is a network error", async () => {
    await provider.close();
    expect(await failureOf(generate())).toMatchObject({ kind: "model", code: "MODEL_NETWORK", retryable: true });
    expect((await untilFailure(stream())).error).toMatchObject({ code: "MODEL_NETWORK" });
  });
});

describe("an abort", () => {
  it.each<[string, FakeReply]>([
    ["before the headers", { hangUp: "stall" }],
    ["in the middle of the body", { ...ANSWER, transport: { cut: { afterBytes: 40, how: "stall" } } }],
    [
      "in the middle of an error body",
      { status: 500, body: "Internal", transport: { cut: { afterBytes: 3, how: "stall" } } },
    ],
  ])("%s settles the call with its reason and closes the connection", async (_name, reply) => {
    for (const kind of ["generate", "stream"] as const) {
      provider.reply(reply);
      const controller = new AbortController();
      const pending = kind === "generate" ? generate(controller.signal) : assemble(stream(controller.signal));
      setTimeout(() => controller.abort(new Error("user clicked stop")), 30);
      expect(await failureOf(pending)).toMatchObject({
        code: "RUN_ABORTED",
        retryable: false,
        message: "user clicked stop",
      });
      expect(await provider.requests.at(-1)?.closed).toBe("cancelled");
    }
  });
});

describe("an HTTP error", () => {
  it.each([
    [400, { error: { message: "Bad schema" } }, "MODEL_INVALID_REQUEST", false],
    [400, { error: { message: "too long", code: "context_length_exceeded" } }, "MODEL_CONTEXT_OVERFLOW", false],
    [401, { error: { message: "Incorrect API key provided", code: "invalid_api_key" } }, "MODEL_AUTH", false],
    [402, { error: { message: "Pay first" } }, "MODEL_QUOTA_EXCEEDED", false],
    [403, { error: { message: "Not your region" } }, "MODEL_FORBIDDEN", false],
    [404, { error: { message: "No such model" } }, "MODEL_NOT_FOUND", false],
    [429, { error: { message: "Slow down" } }, "MODEL_RATE_LIMITED", true],
    [429, { error: { message: "No credit", code: "insufficient_quota" } }, "MODEL_QUOTA_EXCEEDED", false],
    [500, { error: { message: "Oops" } }, "MODEL_SERVER_ERROR", true],
    [502, "<html><title>Bad Gateway</title></html>", "MODEL_SERVER_ERROR", true],
    [503, "", "MODEL_OVERLOADED", true],
  ] as const)("of status %i with %j is %s", async (status, body, code, retryable) => {
    provider.reply({ status, body }, { status, body });
    const said = typeof body === "string" ? String(status) : body.error.message;
    const expected = { kind: "model", code, status, retryable, message: expect.stringContaining(said) };
    expect(await failureOf(generate())).toMatchObject(expected);
    expect((await untilFailure(stream())).error).toMatchObject(expected);
  });

  it("keeps the provider's code, its request id and the wait it asked for", async () => {
    provider.reply({
      status: 429,
      headers: { "retry-after": "7", "x-request-id": "req_7" },
      body: { error: { message: "Slow down", code: "rate_limit_exceeded" } },
    });
    expect(await failureOf(generate())).toMatchObject({
      retryAfterMs: 7000,
      requestId: "req_7",
      providerCode: "rate_limit_exceeded",
    });
  });

  it("keeps its status when its body breaks off", async () => {
    provider.reply({
      status: 401,
      body: { error: { message: "no" } },
      transport: { cut: { afterBytes: 5, how: "reset" } },
    });
    expect(await failureOf(generate())).toMatchObject({ code: "MODEL_AUTH", status: 401 });
  });
});

describe("a redirect", () => {
  it.each([307, 308])("of status %i within the same origin is followed with method, key and body", async (status) => {
    provider.reply({ status, headers: { location: "/v2/chat/completions" } }, { text: "moved" });
    expect((await generate()).content).toBe("moved");
    expect(provider.requests.map((asked) => [asked.method, asked.path])).toEqual([
      ["POST", "/v1/chat/completions"],
      ["POST", "/v2/chat/completions"],
    ]);
    expect(provider.requests[1]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(provider.requests[1]?.rawBody).toBe(provider.requests[0]?.rawBody);
  });

  it.each([301, 302, 303, 307, 308])(
    "of status %i to another origin is refused, and nothing is sent there",
    async (status) => {
      const other = await fakeProvider({ replies: [{ text: "gotcha" }] });
      provider.reply({ status, headers: { location: `${other.baseUrl}/chat/completions?key=${KEY}` } });
      const error = await failureOf(generate());
      await other.close();
      expect(error).toMatchObject({
        code: "MODEL_INVALID_REQUEST",
        status,
        message: expect.stringContaining("Set `baseUrl`"),
      });
      expect(error.message).toContain(other.url);
      expect(error.message).not.toContain(KEY);
      expect(other.requests).toEqual([]);
    },
  );

  it("that goes in circles is refused", async () => {
    for (let hop = 0; hop < 5; hop++) provider.reply({ status: 307, headers: { location: "/v1/chat/completions" } });
    expect(await failureOf(generate())).toMatchObject({ code: "MODEL_INVALID_REQUEST" });
    expect(provider.requests).toHaveLength(4);
  });
});

describe("secrets", () => {
  const SECRET = "team-credential-without-a-known-form";
  const options = { apiKey: SECRET, headers: { "api-key": `${SECRET}-2`, "x-team": "search-team" } };
  const quoting = `You sent ${SECRET} and ${SECRET}-2, search-team`;

  it.each<[string, FakeReply]>([
    [
      "an HTTP error",
      { status: 401, body: { error: { message: quoting, code: SECRET } }, headers: { "x-request-id": SECRET } },
    ],
    ["an HTTP error in text", { status: 500, body: quoting }],
    ["an error inside a 200", { raw: JSON.stringify({ error: { message: quoting } }) }],
    ["a page instead of an answer", { raw: `<p>${quoting}</p>` }],
    ["an event that is no JSON", { raw: `data: ${quoting}\n\n` }],
  ])("quoted by %s do not show up anywhere in the failure", async (_name, reply) => {
    provider.reply(reply, reply);
    const errors = [
      await failureOf(model(options).generate(request(), callContext())),
      (await untilFailure(model(options).stream(request(), callContext()))).error,
    ];
    for (const error of errors) {
      expect(error?.kind).toBe("model");
      expect(error?.message).toContain("[redacted]");
      expect(`${error?.message}${JSON.stringify(error)}${inspect(error)}`).not.toContain(SECRET);
    }
  });

  it("quoted by what fetch throws do not show up either", async () => {
    const fetch = (() => Promise.reject(new Error(quoting))) as typeof globalThis.fetch;
    const error = await failureOf(model({ ...options, fetch }).generate(request(), callContext()));
    expect(`${error.message}${JSON.stringify(error)}${inspect(error)}`).not.toContain(SECRET);
  });
});

describe("a server that does not speak HTTP", () => {
  it("is a bad response", async () => {
    const server = createServer().on("connection", (socket) => {
      socket.on("error", () => {});
      socket.end("SSH-2.0-OpenSSH_9\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await failureOf(openaiModel({ model: "m", baseUrl }).generate(request(), callContext()));
    server.close();
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE" });
  });
});
