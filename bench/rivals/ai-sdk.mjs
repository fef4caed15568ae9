/**
 * The AI SDK: `generateText` with `stopWhen`, and `streamText` for the deltas.
 *
 * ai 6 is the newest major that Node 20 runs (7 needs Node 22), and it takes models of specification "v3":
 * the arguments of a call are JSON text, and a stream is a `ReadableStream`. Telemetry is off, as by default.
 */
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
const IDENTITY = { specificationVersion: "v3", provider: "bench", modelId: "bench", supportedUrls: {} };
const STOP = { unified: "stop", raw: undefined };
const TOOL_CALLS = { unified: "tool-calls", raw: undefined };

/** What `turnsModel` of `workloads.mjs` does, in the words of the AI SDK. */
function turnsModel(turns, { calls = 1, readSignal = false, pause = false }) {
  let turn = 0;
  const answer = () => {
    if (turn++ >= turns) {
      return { content: [{ type: "text", text: "done" }], finishReason: STOP, usage: USAGE, warnings: [] };
    }
    const content = [];
    for (let index = 0; index < calls; index++) {
      const input = `{"a":${turn},"b":${index}}`;
      content.push({ type: "tool-call", toolCallId: `c${turn}_${index}`, toolName: "add", input });
    }
    return { content, finishReason: TOOL_CALLS, usage: USAGE, warnings: [] };
  };
  return {
    ...IDENTITY,
    doGenerate({ abortSignal }) {
      if (readSignal) abortSignal?.throwIfAborted();
      if (!pause) return Promise.resolve(answer());
      return new Promise((resolve) => setImmediate(() => resolve(answer())));
    },
  };
}

/** The whole stream waits in its queue: the cheapest `ReadableStream` to read. */
function deltaModel(deltas) {
  return {
    ...IDENTITY,
    doStream() {
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          controller.enqueue({ type: "text-start", id: "0" });
          for (let index = 0; index < deltas; index++) {
            controller.enqueue({ type: "text-delta", id: "0", delta: "abcd " });
          }
          controller.enqueue({ type: "text-end", id: "0" });
          controller.enqueue({ type: "finish", finishReason: STOP, usage: USAGE });
          controller.close();
        },
      });
      return Promise.resolve({ stream });
    },
  };
}

/** Counts its executions in the context of the run. */
function addTool({ text, readSignal = false }) {
  return tool({
    description: "Add two numbers.",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute({ a, b }, { abortSignal, experimental_context: run }) {
      if (readSignal) abortSignal?.throwIfAborted();
      run.executions++;
      return text ?? a + b;
    },
  });
}

/** @type {import("../contestant.mjs").Contestant} */
export const aiSdk = {
  name: "ai (generateText)",
  turns(turns, options) {
    const tools = { add: addTool(options) };
    const expected = turns * (options.calls ?? 1);
    return async () => {
      const run = { executions: 0 };
      const result = await generateText({
        model: turnsModel(turns, options),
        tools,
        prompt: "go",
        stopWhen: stepCountIs(turns + 1),
        experimental_context: run,
      });
      if (result.text === "done" && run.executions === expected) return result;
      throw new Error(`The run ended with "${result.text}" after ${run.executions} of ${expected} tool calls.`);
    };
  },
  /** Reads one branch only: to ask for `result.text` as well would copy the stream once more. */
  deltas: (deltas) => async (onText) => {
    const result = streamText({ model: deltaModel(deltas), prompt: "go" });
    let content = "";
    for await (const text of result.textStream) {
      content += text;
      onText(text);
    }
    if (content.length === deltas * "abcd ".length) return content;
    throw new Error(`The stream ended with ${content.length} characters.`);
  },
};
