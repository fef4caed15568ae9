/**
 * Messages that the tests of this folder share.
 */
import fc from "fast-check";
import { AgentContext } from "../../src/context/agent-context.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../src/contract/message.ts";

export const user = (content = "hi"): Message => ({ role: "user", content });
export const said = (content: string): AssistantMessage => ({ role: "assistant", content });
export const answer = (toolCallId: string, content = "done"): ToolMessage => ({
  role: "tool",
  toolCallId,
  name: "t",
  content,
});

/** An assistant message that asks for calls with these ids. */
export function asks(...ids: string[]): AssistantMessage {
  return { role: "assistant", content: "", toolCalls: ids.map((id) => ({ id, name: "t", arguments: { id } })) };
}

/** A context with these messages. */
export function contextOf(...messages: Message[]): AgentContext {
  const context = new AgentContext();
  for (const message of messages) context.add(message);
  return context;
}

const text = fc.string({ unit: "binary", maxLength: 20 });
const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      text.map((words) => ({ type: "text" as const, text: words })),
      fc.constant({ type: "image" as const, url: "https://a.b/c.png" }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
);
const json = fc.oneof(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })), fc.json(), text, fc.constant(undefined));
const reasoning = fc.option(
  fc.array(fc.record({ text, provider: text, data: fc.jsonValue({ maxDepth: 1 }) }), { maxLength: 2 }),
  {
    nil: undefined,
  },
);

/** One turn: what somebody said, or calls with all their results. */
const turn = fc.oneof(
  fc.record({ role: fc.constantFrom("system" as const, "user" as const), content }).map((message) => [message]),
  fc.record({ role: fc.constant("assistant" as const), content: text, reasoning }).map((message) => [message]),
  fc.array(fc.record({ args: json, result: content, isError: fc.boolean() }), { minLength: 1, maxLength: 3 }),
);

/** A history that any provider takes, before it is normal. */
export const history: fc.Arbitrary<Message[]> = fc.array(turn, { maxLength: 6 }).map((turns) =>
  turns.flatMap((entries, round): Message[] => {
    const [first] = entries;
    if (first !== undefined && "role" in first) return entries as Message[];
    const calls = entries as { args: unknown; result: string; isError: boolean }[];
    const id = (index: number) => `${round}_${index}`;
    return [
      {
        role: "assistant",
        content: "",
        toolCalls: calls.map(({ args }, index) => ({ id: id(index), name: "t", arguments: args })),
      },
      ...calls.map(
        ({ result, isError }, index): Message => ({
          role: "tool",
          toolCallId: id(index),
          name: "t",
          content: result,
          isError,
        }),
      ),
    ];
  }),
);
