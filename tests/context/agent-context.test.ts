import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentContext } from "../../src/context/agent-context.ts";
import { assertWellFormed } from "../../src/context/well-formed.ts";
import type { Message } from "../../src/contract/message.ts";
import { ContextError } from "../../src/errors/index.ts";
import { revokedProxy } from "../util/hostile.ts";
import { answer, asks, contextOf, history, said, user } from "./messages.ts";

/** The error with which a message is refused. */
function refusalOf(context: AgentContext, message: Message): ContextError {
  const before = context.messages;
  try {
    context.add(message);
  } catch (error) {
    expect(context.messages).toBe(before);
    expect(error).toBeInstanceOf(ContextError);
    expect(error).toMatchObject({ kind: "context", code: "CONTEXT_INVALID_MESSAGE", retryable: false });
    return error as ContextError;
  }
  throw new Error("The message was not refused.");
}

describe("messages", () => {
  it("is a frozen list that stays as it was when something is added", () => {
    const context = contextOf(user("one"));
    const before = context.messages;
    expect(context.messages).toBe(before);
    expect(Object.isFrozen(before)).toBe(true);
    expect(context.add(said("two"))).toBe(context);
    expect(before).toHaveLength(1);
    expect(context.messages.map(({ content }) => content)).toEqual(["one", "two"]);
    expect(context.size).toBe(2);
  });

  it("can be sent after whatever comes before it", () => {
    const context = contextOf(user("q"));
    const system: Message = { role: "system", content: "s" };
    const first = context.copyAfter([system]);
    expect(first).toEqual([system, user("q")]);
    expect(context.copyAfter([])).toEqual([user("q")]);
    expect(context.copyAfter([])).not.toBe(context.copyAfter([]));
  });
});

describe("the order of messages", () => {
  it("lets each call have its result, in any order, before anything else is said", () => {
    const context = contextOf(user(), asks("a", "b"));
    expect([...context.openCalls]).toEqual([
      ["a", "t"],
      ["b", "t"],
    ]);
    expect(context.knowsCall("a")).toBe(true);
    expect(context.knowsCall("c")).toBe(false);
    context.add(answer("b")).add(answer("a")).add(said("done"));
    expect(context.openCalls.size).toBe(0);
    expect(() => assertWellFormed(context.messages)).not.toThrow();
  });

  it.each([
    ["a result without its call", [user()], answer("p"), /"p" cannot be sent: its call does not stand before it/],
    ["a second result", [asks("p"), answer("p")], answer("p"), /"p" cannot be sent: its call has a result already/],
    [
      "a user message before the result",
      [asks("p", "q"), answer("p")],
      user(),
      /"q" has no result, but a message of the role "user" follows/,
    ],
    [
      "an answer before the result",
      [asks("p")],
      said("x"),
      /"p" has no result, but a message of the role "assistant" follows/,
    ],
    ["a call id that was used", [asks("p"), answer("p")], asks("p"), /"p" is used twice/],
    ["a call id twice in one message", [], asks("p", "q", "p"), /"p" is used twice/],
  ])("refuses %s and names it", (_what, before, message, words) => {
    expect(refusalOf(contextOf(...before), message).message).toMatch(words);
  });

  it("remembers nothing of a message that it refused", () => {
    const context = contextOf();
    refusalOf(context, asks("p", "p"));
    expect(context.knowsCall("p")).toBe(false);
    context.add(asks("p")).add(answer("p"));
    expect(context.size).toBe(2);
  });

  it("leaves out an answer that says nothing, also one that only thought", () => {
    const context = contextOf(user(), said(""), { role: "assistant", content: "", reasoning: [{ text: "hm" }] });
    expect(context.messages).toEqual([user()]);
  });

  it("refuses what is no message, whatever it is", () => {
    const context = contextOf();
    for (const message of [undefined, null, "hi", 5, {}, [], revokedProxy()]) refusalOf(context, message as never);
  });

  it("answers open calls with the reason when it is told to", () => {
    const context = contextOf(asks("a", "b", "c"), answer("b"));
    context.closeOpenCalls("cancelled");
    expect(context.messages.slice(2)).toEqual([
      { role: "tool", toolCallId: "a", name: "t", content: "cancelled", isError: true },
      { role: "tool", toolCallId: "c", name: "t", content: "cancelled", isError: true },
    ]);
    expect(() => assertWellFormed(context.messages)).not.toThrow();
    expect(context.messages.every(Object.isFrozen)).toBe(true);
  });
});

describe("a context in use", () => {
  it("is refused to a second run until the first gives it back", () => {
    const context = contextOf();
    context.acquire();
    expect(() => context.acquire()).toThrow(/in use by another run.*AgentContext\.restore\(context\.snapshot\(\)\)/);
    expect(() => context.acquire()).toThrow(TypeError);
    context.release();
    context.acquire();
    context.add(user());
    expect(context.size).toBe(1);
  });

  it("can be copied by its snapshot, and the copy is free", () => {
    const context = contextOf(user());
    context.acquire();
    const copy = AgentContext.restore(context.snapshot());
    copy.acquire();
    copy.add(said("only here"));
    expect(context.size).toBe(1);
  });
});

describe("assertWellFormed", () => {
  it.each([
    ["a call without a result", [asks("p")], /"p" has no result/],
    ["an empty answer", [user(), said("")], /empty/],
    ["a result cut off from its call", [answer("p"), answer("q"), said("text"), user()], /"p" cannot be sent/],
    ["a doubled id", [asks("p", "p")], /"p" is used twice/],
  ])("finds %s", (_what, messages, words) => {
    expect(() => assertWellFormed(messages)).toThrow(words);
    expect(() => assertWellFormed(messages)).toThrow(ContextError);
  });

  it("finds every cut that parts a call from its result", () => {
    const whole = [user(), asks("p", "q"), answer("p"), answer("q"), said("text"), user()];
    const fits = whole.map((_, from) => {
      try {
        assertWellFormed(whole.slice(from));
        return true;
      } catch {
        return false;
      }
    });
    expect(fits).toEqual([true, true, false, false, true, true]);
  });

  it("accepts whatever a context accepted", () => {
    fc.assert(
      fc.property(history, (messages) => {
        expect(() => assertWellFormed(contextOf(...messages).messages)).not.toThrow();
      }),
    );
  });
});
