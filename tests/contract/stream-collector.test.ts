import type { ModelEvent } from "harness-kit";
import { describe, expect, it } from "vitest";
import { StreamCollector } from "../../src/contract/stream-collector.ts";

function collect(...events: ModelEvent[]) {
  const told: string[] = [];
  const collector = new StreamCollector({
    onText: (text) => told.push(text),
    onReasoning: (text) => told.push(`(${text})`),
  });
  for (const event of events) collector.take(event);
  return { told, answer: collector.response() };
}

const stop: ModelEvent = { type: "finish", finishReason: "stop" };
const thought = (text: string, provider?: string, data?: unknown): ModelEvent => {
  return { type: "reasoning", text, provider, ...(data !== undefined && { data }) };
};

describe("the reasoning of a streamed answer", () => {
  it("is one entry a block: its readable pieces, and the data that its adapter sends behind them", () => {
    const block = { type: "thinking", signature: "s" };
    const { answer } = collect(thought("Hm", "a"), thought(", so.", "a"), thought("", "a", block), stop);
    expect(answer.reasoning).toEqual([{ text: "Hm, so.", provider: "a", data: block }]);
  });

  it("is another entry behind each block that is complete", () => {
    const { answer } = collect(
      thought("One", "a"),
      thought("", "a", 1),
      thought("Two", "a"),
      thought("", "a", 2),
      thought("", "a", 3),
      thought("Four", "a"),
      stop,
    );
    expect(answer.reasoning).toEqual([
      { text: "One", provider: "a", data: 1 },
      { text: "Two", provider: "a", data: 2 },
      { text: "", provider: "a", data: 3 },
      { text: "Four", provider: "a" },
    ]);
  });

  it("of several adapters stays apart, and what has no adapter stays readable only", () => {
    const { answer } = collect(thought("Hm"), thought(", so."), thought("", "a", 1), thought("Or", "b"), stop);
    expect(answer.reasoning).toEqual([
      { text: "Hm, so." },
      { text: "", provider: "a", data: 1 },
      { text: "Or", provider: "b" },
    ]);
  });

  it("is the same with text and calls between its pieces", () => {
    const { answer } = collect(
      thought("Hm", "a"),
      { type: "text", text: "I add." },
      { type: "toolCall", index: 0, id: "c1", name: "add" },
      thought("", "a", 1),
      stop,
    );
    expect(answer.reasoning).toEqual([{ text: "Hm", provider: "a", data: 1 }]);
  });
});

describe("the listener of a stream", () => {
  it("hears each piece once, in order, and nothing of empty ones, of data and of heartbeats", () => {
    const { told, answer } = collect(
      { type: "heartbeat" },
      thought("Hm", "a"),
      thought("", "a", 1),
      { type: "text", text: "" },
      { type: "text", text: "It is " },
      { type: "heartbeat" },
      { type: "text", text: "55." },
      { type: "usage", usage: { inputTokens: 1, outputTokens: 2 } },
      stop,
      { type: "heartbeat" },
    );
    expect(told).toEqual(["(Hm)", "It is ", "55."]);
    expect(answer).toMatchObject({ content: "It is 55.", finishReason: "stop", usage: { inputTokens: 1 } });
  });
});

describe("a stream", () => {
  it("of heartbeats alone is no answer", () => {
    expect(() => collect({ type: "heartbeat" })).toThrow("ended before its answer was complete");
  });

  it("that gives something else is refused", () => {
    for (const event of [undefined, "text", { type: "delta" }, { type: "text" }, { type: "reasoning", text: 1 }]) {
      expect(() => collect(event as ModelEvent)).toThrow("which is no ModelEvent");
    }
  });
});
