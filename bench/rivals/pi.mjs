/**
 * pi: `runAgentLoop`, the loop without the state that its `Agent` class keeps beside it.
 *
 * 0.73.1 is the last version under this name. Its tools take TypeBox schemas, and a model is a function that
 * returns a stream of events; one that answers at once sends only the last of them.
 */
import { runAgentLoop } from "@mariozechner/pi-agent-core";
import { createAssistantMessageEventStream, Type } from "@mariozechner/pi-ai";

const USAGE = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const MODEL = {
  ...{ id: "bench", name: "bench", api: "bench", provider: "bench", baseUrl: "", reasoning: false, input: ["text"] },
  ...{ cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 0, maxTokens: 0 },
};
/** All messages are ones that a model knows. */
const CONFIG = { model: MODEL, convertToLlm: (messages) => messages };
const PARAMETERS = Type.Object({ a: Type.Number(), b: Type.Number() });

const ignore = () => {};

function assistant(content, stopReason) {
  const origin = { api: "bench", provider: "bench", model: "bench" };
  return { role: "assistant", content, ...origin, usage: USAGE, stopReason, timestamp: 0 };
}

/** What `turnsModel` of `workloads.mjs` does, in the words of pi. */
function turnsModel(turns, { calls = 1, readSignal = false, pause = false }) {
  let turn = 0;
  const answer = () => {
    if (turn++ >= turns) return atOnce(assistant([{ type: "text", text: "done" }], "stop"));
    const content = [];
    for (let index = 0; index < calls; index++) {
      content.push({ type: "toolCall", id: `c${turn}_${index}`, name: "add", arguments: { a: turn, b: index } });
    }
    return atOnce(assistant(content, "toolUse"));
  };
  return (_model, _context, { signal }) => {
    if (readSignal) signal?.throwIfAborted();
    if (!pause) return Promise.resolve(answer());
    return new Promise((resolve) => setImmediate(() => resolve(answer())));
  };
}

/** A stream that has nothing to say before its end. An async generator made for each call would add half of pi's own time. */
function atOnce(message) {
  const stream = createAssistantMessageEventStream();
  stream.push({ type: "done", reason: message.stopReason, message });
  return stream;
}

function deltaModel(deltas) {
  return () => {
    const block = { type: "text", text: "" };
    const partial = assistant([block], "stop");
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial };
        yield { type: "text_start", contentIndex: 0, partial };
        for (let index = 0; index < deltas; index++) {
          block.text += "abcd ";
          yield { type: "text_delta", contentIndex: 0, delta: "abcd ", partial };
        }
        yield { type: "text_end", contentIndex: 0, content: block.text, partial };
        yield { type: "done", reason: "stop", message: partial };
      },
      result: () => Promise.resolve(partial),
    };
  };
}

function addTool({ text, readSignal = false }, onExecution) {
  return {
    name: "add",
    label: "Add",
    description: "Add two numbers.",
    parameters: PARAMETERS,
    execute(_id, { a, b }, signal) {
      if (readSignal) signal?.throwIfAborted();
      onExecution();
      return Promise.resolve({ content: [{ type: "text", text: text ?? String(a + b) }], details: undefined });
    },
  };
}

const textOf = (messages) => messages.at(-1)?.content[0]?.text;

const runLoop = (model, tools, emit) => {
  const prompt = { role: "user", content: "go", timestamp: 0 };
  return runAgentLoop([prompt], { systemPrompt: "", messages: [], tools }, CONFIG, emit, undefined, model);
};

/** @type {import("../contestant.mjs").Contestant} */
export const pi = {
  name: "pi",
  turns(turns, options) {
    const expected = turns * (options.calls ?? 1);
    return async () => {
      let executions = 0;
      const add = addTool(options, () => {
        executions++;
      });
      const messages = await runLoop(turnsModel(turns, options), [add], ignore);
      if (textOf(messages) === "done" && executions === expected) return messages;
      throw new Error(`The run ended with "${textOf(messages)}" after ${executions} of ${expected} tool calls.`);
    };
  },
  deltas: (deltas) => async (onText) => {
    const messages = await runLoop(deltaModel(deltas), [], (event) => {
      if (event.assistantMessageEvent?.type === "text_delta") onText(event.assistantMessageEvent.delta);
    });
    if (textOf(messages)?.length === deltas * "abcd ".length) return messages;
    throw new Error(`The stream ended with ${textOf(messages)?.length} characters.`);
  },
};
