import { estimateTokens } from "harness-kit/compaction";
import { describe, expect, it } from "vitest";

describe("estimateTokens", () => {
  it.each([
    ["nothing", "", 0],
    ["four Latin characters to a token", "abcd", 1],
    ["a token begun as a whole one", "abcde", 2],
    ["accented letters as Latin ones", "Übergrößenträger", 4],
    ["the last Latin letter as one", "\u024f".repeat(4), 1],
    ["two characters of another alphabet to a token", "привет", 3],
    ["the first letter after Latin as of another alphabet", "\u0250".repeat(4), 2],
    ["the last letter before CJK as of another alphabet", "\u2e7f".repeat(4), 2],
    ["the first CJK radical as CJK", "\u2e80".repeat(4), 4],
    ["each Chinese character", "上下文窗口", 5],
    ["each Korean syllable", "안녕", 2],
    ["two tokens for an emoji", "🙂", 2],
    ["a mixture as its sum", "abcd上下", 3],
  ])("counts %s", (_what, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});
