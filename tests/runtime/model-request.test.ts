import { describe, expect, it } from "vitest";
import { AgentContext } from "../../src/context/agent-context.ts";
import type { Model, ModelRequest } from "../../src/contract/model.ts";
import { createRuntime } from "../../src/runtime/create-runtime.ts";

const ANSWER = { content: "done", toolCalls: [], finishReason: "stop" } as const;

/** A conversation of so many messages. */
function contextOf(size: number): AgentContext {
  const context = new AgentContext();
  for (let index = 0; index < size; index++) context.add({ role: "user", content: `message ${index}` });
  return context;
}

/** A model that keeps each request and asks for one tool call at first. */
function keeper(answer: (request: ModelRequest) => void = () => {}) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: "keeper",
    generate: async (request) => {
      answer(request);
      const isFirst = requests.push(request) === 1;
      return isFirst
        ? { content: "", toolCalls: [{ id: "a", name: "now", arguments: {} }], finishReason: "toolCalls" }
        : ANSWER;
    },
  };
  return { model, requests };
}

const now = {
  name: "now",
  description: "Tells the time.",
  parameters: { type: "object" } as const,
  execute: () => "noon",
};

/** Short histories are copied at once, long ones when they are first read: a model must not notice. */
describe.each([10, 499, 500, 3000])("the request behind %i messages", (size) => {
  async function askedFor(answer?: (request: ModelRequest) => void) {
    const { model, requests } = keeper(answer);
    const runtime = createRuntime({ model, tools: [now], system: "Be brief." });
    const run = await runtime.run("What time is it?", { context: contextOf(size), settings: { temperature: 0 } });
    expect(run.status).toBe("completed");
    const [first, second] = requests as [ModelRequest, ModelRequest];
    return { run, first, second };
  }

  it("holds the history as it was when it was made, also when it is read after the run", async () => {
    const { first, second, run } = await askedFor();
    expect(first.messages).toHaveLength(size + 2);
    expect(first.messages[0]).toEqual({ role: "system", content: "Be brief." });
    expect(first.messages.at(-1)).toEqual({ role: "user", content: "What time is it?" });
    expect(second.messages.slice(1)).toEqual(run.history.slice(0, -1));
  });

  it("gives the same list each time", async () => {
    const { first } = await askedFor();
    expect(first.messages).toBe(first.messages);
    expect(Array.isArray(first.messages)).toBe(true);
  });

  it("comes whole when it is spread, written as JSON, cloned, inherited from or behind a proxy", async () => {
    const { first } = await askedFor();
    const expected = { messages: [...first.messages], tools: [...first.tools], settings: { temperature: 0 } };
    expect({ ...first }).toStrictEqual(expected);
    expect(JSON.parse(JSON.stringify(first))).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(structuredClone(first)).toEqual(expected);
    expect((Object.create(first) as ModelRequest).messages).toBe(first.messages);
    expect(new Proxy(first, {}).messages).toBe(first.messages);
    expect(Object.keys(first).toSorted()).toEqual(["messages", "settings", "tools"]);
  });

  it("may be changed by the model without a trace in the run", async () => {
    const { run, second } = await askedFor((request) => {
      (request.messages as unknown[]).length = 0;
      (request as { messages: unknown }).messages = [];
      expect(request.messages).toEqual([]);
    });
    expect(second.messages).toEqual([]);
    expect(run.history).toHaveLength(size + 4);
  });
});
