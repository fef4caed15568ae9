/** A Chat Completions endpoint on 127.0.0.1 that answers every request alike and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Endpoint {
  readonly baseUrl: string;
  readonly asked: { readonly headers: IncomingHttpHeaders; readonly body: Record<string, unknown> }[];
  close(): Promise<void>;
}

/** Starts one; `answer` is a status with a JSON error, or the pieces of a streamed text. */
export async function startEndpoint(
  answer: { status: number; message: string } | readonly string[],
): Promise<Endpoint> {
  const asked: Endpoint["asked"] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    asked.push({ headers: request.headers, body: JSON.parse(text) });
    if ("status" in answer) {
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: answer.message } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = [
      ...answer.map((content) => ({ index: 0, delta: { content } })),
      { index: 0, delta: {}, finish_reason: "stop" },
    ];
    for (const choice of choices) response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
