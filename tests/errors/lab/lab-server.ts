/**
 * A provider on 127.0.0.1 that fails on purpose: each scenario is one way in which a real one fails.
 */

import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { CERTIFICATE, KEY } from "./certificate.ts";

/** A running server and the way to end it with everything that hangs on it. */
export interface LabServer {
  readonly port: number;
  readonly requests: () => number;
  close(): Promise<void>;
}

type Answer = (response: ServerResponse, socket: Socket) => void;

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => {
  return (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
const text = (status: number, type: string, body: string): Answer => {
  return (response) => response.writeHead(status, { "content-type": type }).end(body);
};
/** Two events in the form of both OpenAI and Anthropic; each client reads its own and skips the other. */
const FIRST_EVENTS =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":1,"output_tokens":1}}}\n\n';
const OPENAI_CHUNK =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"hi"}}]}\n\n';
const stream = (anthropic: boolean, next: (response: ServerResponse, socket: Socket) => void): Answer => {
  return (response, socket) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(anthropic ? FIRST_EVENTS : OPENAI_CHUNK);
    setTimeout(() => next(response, socket), 20);
  };
};
const partial = (next: (socket: Socket) => void): Answer => {
  return (response, socket) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "2000" });
    response.write('{"id":"x","choices":[');
    setTimeout(() => next(socket), 20);
  };
};

/** The answers by name; a `status-…` scenario is made on the fly. */
export const SCENARIOS: Readonly<Record<string, Answer>> = {
  "reset-pre": (_, socket) => socket.resetAndDestroy(),
  "fin-pre": (_, socket) => socket.destroy(),
  "reset-headers": (_, socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-", () => socket.resetAndDestroy()),
  "fin-headers": (_, socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-"),
  garbage: (_, socket) => void socket.end("this is not http\r\n\r\n"),
  "reset-body": partial((socket) => socket.resetAndDestroy()),
  "fin-body": partial((socket) => socket.destroy()),
  "slow-headers": () => undefined,
  "slow-body": partial(() => undefined),
  "html-502": text(502, "text/html", "<html><head><title>502 Bad Gateway</title></head></html>"),
  "html-200": text(200, "application/json", "<html>Login</html>"),
  "cut-json": text(200, "application/json", '{"id":"x","choices":['),
  "empty-500": text(500, "application/json", ""),
  quota: json(429, {
    error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" },
  }),
  overflow: json(400, {
    error: {
      message: "maximum context length is 8192 tokens",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    },
  }),
  "retry-after": json(429, { error: { message: "slow down" } }, { "retry-after": "7" }),
  "retry-after-ms": json(503, { error: { message: "slow down" } }, { "retry-after": "7", "retry-after-ms": "150" }),
  "no-retry": json(500, { error: { message: "boom" } }, { "x-should-retry": "false" }),
  "error-in-200": json(200, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  "stream-stall": stream(false, () => undefined),
  "stream-reset": stream(false, (_, socket) => socket.resetAndDestroy()),
  "stream-error": stream(false, (response) =>
    response.end('data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n'),
  ),
  "anthropic-stream-stall": stream(true, () => undefined),
  "anthropic-stream-reset": stream(true, (_, socket) => socket.resetAndDestroy()),
  "anthropic-stream-error": stream(true, (response) =>
    response.end('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'),
  ),
};

/** Starts the server. The first part of the path names the scenario. */
export async function startLab(): Promise<LabServer> {
  return listen(createServer(answer()));
}

/** The same server over TLS, with a certificate that nobody has signed. */
export async function startTlsLab(): Promise<LabServer> {
  return listen(createTlsServer({ key: KEY, cert: CERTIFICATE }, answer()));
}

/** A port on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

let seen = 0;

function answer(): RequestListener {
  return (request, response) => {
    seen += 1;
    const scenario = request.url?.split("/")[1] ?? "";
    const status = /^status-(\d{3})$/.exec(scenario)?.[1];
    const respond = status === undefined ? SCENARIOS[scenario] : json(Number(status), { error: { message: "boom" } });
    if (respond === undefined) throw new Error(`No scenario is named ${scenario}.`);
    request.resume().once("end", () => respond(response, request.socket));
  };
}

async function listen(server: Server): Promise<LabServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
