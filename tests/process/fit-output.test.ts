import { describe, expect, it } from "vitest";
import { fitOutput, outputLength, outputText, shareRoom } from "../../src/process/fit-output.ts";

describe("room for two streams", () => {
  it.each([
    ["is two thirds and one third when both are long", 100, 100, 90, 60, 30],
    ["is rounded in favour of stdout", 100, 100, 91, 61, 30],
    ["goes to stderr as far as stdout leaves it", 10, 100, 90, 10, 80],
    ["goes to stdout as far as stderr leaves it", 100, 10, 90, 80, 10],
    ["is stdout's when nobody needs it", 0, 0, 90, 90, 0],
    ["may be none", 5, 5, 0, 0, 0],
  ])("%s", (_, out, err, room, stdout, stderr) => {
    expect(shareRoom(out, err, room)).toEqual({ stdout, stderr });
  });
});

describe("the length of output", () => {
  it("counts the gap and its line ends", () => {
    expect(outputLength({ head: "abc", omittedBytes: 0 })).toBe(3);
    const gap = "[... 5 bytes omitted ...]";
    expect(outputLength({ head: "abc", tail: "de", omittedBytes: 5 })).toBe(`abc\n${gap}\nde`.length);
  });
});

describe("captured text", () => {
  it("is taken apart at its gap", () => {
    const text = "a\n[... 5 bytes omitted ...]\nb";
    expect(outputText(text, 5)).toEqual({ head: "a", tail: "b", omittedBytes: 5 });
  });

  it("that only looks like one with a gap is one piece", () => {
    const text = "a\n[... 5 bytes omitted ...]\nb";
    expect(outputText(text, 0)).toEqual({ head: text, omittedBytes: 0 });
    expect(outputText("\n[... 0 bytes omitted ...]\n", 0).tail).toBeUndefined();
    expect(outputText(text, 6)).toEqual({ head: text, omittedBytes: 6 });
  });

  it("may begin or end with its gap", () => {
    expect(outputText("\n[... 5 bytes omitted ...]\n", 5)).toEqual({ head: "", tail: "", omittedBytes: 5 });
  });
});

describe("output in its room", () => {
  const a = (count: number) => "a".repeat(count);
  const b = (count: number) => "b".repeat(count);

  it("is whole when it just fits", () => {
    expect(fitOutput({ head: a(100), omittedBytes: 0 }, 100)).toEqual({ text: a(100), cut: false });
    const gapped = { head: "a", tail: "b", omittedBytes: 5 };
    const text = "a\n[... 5 bytes omitted ...]\nb";
    expect(fitOutput(gapped, text.length)).toEqual({ text, cut: true });
  });

  it("fills it exactly with a fifth of the start and the rest of the end", () => {
    // 100 less the 29 that a gap of up to 800 bytes takes: 71, of which 14 are a fifth.
    const { text, cut } = fitOutput({ head: `${a(100)}${b(100)}`, omittedBytes: 0 }, 100);
    expect(text).toBe(`${a(14)}\n[... 129 bytes omitted ...]\n${b(57)}`);
    expect([text.length, cut]).toEqual([100, true]);
  });

  it("counts bytes, not characters", () => {
    const { text } = fitOutput({ head: "é".repeat(200), omittedBytes: 0 }, 100);
    expect(text).toBe(`${"é".repeat(14)}\n[... 258 bytes omitted ...]\n${"é".repeat(57)}`);
  });

  it("adds what is cut now to what was cut before", () => {
    const { text } = fitOutput({ head: a(100), tail: b(100), omittedBytes: 50 }, 100);
    expect(text).toBe(`${a(14)}\n[... 179 bytes omitted ...]\n${b(55)}`.replace(b(55), b(text.length - 14 - 29)));
    expect(text.length).toBeLessThanOrEqual(100);
    expect(text.length).toBeGreaterThanOrEqual(98);
  });

  it("gives the start what a short end leaves", () => {
    const { text } = fitOutput({ head: a(200), tail: b(5), omittedBytes: 0 }, 100);
    const kept = text.indexOf("\n");
    expect(text).toBe(`${a(kept)}\n[... ${200 - kept} bytes omitted ...]\n${b(5)}`);
    expect(kept).toBeGreaterThan(60);
  });

  it("gives the end what a short start leaves", () => {
    const { text } = fitOutput({ head: a(5), tail: b(200), omittedBytes: 0 }, 100);
    const kept = text.length - text.lastIndexOf("\n") - 1;
    expect(text).toBe(`${a(5)}\n[... ${200 - kept} bytes omitted ...]\n${b(kept)}`);
    expect(kept).toBeGreaterThan(60);
  });

  it("keeps whole lines where they end near", () => {
    // 14 characters of the start: the line ends after 13. 57 of the end: a line starts 55 before it.
    const head = `${a(13)}\n${a(100)}\n${b(55)}`;
    expect(fitOutput({ head, omittedBytes: 0 }, 100).text).toBe(`${a(13)}\n[... 102 bytes omitted ...]\n${b(55)}`);
  });

  it("keeps a line that fits to its last character", () => {
    const head = `${a(14)}\n${a(100)}\n${b(57)}`;
    expect(fitOutput({ head, omittedBytes: 0 }, 100).text).toBe(`${a(14)}\n[... 102 bytes omitted ...]\n${b(57)}`);
  });

  it("does not throw more than a fifth away for whole lines", () => {
    const near = fitOutput({ head: `${a(12)}\n${a(200)}\n${b(46)}`, omittedBytes: 0 }, 100).text;
    expect([near.indexOf("\n"), near.length - near.lastIndexOf("\n") - 1]).toEqual([12, 46]);
    const far = fitOutput({ head: `${a(10)}\n${a(200)}\n${b(40)}`, omittedBytes: 0 }, 100).text;
    expect(far.startsWith(`${a(10)}\naa\n[...`)).toBe(true);
    expect(far.endsWith(`a\n${b(40)}`)).toBe(true);
    expect(far.length).toBe(98);
  });

  it("does not cut at a line end that leaves nothing", () => {
    const start = fitOutput({ head: `\n${a(300)}`, omittedBytes: 0 }, 34).text;
    expect(start).toMatch(/^\n/);
    const end = fitOutput({ head: `${a(300)}\n`, omittedBytes: 0 }, 100).text;
    expect(end.endsWith("a\n")).toBe(true);
  });

  it("never splits a character at either end", () => {
    const smile = "😀";
    for (const room of [99, 100, 101, 102]) {
      for (const head of [smile.repeat(100), `x${smile.repeat(100)}`, `${smile.repeat(100)}x`]) {
        const { text } = fitOutput({ head, omittedBytes: 0 }, room);
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(text.length).toBeGreaterThan(room - 4);
      }
    }
  });

  it("without any room is the gap alone", () => {
    expect(fitOutput({ head: a(50), omittedBytes: 0 }, 0).text).toBe("\n[... 50 bytes omitted ...]\n");
    expect(fitOutput({ head: a(50), tail: b(5), omittedBytes: 7 }, 3).text).toBe("\n[... 62 bytes omitted ...]\n");
  });
});
