/**
 * The server that the suite talks to from every platform: a fake provider of the installed package, which
 * the model's name tells what to do. Pages of other origins may ask it, as a provider for browsers has to allow.
 */
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers":
    "accept, content-type, authorization, x-api-key, anthropic-version, anthropic-dangerous-direct-browser-access",
  "access-control-expose-headers": "retry-after",
};
const CALL = { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] };
const ANSWER = { text: ["三 is ", "three 🙂"] };
const WORDS = { text: ["one ", "two ", "three ", "four "] };
/** Behind the first words of every API, before the end of its stream. */
const WITHIN_BYTES = { openai: 500, anthropic: 500, responses: 900 };

const SCENARIOS = {
  answers: ({ rawBody }) => (/"(tool|tool_result|function_call_output)"/.test(rawBody) ? ANSWER : CALL),
  breaks: ({ path }) => ({
    ...WORDS,
    transport: { cut: { afterBytes: bytesWithin(path), how: "reset" }, pieceDelayMs: 20 },
  }),
  halts: ({ path }) => ({ ...WORDS, transport: { cut: { afterBytes: bytesWithin(path), how: "stall" } } }),
  hangsUp: () => ({ hangUp: "reset" }),
  stalls: () => ({ hangUp: "stall" }),
  refuses: () => ({ status: 401, body: { error: { message: "Incorrect API key provided." } } }),
  limits: () => ({ status: 429, body: { error: { message: "Slow down." } }, headers: { "retry-after": "7" } }),
};

/** Starts the server; `closedUrl` is a port where nobody listens. */
export async function openEndpoint(installed) {
  const { fakeProvider } = await import(pathToFileURL(join(installed, "dist/testing.js")).href);
  const provider = await fakeProvider({ replies: replyTo });
  return {
    url: provider.baseUrl,
    closedUrl: `http://127.0.0.1:${await closedPort()}/v1`,
    close: () => provider.close(),
  };
}

function replyTo(request) {
  if (request.method === "OPTIONS") return { status: 204, body: "", headers: HEADERS };
  const reply = SCENARIOS[request.body?.model]?.(request) ?? { status: 404 };
  return { ...reply, headers: { ...HEADERS, ...reply.headers } };
}

function bytesWithin(path) {
  if (path.endsWith("/messages")) return WITHIN_BYTES.anthropic;
  return path.endsWith("/responses") ? WITHIN_BYTES.responses : WITHIN_BYTES.openai;
}

function closedPort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
