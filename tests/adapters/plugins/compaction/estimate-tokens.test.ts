import { estimateTokens } from "harness-kit/compaction";
import { describe, expect, it } from "vitest";

/** Eighths of a token, made whole by saying the text eight times, apart from each other. */
const eighths = (text: string) => estimateTokens(`${text} `.repeat(8));

describe("estimateTokens", () => {
  it.each([
    ["nothing as nothing", "", 0],
    ["space as nothing", " \t\r\n ", 0],
    ["a short word as about one", "word", 8],
    ["a long word as two", "encyclopaedia", 17],
    ["the letters from a to z as those of a word", "az", 6],
    ["a capital as the beginning of a word", "Word", 10],
    ["the capitals from A to Z as those of a word", "AZ", 8],
    ["a capital within a word as a new one", "wordWord", 18],
    ["accented letters as those of a word", "\u00c0\u00fc\u024f", 7],
    ["a number as about one for three digits", "123", 12],
    ["the digits from 0 to 9 as those of a number", "09", 10],
    ["a hash as its words and numbers", "ab12cd", 6 + 10 + 6],
    ["signs nearly one by one", "{}:@[`/\u007f\u00bf", 38],
    ["two letters of another alphabet as one", "\u0250\u0436\u2e7f\u03c9", 16],
    ["each Chinese, Japanese or Korean character as one", "\u2e80上あ안\uffe5", 40],
    ["an emoji as two", "🙂", 16],
    ["a mixture as its runs", "abc上1,", 7 + 8 + 8 + 6],
  ])("counts %s", (_what, text, count) => {
    expect(eighths(text)).toBe(count);
  });

  it("rounds up", () => {
    expect(estimateTokens("a")).toBe(1);
    expect(estimateTokens("words and numbers")).toBe(4);
  });

  /** Counted with o200k_base. */
  it.each([
    ["prose", "The quick brown fox jumps over the lazy dog, and nobody minds at all. ".repeat(4), 65],
    ["code", "export function add(a: number, b: number): number {\n  return a + b;\n}\n".repeat(4), 80],
    ["JSON", '{"name":"harness-kit","version":"0.1.0","engines":{"node":">=20"}}', 24],
    ["a log", "2026-05-01T12:00:03.120Z [info] GET /api/v1/items/37 200 12ms\n".repeat(4), 128],
  ])("is within a quarter of a tokenizer for %s", (_what, text, tokens) => {
    expect(estimateTokens(text) / tokens).toBeGreaterThan(0.75);
    expect(estimateTokens(text) / tokens).toBeLessThan(1.25);
  });
});
