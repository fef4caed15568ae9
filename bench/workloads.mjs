/** Models and tools without any latency, so that only the runtime's own work is measured. */
import { z } from "zod";

/**
 * A model that asks for `calls` tool calls a turn, `turns` times, then answers.
 *
 * @param {number} turns
 * @param {{ calls?: number, readSignal?: boolean, pause?: boolean }} options - With `pause` each call takes one turn of the event loop.
 */
export function turnsModel(turns, { calls = 1, readSignal = false, pause = false } = {}) {
  let turn = 0;
  const answer = () => {
    if (turn++ >= turns) return { content: "done", toolCalls: [], finishReason: "stop" };
    const toolCalls = [];
    for (let index = 0; index < calls; index++) {
      toolCalls.push({ id: `c${turn}_${index}`, name: "add", arguments: { a: turn, b: index } });
    }
    return { content: "", toolCalls, finishReason: "toolCalls" };
  };
  return {
    name: "bench",
    generate(_request, context) {
      if (readSignal) context.signal?.throwIfAborted();
      if (!pause) return Promise.resolve(answer());
      return new Promise((resolve) => setImmediate(() => resolve(answer())));
    },
  };
}

/** A model that streams `deltas` pieces of text and is then done. */
export function deltaModel(deltas) {
  return {
    name: "bench",
    generate: () => Promise.reject(new Error("This model streams.")),
    async *stream() {
      for (let index = 0; index < deltas; index++) yield { type: "text", text: "abcd " };
      yield { type: "finish", finishReason: "stop" };
    },
  };
}

/**
 * Adds two numbers; with `text`, returns that text instead.
 *
 * @param {{ text?: string, readSignal?: boolean }} options
 */
export function addTool({ text, readSignal = false } = {}) {
  return {
    name: "add",
    description: "Add two numbers.",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }, context) => {
      if (readSignal) context.signal?.throwIfAborted();
      return text ?? a + b;
    },
  };
}
