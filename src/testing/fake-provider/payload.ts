/**
 * Makes the status, headers and bytes of a scripted reply.
 *
 * Testing (Node).
 */
import type { CompleteAnswer, Dialect } from "./dialect.ts";
import type { FakeAnswer, FakeReply, FakeRequest, FakeSilence, FakeTransport } from "./reply.ts";
import { encodeEvents, type Payload } from "./transmit.ts";

/** Every reply that sends something. */
export type SendingReply = Exclude<FakeReply, FakeSilence>;

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Renders replies; counts answers and calls, so that ids are unique over a provider's life. */
export function createPayloads(dialects: readonly Dialect[]): (reply: SendingReply, request: FakeRequest) => Payload {
  let answers = 0;
  let calls = 0;
  const complete = (answer: FakeAnswer, body: unknown): CompleteAnswer => ({
    ...answer,
    text: [answer.text ?? []].flat(),
    reasoning: [answer.reasoning ?? []].flat(),
    toolCalls: (answer.toolCalls ?? []).map((call) => ({
      name: call.name,
      id: call.id ?? `call_${++calls}`,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {}),
    })),
    model: answer.model ?? askedModel(body),
    id: `answer_${++answers}`,
  });
  return (reply, request) => {
    const transport = reply.transport ?? {};
    if ("status" in reply) return statusPayload(reply.status, reply.body, reply.headers);
    if ("raw" in reply) return success([Buffer.from(reply.raw)], { ...STREAM_TYPE, ...reply.headers });
    if ("events" in reply) {
      const events = reply.events.map((data) => ({ data }));
      return success(encodeEvents(events, transport), { ...STREAM_TYPE, ...reply.headers });
    }
    return answerPayload(complete(reply, request.body), request, { dialects, transport });
  };
}

function answerPayload(
  answer: CompleteAnswer,
  request: FakeRequest,
  { dialects, transport }: { readonly dialects: readonly Dialect[]; readonly transport: FakeTransport },
): Payload {
  const path = request.path.replace(/\?.*$/, "");
  const dialect = dialects.find((candidate) => candidate.matches(path));
  if (dialect === undefined) {
    return statusPayload(404, { error: { message: `fakeProvider speaks no dialect at ${path}` } }, undefined);
  }
  if (!dialect.wantsStream(request.body)) {
    return success([Buffer.from(JSON.stringify(dialect.document(answer)))], { ...JSON_TYPE, ...answer.headers });
  }
  const events = dialect.events(answer, request.body);
  return success(encodeEvents(events, transport), { ...STREAM_TYPE, ...answer.headers });
}

function success(pieces: Buffer[], headers: Readonly<Record<string, string>>): Payload {
  return { status: 200, headers, pieces };
}

function statusPayload(status: number, body: unknown, headers: Readonly<Record<string, string>> | undefined): Payload {
  const isText = typeof body === "string" || body === undefined;
  const text = isText ? (body ?? "") : JSON.stringify(body);
  return { status, headers: { ...(isText ? {} : JSON_TYPE), ...headers }, pieces: [Buffer.from(text)] };
}

function askedModel(body: unknown): string {
  const model: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "model") : undefined;
  return typeof model === "string" ? model : "fake";
}
