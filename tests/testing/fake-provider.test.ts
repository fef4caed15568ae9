import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeProvider, fakeProvider } from "../../src/testing/fake-provider/fake-provider.ts";
import type { FakeReply } from "../../src/testing/fake-provider/reply.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await fakeProvider();
});
afterEach(() => provider.close());

function post(body: object = {}, path = "/v1/chat/completions"): Promise<Response> {
  return fetch(`${provider.url}${path}`, { method: "POST", body: JSON.stringify({ model: "m-1", ...body }) });
}

async function bytesOf(reply: FakeReply): Promise<string> {
  provider.reply(reply);
  return (await post({ stream: true })).text();
}

/** The chunks as they are framed on the wire, which a client may see joined. */
async function piecesOf(reply: FakeReply): Promise<string[]> {
  provider.reply(reply);
  const socket = connect(Number(new URL(provider.url).port), "127.0.0.1");
  socket.setEncoding("latin1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  let received = "";
  for await (const piece of socket) received += piece;
  const body = received.slice(received.indexOf("\r\n\r\n") + 4);
  return readChunks(body);
}

function readChunks(body: string): string[] {
  const size = Number.parseInt(body, 16);
  const start = body.indexOf("\r\n") + 2;
  return size > 0 ? [body.slice(start, start + size), ...readChunks(body.slice(start + size + 2))] : [];
}

describe("fakeProvider", () => {
  it("answers in one document when no stream is asked for", async () => {
    provider.reply({
      text: ["a", "b"],
      toolCalls: [{ name: "add", arguments: { a: 1 } }],
      usage: { inputTokens: 1, outputTokens: 2 },
    });
    const response = await post();
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      model: "m-1",
      choices: [
        {
          message: {
            content: "ab",
            tool_calls: [{ id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } }],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    });
  });

  it("answers in events when a stream is asked for, with usage only when that is asked for", async () => {
    const reply = { text: ["a", "b"], usage: { inputTokens: 1, outputTokens: 2 } };
    const plain = await bytesOf(reply);
    expect(plain.match(/"content":"(.)"/g)).toHaveLength(2);
    expect(plain).not.toContain("usage");
    expect(plain.endsWith("data: [DONE]\n\n")).toBe(true);
    provider.reply(reply);
    expect(await (await post({ stream: true, stream_options: { include_usage: true } })).text()).toContain(
      '"choices":[],"usage"',
    );
  });

  it("plays replies in order, then says that none is scripted", async () => {
    provider.reply(
      { text: "one" },
      { status: 429, headers: { "retry-after": "3" }, body: { error: { message: "slow" } } },
    );
    expect((await post()).status).toBe(200);
    const second = await post();
    expect([second.status, second.headers.get("retry-after"), await second.json()]).toEqual([
      429,
      "3",
      { error: { message: "slow" } },
    ]);
    const third = await post();
    expect([third.status, await third.text()]).toEqual([500, expect.stringContaining("no reply is scripted")]);
  });

  it("lets a function choose the reply by what was asked", async () => {
    const choosing = await fakeProvider({
      replies: (request, index) => ({ status: 200, body: `${index} ${request.path}` }),
    });
    const ask = async () => (await fetch(`${choosing.url}/any?x=1`)).text();
    expect([await ask(), await ask()]).toEqual(["0 /any?x=1", "1 /any?x=1"]);
    await choosing.close();
  });

  it("reports a reply function that throws, instead of hanging", async () => {
    const broken = await fakeProvider({
      replies: () => {
        throw new Error("script error");
      },
    });
    const response = await fetch(broken.url);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("script error")]);
    await broken.close();
  });

  it("records what was asked", async () => {
    provider.reply({ text: "a" }, { status: 200, body: "b" });
    await (await post({ stream: false })).text();
    await (
      await fetch(`${provider.url}/x`, { method: "PUT", body: "no json", headers: { "X-Team": "search" } })
    ).text();
    expect(provider.requests).toMatchObject([
      { method: "POST", path: "/v1/chat/completions", body: { model: "m-1", stream: false } },
      { method: "PUT", path: "/x", body: undefined, rawBody: "no json", headers: { "x-team": "search" } },
    ]);
    expect(await provider.requests[0]?.closed).toBe("complete");
  });

  it("says that it speaks no dialect at an unknown path", async () => {
    provider.reply({ text: "a" });
    expect((await post({}, "/v1/unknown")).status).toBe(404);
  });
});

