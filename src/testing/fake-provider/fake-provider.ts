/**
 * A provider on the loopback interface: a real HTTP server with scripted answers and scripted faults.
 *
 * Testing (Node).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chatDialect } from "./chat-dialect.ts";
import { messagesDialect } from "./messages-dialect.ts";
import { createPayloads } from "./payload.ts";
import type { FakeReply, FakeRequest } from "./reply.ts";
import { responsesDialect } from "./responses-dialect.ts";
import { breakOff, transmit } from "./transmit.ts";

/** Chooses a reply by what was asked. */
export type FakeReplyFunction = (request: FakeRequest, index: number) => FakeReply;

/** What {@link fakeProvider} takes. */
export interface FakeProviderOptions {
  /** Replies in order, one per request, or a function that gives each. Past the last one the answer is status 500. */
  readonly replies?: readonly FakeReply[] | FakeReplyFunction | undefined;
}

/** A running provider. */
export interface FakeProvider {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** What an adapter takes as its base URL: {@link url} with `/v1`. */
  readonly baseUrl: string;
  /** All requests so far, in order of arrival. */
  readonly requests: readonly FakeRequest[];
  /** Adds replies to the script. */
  reply(...replies: FakeReply[]): void;
  /** Closes the server and all its connections; no handle is left. */
  close(): Promise<void>;
}

/**
 * Starts a provider on a free port of 127.0.0.1. It speaks Chat Completions at every path that ends in
 * `/chat/completions`, the Responses API at `/responses` and Anthropic's Messages API at `/messages`;
 * replies that are no answer (statuses, events, raw bytes) go to any path.
 *
 * @example
 * const provider = await fakeProvider({ replies: [{ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3" }] });
 * const model = openaiModel({ model: "fake", baseUrl: provider.baseUrl });
 * await provider.close();
 */
export async function fakeProvider({ replies = [] }: FakeProviderOptions = {}): Promise<FakeProvider> {
  const script: FakeReply[] = Array.isArray(replies) ? [...replies] : [];
  const choose: FakeReplyFunction =
    typeof replies === "function"
      ? replies
      : () => script.shift() ?? scriptFailure("no reply is scripted for this request");
  const requests: FakeRequest[] = [];
  const payloads = createPayloads([chatDialect, messagesDialect, responsesDialect]);
  const closing = new AbortController();
  const connections = connectionNumbers();
  const server = createServer((incoming, response) => {
    const serve = async () => {
      const request = await receive(incoming, { response, connection: connections(incoming) });
      requests.push(request);
      const reply = attempt(() => choose(request, requests.length - 1));
      if ("hangUp" in reply) return breakOff(response, reply.hangUp);
      const transport = reply.transport ?? {};
      await transmit(response, payloads(reply, request), { transport, signal: closing.signal });
    };
    serve().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const url = await listen(server);
  return {
    url,
    baseUrl: `${url}/v1`,
    requests,
    reply: (...more) => {
      script.push(...more);
    },
    close: () => {
      closing.abort();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** A script that throws is a mistake in a test: the answer says so. */
function attempt(choose: () => FakeReply): FakeReply {
  try {
    return choose();
  } catch (error) {
    return scriptFailure(`the reply function threw: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function scriptFailure(message: string): FakeReply {
  return { status: 500, body: { error: { message: `fakeProvider: ${message}` } } };
}

async function receive(
  incoming: IncomingMessage,
  { response, connection }: { readonly response: ServerResponse; readonly connection: number },
): Promise<FakeRequest> {
  const closed = new Promise<"complete" | "cancelled">((resolve) => {
    response.once("close", () => resolve(response.writableFinished ? "complete" : "cancelled"));
  });
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const rawBody = Buffer.concat(pieces).toString("utf8");
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: Object.fromEntries(headers) as Record<string, string>,
    rawBody,
    body: parse(rawBody),
    connection,
    closed,
  };
}

function connectionNumbers(): (incoming: IncomingMessage) => number {
  const known = new WeakMap<object, number>();
  let count = 0;
  return ({ socket }) => {
    const number = known.get(socket) ?? ++count;
    known.set(socket, number);
    return number;
  };
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
