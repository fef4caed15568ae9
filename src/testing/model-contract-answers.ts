/**
 * The model contract: answers, and what was asked.
 *
 * Testing wing (Node).
 */
import type { Message } from "../contract/message.ts";
import type { FakeAnswer, FakeRequest } from "./fake-provider/reply.ts";
import { addTool, answerOf, ask, type ContractCase, compared, readArguments } from "./model-contract-kit.ts";

const USAGE = { inputTokens: 11, outputTokens: 7 };
const BOTH = {
  toolCalls: [
    { name: "add", arguments: { a: 17, b: 38 }, id: "call_one" },
    { name: "add", arguments: { a: 1, b: 2 }, id: "call_two" },
  ],
  usage: USAGE,
};

/** Answers that a model is to understand, by what they are. */
export const ANSWERS: Readonly<Record<string, FakeAnswer>> = {
  text: { text: ["It is ", "55."], usage: USAGE },
  "text in any script": { text: ["né", "€", "😀", "工"], usage: USAGE },
  "text with line ends and quotes": { text: ['a\r\nb "c" \\ \u2028', "data: x\n\n"], usage: USAGE },
  "calls in parallel": BOTH,
  "text beside calls": { text: "I add.", ...BOTH },
  "reasoning before text": { reasoning: ["Hm, ", "so."], text: "It is 55.", usage: USAGE },
  "reasoning before calls": { reasoning: ["Hm, ", "so."], ...BOTH },
};

/** What {@link ANSWERS} are to a model. */
export function expected(answer: FakeAnswer): object {
  const calls = (answer.toolCalls ?? []).map((call) => ({ name: call.name, arguments: call.arguments }));
  return {
    content: [answer.text ?? ""].flat().join(""),
    calls,
    finishReason: calls.length > 0 ? "toolCalls" : "stop",
  };
}

const HISTORY: readonly Message[] = [
  { role: "system", content: "Be brief, says the contract." },
  { role: "user", content: "What is 17 + 38, and 1 + 2?" },
  {
    role: "assistant",
    content: "I add.",
    toolCalls: [
      { id: "call_one", name: "add", arguments: { a: 17, b: 38 } },
      { id: "call_two", name: "add", arguments: '{"a":1,"b":2}' },
    ],
  },
  { role: "tool", toolCallId: "call_one", name: "add", content: "fifty-five" },
  { role: "tool", toolCallId: "call_two", name: "add", content: "no such number", isError: true },
  { role: "user", content: "Go on." },
];

