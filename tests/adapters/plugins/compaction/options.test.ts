import { compaction } from "harness-kit/compaction";
import { scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";

const refused = (options: object) => () => compaction(options);

describe("the options of compaction", () => {
  it("may all be left out, or be undefined", () => {
    const nothing = { maxTokens: undefined, targetTokens: undefined, summarize: undefined, model: undefined };
    for (const plugin of [compaction(), compaction({}), compaction(nothing)]) expect(plugin.name).toBe("compaction");
  });

  it.each(["maxTokens", "targetTokens", "imageTokens", "keepTurns", "resultChars", "summaryTokens"])(
    "refuse a %s that is no whole number",
    (option) => {
      for (const value of [-1, 1000.5, Number.NaN, Number.POSITIVE_INFINITY, "1000", {}]) {
        expect(refused({ [option]: value }), String(value)).toThrow(
          expect.objectContaining({ code: "RUNTIME_INVALID_CONFIG", message: expect.stringContaining(option) }),
        );
      }
    },
  );

  it.each(["maxTokens", "targetTokens", "keepTurns", "summaryTokens"])("refuse a %s of 0, and take 1", (option) => {
    expect(refused({ [option]: 0 })).toThrow(/from 1 up, got 0/);
    expect(refused({ [option]: 1 })).not.toThrow();
  });

  it("take images that cost nothing", () => {
    expect(refused({ imageTokens: 0 })).not.toThrow();
  });

  it("refuse results so short that the note of what is left out has no room", () => {
    expect(refused({ resultChars: 99 })).toThrow(/from 100 up, got 99/);
    expect(refused({ resultChars: 100 })).not.toThrow();
  });

  it("refuse a target above the limit, and take one as high as it", () => {
    expect(refused({ maxTokens: 10, targetTokens: 11 })).toThrow(/targetTokens.*\(10\), got 11/);
    expect(refused({ maxTokens: 10, targetTokens: 10 })).not.toThrow();
    expect(refused({ targetTokens: 11 })).not.toThrow();
  });

  it("refuse a timeout that is no length of time, and take 0 and Infinity for none", () => {
    for (const value of [-1, Number.NaN, "5"])
      expect(refused({ summaryTimeoutMs: value })).toThrow(/summaryTimeoutMs.*from 0 up/);
    for (const value of [0, 0.5, Number.POSITIVE_INFINITY]) expect(refused({ summaryTimeoutMs: value })).not.toThrow();
  });

  it("refuse two who summarise, and what cannot", () => {
    const model = scriptedModel(["x"]);
    expect(refused({ model, summarize: () => "x" })).toThrow(/Give one of them/);
    expect(refused({ summarize: true })).toThrow(/summarize must be a function, got true/);
    expect(refused({ summarize: "short" })).toThrow(/summarize must be a function/);
    expect(refused({ countTokens: 4 })).toThrow(/countTokens must be a function, got 4/);
    for (const value of ["gpt-5", null, {}, { generate: 1 }])
      expect(refused({ model: value })).toThrow(/model of compaction must be a model/);
    expect(refused({ model })).not.toThrow();
    expect(refused({ model: () => ({ content: "x", toolCalls: [] }) })).not.toThrow();
    expect(refused({ summarize: false })).not.toThrow();
  });

  it("refuse instructions that are no text", () => {
    expect(refused({ instructions: ["Be short."] })).toThrow(/instructions must be text/);
  });
});
