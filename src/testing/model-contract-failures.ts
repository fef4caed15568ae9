/**
 * The model contract: failures and aborts.
 *
 * Testing wing (Node). Every failure is looked at as the runtime adopts it, so that a model may throw the
 * errors of its client.
 */
import { inspect } from "node:util";
import { RuntimeError } from "../errors/index.ts";
import type { FakeCut, FakeReply } from "./fake-provider/reply.ts";
import { answerOf, ask, type ContractCase, failureOf, received, settled, type Way } from "./model-contract-kit.ts";

const STATUSES: readonly (readonly [status: number, message: string, code: string, retryable: boolean])[] = [
  [400, "No such parameter: temperatur", "MODEL_INVALID_REQUEST", false],
  [401, "Incorrect API key provided", "MODEL_AUTH", false],
  [402, "Pay first", "MODEL_QUOTA_EXCEEDED", false],
  [403, "Not for you", "MODEL_FORBIDDEN", false],
  [404, "The model does not exist", "MODEL_NOT_FOUND", false],
  [429, "Slow down", "MODEL_RATE_LIMITED", true],
  [500, "Internal error", "MODEL_SERVER_ERROR", true],
  [503, "Try again later", "MODEL_OVERLOADED", true],
  [529, "Overloaded", "MODEL_OVERLOADED", true],
];

const MALFORMED: Readonly<Record<string, FakeReply>> = {
  "a web page": { raw: "<!DOCTYPE html><title>Sign in</title>", headers: { "content-type": "text/html" } },
  nothing: { raw: "", headers: { "content-type": "application/json" } },
  "half a document": { raw: '{"id":"x","choi', headers: { "content-type": "application/json" } },
  "an empty document": { raw: "{}", headers: { "content-type": "application/json" } },
  "an error behind a status of success": {
    status: 200,
    body: { type: "error", error: { type: "server_error", code: "server_error", message: "Boom" } },
  },
};

const cutAnswer = (how: FakeCut["how"]): FakeReply => ({
  text: "It is 55.",
  transport: { cut: { afterBytes: 30, how } },
});
const CUT_ERROR: FakeReply = {
  status: 500,
  body: { error: { message: "Internal" } },
  transport: { cut: { afterBytes: 5, how: "stall" } },
};

/** The cases, for one or both ways of asking. */
export function failureCases(streams: boolean): readonly ContractCase[] {
  const ways: readonly Way[] = streams ? ["generate", "stream"] : ["generate"];
  return ways.flatMap((way) => [
    ...STATUSES.map((row) => statusCase(row, way)),
    ...Object.entries(MALFORMED).map(([what, reply]) => malformedCase(what, reply, way)),
    ...(["fin", "reset"] as const).map((hangUp) => hangUpCase(hangUp, way)),
    ...(["end", "fin", "reset"] as const).map((how) => brokenCase(how, way)),
    abortCase("before there is an answer", { hangUp: "stall" }, way),
    abortCase("in the middle of the answer", cutAnswer("stall"), way),
    abortCase("in the middle of an error", CUT_ERROR, way),
    firedCase(way),
    secretCase(way),
  ]);
}

/** Clients differ in what they make of half an answer. */
const BROKEN: readonly string[] = ["MODEL_NETWORK", "MODEL_BAD_RESPONSE"];

const REQUEST = ask("What is 17 + 38?");
const asked = (way: Way) => (way === "stream" ? "streaming" : "answering whole");

function statusCase([status, message, code, retryable]: (typeof STATUSES)[number], way: Way): ContractCase {
  return {
    sentence: `tells status ${status} from others with one request, ${asked(way)}`,
    async run({ model, expect, provider }) {
      provider.reply({ status, body: { error: { message } }, headers: status === 429 ? { "retry-after": "7" } : {} });
      const failure = await failureOf(answerOf(model, REQUEST, way), model);
      expect(failure).toMatchObject({ kind: "model", code, retryable, status });
      expect(failure.retryAfterMs).toBe(status === 429 ? 7_000 : undefined);
      expect(failure.message.includes(message)).toBe(true);
      expect(provider.requests.length).toBe(1);
    },
  };
}

function malformedCase(what: string, reply: FakeReply, way: Way): ContractCase {
  return {
    sentence: `never takes ${what} for an answer, ${asked(way)}`,
    async run({ model, expect, provider }) {
      provider.reply(reply);
      expect((await failureOf(answerOf(model, REQUEST, way), model)).kind).toBe("model");
      expect(provider.requests.length).toBe(1);
    },
  };
}

function hangUpCase(hangUp: "fin" | "reset", way: Way): ContractCase {
  return {
    sentence: `fails with a network error when the connection ends by ${hangUp}, ${asked(way)}`,
    async run({ model, expect, provider }) {
      provider.reply({ hangUp });
      const failure = await failureOf(answerOf(model, REQUEST, way), model);
      expect(failure).toMatchObject({ kind: "model", code: "MODEL_NETWORK", retryable: true });
    },
  };
}

function brokenCase(how: FakeCut["how"], way: Way): ContractCase {
  return {
    sentence: `fails when the answer breaks off by ${how}, ${asked(way)}`,
    async run({ model, expect, provider }) {
      provider.reply(cutAnswer(how));
      const { kind, code } = await failureOf(answerOf(model, REQUEST, way), model);
      expect({ kind, isKnown: BROKEN.includes(code) }).toEqual({ kind: "model", isKnown: true });
    },
  };
}

function abortCase(when: string, reply: FakeReply, way: Way): ContractCase {
  return {
    sentence: `settles when its signal fires ${when}, and closes the connection, ${asked(way)}`,
    async run({ model, expect, provider }) {
      provider.reply(reply);
      const controller = new AbortController();
      const reason = new RuntimeError("The user clicked stop.", { code: "RUN_ABORTED" });
      const failure = failureOf(answerOf(model, REQUEST, way, controller.signal), model, controller.signal);
      await received(provider, 1);
      setTimeout(() => controller.abort(reason), 20);
      expect(await settled(failure)).toBe(reason);
      expect(await provider.requests[0]?.closed).toBe("cancelled");
    },
  };
}

function firedCase(way: Way): ContractCase {
  return {
    sentence: `asks for nothing under a signal that has fired, ${asked(way)}`,
    async run({ model, expect, provider }) {
      const reason = new RuntimeError("The user clicked stop.", { code: "RUN_ABORTED" });
      const signal = AbortSignal.abort(reason);
      expect(await settled(failureOf(answerOf(model, REQUEST, way, signal), model, signal))).toBe(reason);
      expect(provider.requests.length).toBe(0);
    },
  };
}

function secretCase(way: Way): ContractCase {
  return {
    sentence: `keeps its key out of errors that quote it, ${asked(way)}`,
    async run({ model, expect, provider }) {
      const keys: string[] = [];
      provider.reply({ status: 500, body: { error: { message: "starts the record of headers" } } });
      await failureOf(answerOf(model, REQUEST, way), model);
      for (const name of ["authorization", "x-api-key", "api-key"]) {
        const value = provider.requests[0]?.headers[name]?.replace(/^Bearer /, "");
        if (value !== undefined) keys.push(value);
      }
      expect(keys.length > 0).toBe(true);
      provider.reply({ status: 401, body: { error: { message: `No such key: ${keys.join(" ")}` } } });
      const failure = await failureOf(answerOf(model, REQUEST, way), model);
      const shown = inspect(failure, { depth: 9 }) + JSON.stringify(failure) + failure.message;
      expect(keys.filter((key) => shown.includes(key))).toEqual([]);
    },
  };
}