/** The cases, whole answers only: that streams say the same is a case of its own. */
export const answerCases: readonly ContractCase[] = [
  ...Object.entries(ANSWERS).map(
    ([kind, answer]): ContractCase => ({
      sentence: `understands ${kind}`,
      async run({ model, expect, provider }) {
        provider.reply(answer);
        const response = await answerOf(model, ask("What is 17 + 38?", { tools: [addTool] }), "generate");
        expect(compared(response)).toMatchObject(expected(answer));
        expect(response.usage).toMatchObject(USAGE);
      },
    }),
  ),
  {
    sentence: "gives every call an id of its own, and a call without arguments an empty object",
    async run({ model, expect, provider }) {
      provider.reply({ toolCalls: [{ name: "now" }, { name: "now", arguments: "" }, { name: "now", arguments: {} }] });
      const now = { ...addTool, name: "now", parameters: { type: "object", properties: {} } };
      const { toolCalls } = await answerOf(model, ask("What time is it?", { tools: [now] }), "generate");
      expect(toolCalls.map((call) => readArguments(call.arguments))).toEqual([{}, {}, {}]);
      expect(new Set(toolCalls.map(({ id }) => id).filter((id) => id !== "")).size).toBe(3);
    },
  },
  {
    sentence: "sends a history with calls, results and a system prompt, each result under the id of its call",
    async run({ model, expect, provider }) {
      provider.reply({ text: "ok" });
      await answerOf(model, ask(HISTORY, { tools: [addTool] }), "generate");
      const body = provider.requests[0]?.rawBody ?? "";
      const sent = ["Be brief, says the contract.", "17 + 38", "I add.", "fifty-five", "no such number", "Go on."];
      expect(sent.filter((text) => !body.includes(text))).toEqual([]);
      expect(["call_one", "call_two"].map((id) => body.split(`"${id}"`).length - 1)).toEqual([2, 2]);
    },
  },
  {
    sentence: "takes its own answer back in the next request",
    async run({ model, expect, provider }) {
      provider.reply({ reasoning: "Hm, so.", text: "I add.", ...BOTH }, { text: "55 and 3" });
      const { content, toolCalls, reasoning } = await answerOf(model, ask("Add!", { tools: [addTool] }), "generate");
      const results = toolCalls.map(
        ({ id, name }): Message => ({ role: "tool", toolCallId: id, name, content: `of ${id}` }),
      );
      const messages: Message[] = [
        { role: "user", content: "Add!" },
        { role: "assistant", content, toolCalls, reasoning },
        ...results,
      ];
      const next = await answerOf(model, ask(messages, { tools: [addTool] }), "generate");
      expect(compared(next)).toMatchObject({ content: "55 and 3", calls: [], finishReason: "stop" });
      const body = provider.requests[1]?.rawBody ?? "";
      expect(toolCalls.filter(({ id }) => !body.includes(`of ${id}`))).toEqual([]);
    },
  },
  {
    sentence: "tells the provider of its tools, and of the limit of the reply",
    async run({ model, expect, provider }) {
      provider.reply({ text: "ok" });
      await answerOf(model, ask("Hi", { tools: [addTool], settings: { maxOutputTokens: 1_234 } }), "generate");
      const body = provider.requests[0]?.rawBody ?? "";
      expect([addTool.description, '"required":["a","b"]', "1234"].filter((text) => !body.includes(text))).toEqual([]);
    },
  },
  {
    sentence: "maps the names of tools to what providers take, and back",
    async run({ model, expect, provider }) {
      const names = ["files.read", "files_read", "查天气", "x".repeat(64)];
      const request = ask("Hi", { tools: names.map((name) => ({ ...addTool, name })) });
      provider.reply({ text: "ok" });
      await answerOf(model, request, "generate");
      const wire = toolNames(provider.requests[0]);
      expect(wire.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
      expect(new Set(wire).size).toBe(names.length);
      provider.reply({ toolCalls: wire.map((name) => ({ name, arguments: { a: 1, b: 2 } })) });
      const { toolCalls } = await answerOf(model, request, "generate");
      expect(toolCalls.map(({ name }) => name)).toEqual(names);
    },
  },
  {
    sentence: "says when an answer was cut by its limit, and leaves cut arguments as they are",
    async run({ model, expect, provider }) {
      provider.reply({ toolCalls: [{ name: "add", arguments: '{"a":17,"b":3' }], finishReason: "length" });
      const { finishReason, toolCalls } = await answerOf(model, ask("Add!", { tools: [addTool] }), "generate");
      expect(finishReason).toBe("length");
      const whole = toolCalls.filter((call) => typeof readArguments(call.arguments) === "object");
      expect(whole).toEqual([]);
    },
  },
  {
    sentence: "says when the provider filtered an answer",
    async run({ model, expect, provider }) {
      provider.reply({ text: "I can't", finishReason: "filtered" });
      expect(await answerOf(model, ask("Hi"), "generate")).toMatchObject({
        content: "I can't",
        finishReason: "filtered",
      });
    },
  },
  {
    sentence: "keeps calls apart that are made at the same time",
    async run({ model, expect, provider }) {
      const topics = ["alpha", "beta", "gamma"];
      // The slowest reply goes to whoever asks first.
      provider.reply(
        ...topics.map((_topic, at) => ({ text: `answer ${at}`, transport: { headerDelayMs: 40 - 20 * at } })),
      );
      const answers = await Promise.all(topics.map((topic) => answerOf(model, ask(topic), "generate")));
      const byArrival = provider.requests.map(({ rawBody }) => topics.findIndex((topic) => rawBody.includes(topic)));
      expect(byArrival.map((topic) => answers[topic]?.content)).toEqual(["answer 0", "answer 1", "answer 2"]);
    },
  },
];

/** The names of the tools in a request, in any of the dialects. */
function toolNames(request: FakeRequest | undefined): string[] {
  const { tools } = (request?.body ?? {}) as { tools?: { name?: string; function?: { name?: string } }[] };
  return (tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? "");
}
