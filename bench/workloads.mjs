/** Models and tools without any latency, so that only the runtime's own work is measured. */
import { z } from "zod";

/** Asks for `calls` tool calls a turn, `turns` times, then answers. */
export function turnsModel(turns, { calls = 1, readSignal = false } = {}) {
  let turn = 0;
  return {
    name: "bench",
    generate(_request, context) {
      if (readSignal) context.signal?.throwIfAborted();
      if (turn++ >= turns) return Promise.resolve({ content: "done", toolCalls: [], finishReason: "stop" });
      const toolCalls = Array.from({ length: calls }, (_, index) => ({
        id: `c${turn}_${index}`,
        name: "add",
        arguments: { a: turn, b: index },
      }));
      return Promise.resolve({ content: "", toolCalls, finishReason: "toolCalls" });
    },
  };
}

/** Adds two numbers; with `text`, returns that text instead. */
export function addTool(text) {
  return {
    name: "add",
    description: "Add two numbers.",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => text ?? a + b,
  };
}
