/**
 * The floor: a bare hand-written loop that does the same checked work as a run. Every figure of
 * `bench/` is a ratio to it.
 */
import { addTool, deltaModel, turnsModel } from "./workloads.mjs";

export async function floorRun(model, tools, input) {
  const messages = [{ role: "user", content: input }];
  for (;;) {
    const response = await model.generate({ messages, tools: [] }, {});
    messages.push({ role: "assistant", content: response.content, toolCalls: response.toolCalls });
    if (response.toolCalls.length === 0) return { answer: response.content, messages };
    for (const call of response.toolCalls) {
      const tool = tools.get(call.name);
      const parsed = tool.parameters.safeParse(call.arguments);
      const value = parsed.success ? await tool.execute(parsed.data, {}) : parsed.error.message;
      messages.push({
        role: "tool",
        toolCallId: call.id,
        name: call.name,
        content: typeof value === "string" ? value : JSON.stringify(value),
      });
    }
  }
}

/** The same for a stream: gathers the text and hands each piece on. */
async function floorDeltas(model, onText) {
  const messages = [{ role: "user", content: "go" }];
  let content = "";
  for await (const event of model.stream({ messages, tools: [] }, {})) {
    if (event.type !== "text") continue;
    content += event.text;
    onText(event.text);
  }
  messages.push({ role: "assistant", content });
  return content;
}

/** @type {import("./contestant.mjs").Contestant} */
export const floor = {
  name: "floor",
  turns(turns, options) {
    const tools = new Map([["add", addTool(options)]]);
    return () => floorRun(turnsModel(turns, options), tools, "go");
  },
  deltas: (deltas) => async (onText) => floorDeltas(deltaModel(deltas), onText),
};