describe("the transport of fakeProvider", () => {
  const raw = "data: é\n\n";

  it("sends exact bytes, whole by default", async () => {
    expect(await bytesOf({ raw })).toBe(raw);
    expect(await bytesOf({ raw: Uint8Array.of(0x64, 0x0a) })).toBe("d\n");
  });

  it("splits after given positions, or into pieces of one size", async () => {
    expect(await piecesOf({ raw: "abcdef", transport: { split: [1, 4, 99] } })).toEqual(["a", "bcd", "ef"]);
    expect(await piecesOf({ raw: "abcde", transport: { split: 2 } })).toEqual(["ab", "cd", "e"]);
    expect(await piecesOf({ raw: "é", transport: { split: 1 } })).toEqual(["\u00c3", "\u00a9"]);
  });

  it("sends each event of a stream as a piece of its own", async () => {
    expect(await piecesOf({ events: [{ a: 1 }, "[DONE]"] })).toEqual(['data: {"a":1}\n\n', "data: [DONE]\n\n"]);
  });

  it.each(["\n", "\r\n", "\r"] as const)("writes line ends as %j", async (lineEnd) => {
    expect(await bytesOf({ events: ["x\ny"], transport: { lineEnd } })).toBe(
      ["data: x", "data: y", "", ""].join(lineEnd),
    );
  });

  it("writes comments and a byte order mark", async () => {
    expect(await bytesOf({ events: ["x"], transport: { comments: true } })).toBe(": keep-alive\n\ndata: x\n\n");
    expect((await piecesOf({ events: ["x"], transport: { bom: true } }))[0]?.startsWith("\u00ef\u00bb\u00bf")).toBe(
      true,
    );
  });

  it("ends a body early but properly", async () => {
    expect(await bytesOf({ raw: "abcdef", transport: { cut: { afterBytes: 3, how: "end" } } })).toBe("abc");
  });

  it.each(["fin", "reset"] as const)("breaks a body off by %s", async (how) => {
    await expect(bytesOf({ raw: "abcdef", transport: { split: 1, cut: { afterBytes: 3, how } } })).rejects.toThrow(
      "terminated",
    );
  });

  it.each(["fin", "reset"] as const)("hangs up by %s", async (hangUp) => {
    provider.reply({ hangUp });
    await expect(post()).rejects.toThrow("fetch failed");
  });

  it("stalls until the client gives up", async () => {
    provider.reply({ raw: "abcdef", transport: { cut: { afterBytes: 3, how: "stall" } } }, { hangUp: "stall" });
    for (let call = 0; call < 2; call++) {
      const ask = async () => (await fetch(provider.url, { signal: AbortSignal.timeout(50) })).text();
      await expect(ask()).rejects.toThrow();
      expect(await provider.requests[call]?.closed).toBe("cancelled");
    }
  });

  it("waits before the headers and between the pieces", async () => {
    const started = performance.now();
    await bytesOf({ raw: "abc", transport: { headerDelayMs: 30, split: 1, pieceDelayMs: 15 } });
    expect(performance.now() - started).toBeGreaterThan(55);
  });
});

describe("closing a fakeProvider", () => {
  it("ends stalled answers and idle connections, and frees the port", async () => {
    const own = await fakeProvider({
      replies: [{ hangUp: "stall" }, { text: "late", transport: { headerDelayMs: 60_000 } }],
    });
    const pending = [fetch(own.url), fetch(`${own.baseUrl}/chat/completions`)];
    const outcomes = Promise.allSettled(pending);
    while (own.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await own.close();
    expect((await outcomes).every(({ status }) => status === "rejected")).toBe(true);
    const refused = await new Promise((resolve) => {
      connect(Number(new URL(own.url).port), "127.0.0.1").on("error", (error: NodeJS.ErrnoException) =>
        resolve(error.code),
      );
    });
    expect(refused).toBe("ECONNREFUSED");
  });

  it("can be done twice", async () => {
    const own = await fakeProvider();
    await own.close();
    await own.close();
    await expect(fetch(own.url)).rejects.toThrow();
  });
});
