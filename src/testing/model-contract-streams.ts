/**
 * The model contract: streams.
 *
 * Testing wing (Node).
 */
import type { ModelResponse } from "../contract/model.ts";
import type { FakeAnswer, FakeCut, FakeTransport } from "./fake-provider/reply.ts";
import { ANSWERS } from "./model-contract-answers.ts";
import {
  addTool,
  answerOf,
  ask,
  type Compared,
  type ContractCase,
  type ContractKit,
  callContext,
  compared,
  failureOf,
} from "./model-contract-kit.ts";

const REQUEST = ask("What is 17 + 38?", { tools: [addTool] });
const MIXED = {
  text: ["né€", "😀工"],
  toolCalls: [{ name: "add", arguments: { a: 17, b: 38 }, id: "call_one" }],
  usage: { inputTokens: 11, outputTokens: 7 },
};

const TRANSPORTS: Readonly<Record<string, FakeTransport>> = {
  "one by one": { split: 1 },
  "in pieces that fit nothing": { split: [1, 7, 64, 65, 200, 333, 600] },
  "with CRLF line ends": { lineEnd: "\r\n", split: 7 },
  "with a byte order mark and comments": { bom: true, comments: true },
  slowly: { headerDelayMs: 20, pieceDelayMs: 2 },
};

/** The cases. */
export const streamCases: readonly ContractCase[] = [
  ...Object.entries(ANSWERS).map(
    ([kind, answer]): ContractCase => ({
      sentence: `streams ${kind} to the same end as it answers whole, with one finish, at the end`,
      async run({ model, expect, provider }) {
        provider.reply(answer, answer);
        const whole = await answerOf(model, REQUEST, "generate");
        expect(compared(await answerOf(model, REQUEST, "stream"))).toEqual(compared(whole));
      },
    }),
  ),
  ...Object.entries(TRANSPORTS).map(
    ([how, transport]): ContractCase => ({
      sentence: `streams the same when the bytes come ${how}`,
      async run({ model, expect, provider }) {
        provider.reply(MIXED, { ...MIXED, transport });
        const plain = await answerOf(model, REQUEST, "stream");
        expect(compared(await answerOf(model, REQUEST, "stream"))).toEqual(compared(plain));
      },
    }),
  ),
  endCase(),
  breakCase("fin"),
  breakCase("reset"),
  {
    sentence: "hands on text while the rest is still to come",
    async run({ model, expect, provider }) {
      provider.reply({ ...MIXED, transport: { pieceDelayMs: 30 } });
      let isClosed = false;
      const seen: boolean[] = [];
      for await (const event of model.stream?.(REQUEST, callContext()) ?? []) {
        provider.requests[0]?.closed.then(() => {
          isClosed = true;
        });
        await Promise.resolve();
        if (event.type === "text") seen.push(isClosed);
      }
      expect(seen[0]).toBe(false);
    },
  },
  {
    sentence: "closes the connection when a stream is left early",
    async run({ model, expect, provider }) {
      provider.reply({ ...MIXED, transport: { pieceDelayMs: 20 } });
      const types = new Set<string>();
      for await (const event of model.stream?.(REQUEST, callContext()) ?? []) {
        types.add(event.type);
        if (event.type === "text") break;
      }
      expect([...types].filter((type) => type !== "heartbeat")).toEqual(["text"]);
      expect(await provider.requests[0]?.closed).toBe("cancelled");
    },
  },
];

/** How far apart the cuts are; a prime, so that they fall on everything in time. */
const STEP = 53;

function endCase(): ContractCase {
  return {
    sentence: "never takes a stream for whole that ends before its answer does, wherever that is",
    async run(kit) {
      const whole = compared(await streamed(kit, MIXED));
      let cuts = 0;
      while (!(await isWholeAt(kit, { afterBytes: cuts * STEP, how: "end" }, whole))) cuts++;
      kit.expect(cuts > 5).toBe(true);
    },
  };
}

function breakCase(how: "fin" | "reset"): ContractCase {
  return {
    sentence: `never takes a stream for whole whose connection ends by ${how} in its middle`,
    async run(kit) {
      const whole = compared(await streamed(kit, MIXED));
      for (const afterBytes of [0, 40, 90, 200]) {
        kit.expect(await isWholeAt(kit, { afterBytes, how }, whole)).toBe(false);
      }
    },
  };
}

function streamed({ model, provider }: ContractKit, reply: FakeAnswer): Promise<ModelResponse> {
  provider.reply(reply);
  return answerOf(model, REQUEST, "stream");
}

/** Whether a stream that breaks off gives the whole answer; anything between that and a failure is refused. */
async function isWholeAt(kit: ContractKit, cut: FakeCut, whole: Compared): Promise<boolean> {
  const outcome = await streamed(kit, { ...MIXED, transport: { cut } }).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if ("answer" in outcome) {
    // The usage may come last, and be what is missing.
    kit.expect({ ...compared(outcome.answer), usage: undefined }).toEqual({ ...whole, usage: undefined });
    return true;
  }
  kit.expect((await failureOf(Promise.reject(outcome.error), kit.model)).kind).toBe("model");
  return false;
}
