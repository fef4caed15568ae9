/**
 * The OpenAI Agents SDK: `run` with an `Agent` whose model is an object of ours, and its streamed form.
 *
 * 0.14.3 is the newest whose packages do not refuse Node 20: from 0.15 on it needs openai 7, which asks for Node 22.
 * Tracing is off; with it, every run would also make spans. The arguments of a call are JSON text.
 */
import { Agent, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";

setTracingDisabled(true);

const USAGE = new Usage();

const message = (text) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

/** What `turnsModel` of `workloads.mjs` does, in the words of the Agents SDK. */
function turnsModel(turns, { calls = 1, readSignal = false, pause = false }) {
  let turn = 0;
  const answer = () => {
    if (turn++ >= turns) return { output: [message("done")], usage: USAGE };
    const output = [];
    for (let index = 0; index < calls; index++) {
      const text = `{"a":${turn},"b":${index}}`;
      const callId = `c${turn}_${index}`;
      output.push({ type: "function_call", callId, name: "add", status: "completed", arguments: text });
    }
    return { output, usage: USAGE };
  };
  return {
    getResponse({ signal }) {
      if (readSignal) signal?.throwIfAborted();
      if (!pause) return Promise.resolve(answer());
      return new Promise((resolve) => setImmediate(() => resolve(answer())));
    },
  };
}

function deltaModel(deltas) {
  return {
    async *getStreamedResponse() {
      let text = "";
      for (let index = 0; index < deltas; index++) {
        text += "abcd ";
        yield { type: "output_text_delta", delta: "abcd " };
      }
      const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
      yield { type: "response_done", response: { id: "r", usage, output: [message(text)] } };
    },
  };
}

/** Counts its executions in the context of the run. */
function addTool({ text, readSignal = false }) {
  return tool({
    name: "add",
    description: "Add two numbers.",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute({ a, b }, { context }, details) {
      if (readSignal) details?.signal?.throwIfAborted();
      context.executions++;
      return text ?? a + b;
    },
  });
}

/** @type {import("../contestant.mjs").Contestant} */
export const openaiAgents = {
  name: "openai-agents",
  turns(turns, options) {
    const tools = [addTool(options)];
    const expected = turns * (options.calls ?? 1);
    return async () => {
      const agent = new Agent({ name: "bench", model: turnsModel(turns, options), tools });
      const context = { executions: 0 };
      const result = await run(agent, "go", { context, maxTurns: turns + 1 });
      if (result.finalOutput === "done" && context.executions === expected) return result;
      throw new Error(`The run ended with "${result.finalOutput}" after ${context.executions} of ${expected} calls.`);
    };
  },
  deltas: (deltas) => async (onText) => {
    const agent = new Agent({ name: "bench", model: deltaModel(deltas) });
    const result = await run(agent, "go", { stream: true });
    for await (const event of result) {
      if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") onText(event.data.delta);
    }
    await result.completed;
    if (result.finalOutput?.length === deltas * "abcd ".length) return result;
    throw new Error(`The stream ended with ${result.finalOutput?.length} characters.`);
  },
};
