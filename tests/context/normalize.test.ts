import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeMessage } from "../../src/context/normalize.ts";
import { ContextError } from "../../src/errors/index.ts";
import { hostileValues, nested, revokedProxy, throwingGetter } from "../util/hostile.ts";
import { history } from "./messages.ts";

const callWith = (args: unknown) => ({ role: "assistant", toolCalls: [{ id: "c", name: "t", arguments: args }] });
const argumentsOf = (args: unknown) =>
  Reflect.get(normalizeMessage(callWith(args)), "toolCalls")[0].arguments as unknown;

/** A list whose only element is not there, which `map` would pass by. */
const hole = Object.assign([], { length: 1 });

describe("normalizeMessage", () => {
  it("keeps what belongs to a message and drops the rest", () => {
    expect(normalizeMessage({ role: "user", content: "hi", extra: 1, toolCalls: [] })).toStrictEqual({
      role: "user",
      content: "hi",
    });
    expect(
      normalizeMessage({
        role: "system",
        content: [
          { type: "text", text: "a", x: 1 },
          { type: "image", url: "https://a.b" },
        ],
      }),
    ).toStrictEqual({
      role: "system",
      content: [
        { type: "text", text: "a" },
        { type: "image", url: "https://a.b" },
      ],
    });
    expect(
      normalizeMessage({ role: "tool", toolCallId: "c", name: "t", content: "x", isError: "yes", extra: 1 }),
    ).toStrictEqual({ role: "tool", toolCallId: "c", name: "t", content: "x" });
    expect(normalizeMessage({ role: "tool", toolCallId: "c", content: "x", isError: true })).toStrictEqual({
      role: "tool",
      toolCallId: "c",
      name: "",
      content: "x",
      isError: true,
    });
    expect(
      normalizeMessage({
        role: "assistant",
        content: null,
        toolCalls: [{ id: "c", name: "t", arguments: { a: 1 }, index: 0 }],
        reasoning: [{ text: "hm", provider: "p\ud800", data: { a: undefined, b: 1n }, extra: 1 }, { text: "so" }],
      }),
    ).toStrictEqual({
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c", name: "t", arguments: { a: 1 } }],
      reasoning: [{ text: "hm", provider: "p\ufffd", data: { b: "1" } }, { text: "so" }],
    });
    expect(normalizeMessage({ role: "assistant", content: "x", toolCalls: null, reasoning: [] })).toStrictEqual({
      role: "assistant",
      content: "x",
    });
  });

  it("makes arguments an object that can be sent again, whatever they were", () => {
    expect(argumentsOf('{"a":1}')).toStrictEqual({ a: 1 });
    expect(argumentsOf("")).toStrictEqual({});
    expect(argumentsOf(" ")).toStrictEqual({});
    expect(argumentsOf("null")).toStrictEqual({});
    expect(argumentsOf(undefined)).toStrictEqual({});
    expect(argumentsOf('{"a":')).toStrictEqual({ unparsedArguments: '{"a":' });
    expect(argumentsOf("[1]")).toStrictEqual({ unparsedArguments: "[1]" });
    expect(argumentsOf(7)).toStrictEqual({ unparsedArguments: "7" });
    expect(argumentsOf('{"__proto__":{"x":1}}')).toStrictEqual({});
  });

  it("mends half characters and NUL everywhere", () => {
    const half = "a\ud800";
    const mended = JSON.stringify([
      normalizeMessage({ role: "user", content: half }),
      normalizeMessage({
        role: "user",
        content: [
          { type: "text", text: half },
          { type: "image", url: half },
        ],
      }),
      normalizeMessage({ role: "tool", toolCallId: half, name: half, content: half }),
      normalizeMessage({
        role: "assistant",
        content: half,
        toolCalls: [{ id: half, name: half, arguments: { [half]: half } }],
      }),
      normalizeMessage({ role: "assistant", content: half, reasoning: [{ text: half, data: half }] }),
    ]);
    expect(mended).not.toMatch(/\\ud8/);
    expect(mended.match(/a\ufffd/g)).toHaveLength(14);
  });

  it("freezes the message and all that is in it", () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    fc.assert(
      fc.property(history, (messages) => {
        for (const message of messages) expect(isFrozen(normalizeMessage(message))).toBe(true);
      }),
    );
  });

  it("changes nothing the second time, and nothing that went through JSON", () => {
    fc.assert(
      fc.property(history, (messages) => {
        for (const message of messages) {
          const normal = normalizeMessage(message);
          expect(normalizeMessage(normal)).toStrictEqual(normal);
          expect(normalizeMessage(JSON.parse(JSON.stringify(normal)))).toStrictEqual(normal);
        }
      }),
    );
  });

  it.each([
    ["no object", "hi", /must be an object with role and content, got "hi"/],
    ["null", null, /got null/],
    [
      "an unknown role",
      { role: "developer", content: "x" },
      /the role "developer"; write "system", "user", "assistant" or "tool"/,
    ],
    ["no role", { content: "x" }, /the role undefined/],
    [
      "no content",
      { role: "user" },
      /content of a user message must be text or a non-empty list of parts, got undefined/,
    ],
    ["no parts", { role: "user", content: [] }, /non-empty list of parts, got an array of 0/],
    ["a hole in its parts", { role: "user", content: hole }, /A part of a user message must be/],
    [
      "an unknown part",
      { role: "tool", toolCallId: "c", content: [{ type: "audio" }] },
      /A part of a tool message.*"audio"/,
    ],
    ["a text part without text", { role: "user", content: [{ type: "text" }] }, /A part of a user message/],
    ["an image without address", { role: "user", content: [{ type: "image", url: 5 }] }, /A part of a user message/],
    ["no id of the call", { role: "tool", content: "x" }, /needs the toolCallId.*got undefined/],
    ["an empty id of the call", { role: "tool", toolCallId: "", content: "x" }, /needs the toolCallId/],
    ["no result", { role: "tool", toolCallId: "c", name: "t" }, /content of a tool message/],
    ["an answer in parts", { role: "assistant", content: [] }, /content of an assistant message must be text/],
    [
      "calls that are no list",
      { role: "assistant", toolCalls: {} },
      /toolCalls of an assistant message must be a list/,
    ],
    ["a call that is none", { role: "assistant", toolCalls: [null] }, /needs a non-empty id and name, got null/],
    ["a call without id", { role: "assistant", toolCalls: [{ id: "", name: "t" }] }, /needs a non-empty id and name/],
    ["a call without name", { role: "assistant", toolCalls: [{ id: "c", name: "" }] }, /needs a non-empty id and name/],
    ["a hole in its calls", { role: "assistant", toolCalls: hole }, /needs a non-empty id and name/],
    ["arguments too deep", callWith(nested(201)), /arguments of a tool call are too deep or too large/],
    ["arguments that cannot be read", callWith(throwingGetter()), /arguments of a tool call/],
    [
      "reasoning that is no list",
      { role: "assistant", reasoning: "hm" },
      /reasoning of an assistant message must be a list/,
    ],
    ["reasoning without text", { role: "assistant", reasoning: [{}] }, /A reasoning entry needs text/],
    ["a getter that throws", throwingGetter("role"), /A message cannot be read/],
    ["a revoked proxy", revokedProxy(), /A message cannot be read/],
    ["a content that is revoked", { role: "user", content: revokedProxy() }, /A message cannot be read/],
  ])("refuses a message with %s", (_what, message, words) => {
    expect(() => normalizeMessage(message)).toThrow(words);
    expect(() => normalizeMessage(message)).toThrow(ContextError);
  });

  it("takes any value for arguments and for content without any other error", () => {
    for (const value of Object.values(hostileValues())) {
      for (const message of [callWith(value), { role: "user", content: value }, { role: value }, [value], value]) {
        try {
          expect(JSON.parse(JSON.stringify(normalizeMessage(message)))).toBeTypeOf("object");
        } catch (error) {
          expect(error).toBeInstanceOf(ContextError);
        }
      }
    }
  });
});
