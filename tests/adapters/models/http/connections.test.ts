/** What every adapter over HTTP does on a real connection, beyond what the contract suite asks of any model. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectionOptions } from "../../../../src/adapters/models/http/connection.ts";
import { type FakeProvider, fakeProvider } from "../../../../src/testing/fake-provider/fake-provider.ts";
import type { FakeReply } from "../../../../src/testing/fake-provider/reply.ts";
import { SPECIMENS } from "../specimens.ts";
import { addTool, callContext, collect, failureOf, KEY, request, toBytes, untilFailure } from "../support.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await fakeProvider();
});
afterEach(() => provider.close());

const ANSWER = { text: ["né€", "😀工"], toolCalls: [{ name: "add", arguments: { a: 1, b: 2 }, id: "c1" }] };

describe.each(SPECIMENS)("$name", (specimen) => {
  const { path, least } = specimen;
  const model = (options: Partial<ConnectionOptions> = {}) => specimen.model({ baseUrl: provider.baseUrl, ...options });
  const asked = request({ tools: [addTool] });
  const generate = () => model().generate(asked, callContext());
  const stream = () => model().stream(asked, callContext());

  it("uses one connection for call after call, whole answers, streams and errors", async () => {
    // The end of the body comes a moment after the end of the answer.
    const slow = { ...ANSWER, transport: { pieceDelayMs: 3 } };
    provider.reply(ANSWER, slow, { status: 500, body: { error: { message: "no" } } }, slow, ANSWER);
    const calls = [generate, () => collect(stream()), () => failureOf(generate()), () => collect(stream()), generate];
    for (const call of calls) {
      await call();
      await sleep(20); // What a tool call takes at least; the end of a stream is read away meanwhile.
    }
    expect(new Set(provider.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it("keeps that connection also for a reader that leaves at the finish", async () => {
    provider.reply(ANSWER, ANSWER);
    for await (const event of stream()) if (event.type === "finish") break;
    await sleep(20);
    await generate();
    expect(provider.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it("does not wait for a server that keeps the connection open behind its answer, and closes it", async () => {
    const raw = `${least}data: [DONE]\n\n`;
    provider.reply({ raw, transport: { cut: { afterBytes: toBytes(raw).length, how: "stall" } } });
    expect(await collect(stream())).toMatchObject({ content: "a", finishReason: "stop" });
    expect(await provider.requests[0]?.closed).toBe("cancelled");
  });

  it.each(["fin", "reset"] as const)("loses nothing when the connection ends by %s behind the answer", async (how) => {
    const split = toBytes(least).length;
    provider.reply({
      raw: `${least}: more`,
      transport: { split: [split], pieceDelayMs: 10, cut: { afterBytes: split + 2, how } },
    });
    expect(await collect(stream())).toMatchObject({ content: "a", finishReason: "stop" });
  });

  it("fails with a network error at a port where nobody listens", async () => {
    const deaf = model();
    await provider.close();
    const expected = { kind: "model", code: "MODEL_NETWORK", retryable: true };
    expect(await failureOf(deaf.generate(asked, callContext()))).toMatchObject(expected);
    expect(await failureOf(collect(deaf.stream(asked, callContext())))).toMatchObject(expected);
  });

  it("keeps the status of an error whose body breaks off", async () => {
    const transport = { cut: { afterBytes: 5, how: "reset" } } as const;
    provider.reply({ status: 401, body: { error: { message: "no" } }, transport });
    expect(await failureOf(generate())).toMatchObject({ code: "MODEL_AUTH", status: 401 });
  });

  it("tells a server that speaks no HTTP from an answer", async () => {
    const server = createServer().on("connection", (socket) => {
      socket.on("error", () => {});
      socket.end("SSH-2.0-OpenSSH_9\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await failureOf(model({ baseUrl }).generate(asked, callContext()));
    server.close();
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE" });
  });

  it.each([307, 308])("follows a redirect of status %i within the origin with method, key and body", async (status) => {
    const target = path.replace("/v1/", "/v2/");
    provider.reply({ status, headers: { location: target } }, { text: "moved" });
    expect((await generate()).content).toBe("moved");
    const [first, second] = provider.requests;
    expect([first?.path, second?.path]).toEqual([path, target]);
    expect(second?.method).toBe("POST");
    expect(second?.rawBody).toBe(first?.rawBody);
    expect(second?.headers).toMatchObject(credentials(first?.headers ?? {}));
  });

  it.each([301, 302, 303, 307, 308])(
    "refuses a redirect of status %i to another origin and sends nothing there",
    async (status) => {
      const other = await fakeProvider({ replies: [{ text: "gotcha" }] });
      provider.reply({ status, headers: { location: `${other.url}${path}?key=${KEY}` } });
      const error = await failureOf(generate());
      await other.close();
      const message = expect.stringContaining("Set `baseUrl`");
      expect(error).toMatchObject({ code: "MODEL_INVALID_REQUEST", status, message });
      expect(error.message).toContain(other.url);
      expect(error.message).not.toContain(KEY);
      expect(other.requests).toEqual([]);
    },
  );

  it("refuses a redirect that goes in circles", async () => {
    for (let hop = 0; hop < 5; hop++) provider.reply({ status: 307, headers: { location: path } });
    expect(await failureOf(generate())).toMatchObject({ code: "MODEL_INVALID_REQUEST" });
    expect(provider.requests).toHaveLength(4);
  });

  describe("does not show secrets", () => {
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
    ])("that are quoted by %s, anywhere in the failure", async (_name, reply) => {
      provider.reply(reply, reply);
      const secretive = model(options);
      const errors = [
        await failureOf(secretive.generate(asked, callContext())),
        (await untilFailure(secretive.stream(asked, callContext()))).error,
      ];
      for (const error of errors) {
        expect(error?.kind).toBe("model");
        expect(error?.message).toContain("[redacted]");
        expect(`${error?.message}${JSON.stringify(error)}${inspect(error)}`).not.toContain(SECRET);
      }
    });

    it("that are quoted by what fetch throws", async () => {
      const fetch = () => Promise.reject(new Error(quoting));
      const error = await failureOf(model({ ...options, fetch }).generate(asked, callContext()));
      expect(`${error.message}${JSON.stringify(error)}${inspect(error)}`).not.toContain(SECRET);
    });
  });
});

function credentials({ authorization, "x-api-key": key }: Readonly<Record<string, string>>) {
  return { ...(authorization !== undefined && { authorization }), ...(key !== undefined && { "x-api-key": key }) };
}
