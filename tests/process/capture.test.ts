import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isBinary } from "../../src/process/binary.ts";
import { CAPTURE_LIMITS, captureAll, createCapture, omissionMarker } from "../../src/process/capture.ts";
import { cutEnd, cutStart } from "../../src/process/utf8.ts";

const small = { headBytes: 10, tailBytes: 20 };

function captureChunks(chunks: readonly Buffer[], limits = small) {
  const capture = createCapture(limits);
  for (const chunk of chunks) capture.write(chunk);
  return capture.finish();
}

const chunked = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

describe("a capture", () => {
  it("keeps short output whole", () => {
    expect(captureChunks([Buffer.from("hello\n")])).toEqual({
      text: "hello\n",
      info: { bytes: 6, omittedBytes: 0, binary: false },
    });
  });

  it("keeps output whole that fills head and tail exactly", () => {
    const text = "0123456789abcdefghijklmnopqrst";
    expect(captureChunks(chunked(Buffer.from(text), 7))).toEqual({
      text,
      info: { bytes: 30, omittedBytes: 0, binary: false },
    });
  });

  it("leaves out the middle of longer output and says how much", () => {
    const { text, info } = captureChunks(chunked(Buffer.from("0123456789-abcdefghijklmnopqrst"), 7));
    expect(text).toBe("0123456789\n[... 1 bytes omitted ...]\nabcdefghijklmnopqrst");
    expect(info).toEqual({ bytes: 31, omittedBytes: 1, binary: false });
  });

  it("counts with thousands separators", () => {
    expect(omissionMarker(1_234_567)).toBe("[... 1,234,567 bytes omitted ...]");
  });

  it("keeps a whole 240 kB of three-byte characters that come in any chunks", () => {
    const text = "你".repeat(80_000);
    expect(captureChunks(chunked(Buffer.from(text), 8_191), CAPTURE_LIMITS).text).toBe(text);
  });

  it("cuts at the end of a line when one is near", () => {
    const text = `first\n${"x".repeat(40)}\nlast line\n`;
    const captured = captureAll(Buffer.from(text), { headBytes: 10, tailBytes: 14 });
    expect(captured.text).toBe("first\n[... 42 bytes omitted ...]\nlast line\n");
    expect(captured.info).toEqual({ bytes: 57, omittedBytes: 42, binary: false });
  });

  it("counts bytes as they come", () => {
    const capture = createCapture(small);
    capture.write(Buffer.from("abc"));
    expect(capture.bytes).toBe(3);
    capture.write(Buffer.alloc(100));
    expect(capture.bytes).toBe(103);
  });

  it("takes nothing for an output that is not there", () => {
    const nothing = { text: "", info: { bytes: 0, omittedBytes: 0, binary: false } };
    expect(captureAll(null)).toEqual(nothing);
    expect(captureAll(undefined)).toEqual(nothing);
    expect(captureAll(Buffer.alloc(0))).toEqual(nothing);
  });

  it("holds nothing back when it may keep no end", () => {
    expect(captureChunks([Buffer.from("0123456789abc")], { headBytes: 10, tailBytes: 0 }).text).toBe(
      "0123456789\n[... 3 bytes omitted ...]\n",
    );
  });

  it("does not change when the caller reuses a chunk", () => {
    const chunk = Buffer.from("abc");
    const capture = createCapture(small);
    capture.write(chunk);
    chunk.fill("z");
    expect(capture.finish().text).toBe("abc");
  });

  it("holds 256 KiB of 8 MiB and both ends of it", () => {
    const capture = createCapture();
    capture.write(Buffer.from("START\n"));
    for (let i = 0; i < 128; i++) capture.write(Buffer.alloc(65_536, "x"));
    capture.write(Buffer.from("\nEND"));
    const { text, info } = capture.finish();
    expect(text.startsWith("START\n")).toBe(true);
    expect(text.endsWith("\nEND")).toBe(true);
    expect(text.length).toBeLessThanOrEqual(262_144 + 60);
    expect(info.bytes).toBe(128 * 65_536 + 10);
  });
});

describe("whatever is written", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "你", "😀", "\n"), maxLength: 200 });
  const sizes = fc.integer({ min: 1, max: 50 });
  const limits = fc.record({ headBytes: fc.nat(40), tailBytes: fc.nat(60) });

  it("no character is split, the bound holds, and both ends are kept", () => {
    fc.assert(
      fc.property(text, sizes, limits, (written, size, limit) => {
        const bytes = Buffer.from(written);
        const { text: kept, info } = captureChunks(chunked(bytes, size), limit);
        expect(kept).not.toContain("\uFFFD");
        expect(info.bytes).toBe(bytes.length);
        if (info.omittedBytes === 0) {
          expect(kept).toBe(written);
          return;
        }
        const marker = `\n${omissionMarker(info.omittedBytes)}\n`;
        const [head = "", tail = ""] = kept.split(marker);
        expect(kept.split(marker)).toHaveLength(2);
        expect(written.startsWith(head)).toBe(true);
        expect(written.endsWith(tail)).toBe(true);
        const sum = Buffer.byteLength(head) + Buffer.byteLength(tail);
        expect(sum).toBeLessThanOrEqual(limit.headBytes + limit.tailBytes);
        expect(sum + info.omittedBytes).toBe(bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  it("chunks make no difference, also for bytes that are no text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), sizes, limits, (array, size, limit) => {
        const bytes = Buffer.from(array);
        expect(captureChunks(chunked(bytes, size), limit)).toEqual(captureAll(bytes, limit));
      }),
    );
  });
});

describe("a cut", () => {
  it("before an end keeps whole characters", () => {
    expect(cutEnd(Buffer.from("a你").subarray(0, 2)).toString()).toBe("a");
    expect(cutEnd(Buffer.from("a你").subarray(0, 3)).toString()).toBe("a");
    expect(cutEnd(Buffer.from("a你")).toString()).toBe("a你");
    expect(cutEnd(Buffer.from("a😀").subarray(0, 4)).toString()).toBe("a");
    expect(cutEnd(Buffer.from("a😀")).toString()).toBe("a😀");
    expect(cutEnd(Buffer.from("aé").subarray(0, 2)).toString()).toBe("a");
    expect(cutEnd(Buffer.from("aé")).toString()).toBe("aé");
    expect(cutEnd(Buffer.from("a")).toString()).toBe("a");
    expect(cutEnd(Buffer.alloc(0))).toHaveLength(0);
  });

  it("leaves bytes alone that are no characters", () => {
    expect(cutEnd(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toHaveLength(4);
    expect(cutStart(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toHaveLength(1);
    expect(cutStart(Buffer.from([0x80, 0x80]))).toHaveLength(0);
    expect(cutEnd(Buffer.from([0x61, 0xc3]))).toHaveLength(1);
    expect(cutEnd(Buffer.from([0x61, 0xbf]))).toHaveLength(2);
  });

  it("after a start skips the rest of a character", () => {
    expect(cutStart(Buffer.from("😀a").subarray(1)).toString()).toBe("a");
    expect(cutStart(Buffer.from("😀a")).toString()).toBe("😀a");
  });

  it("goes to a line end, which the gap replaces", () => {
    expect(cutEnd(Buffer.from("one\ntwo")).toString()).toBe("one");
    expect(cutStart(Buffer.from("one\ntwo")).toString()).toBe("two");
  });

  it("does not go to a line end that is far away", () => {
    const far = "x".repeat(4_096);
    expect(cutEnd(Buffer.from(`a\n${far}`))).toHaveLength(4_098);
    expect(cutStart(Buffer.from(`${far}\na`))).toHaveLength(4_098);
    expect(cutEnd(Buffer.from(`a\n${far.slice(1)}`))).toHaveLength(1);
    expect(cutStart(Buffer.from(`${far.slice(1)}\na`))).toHaveLength(1);
  });

  it("does not go to a line end after which nothing comes", () => {
    expect(cutStart(Buffer.from("one\n")).toString()).toBe("one\n");
    expect(cutStart(Buffer.from("\n")).toString()).toBe("\n");
    expect(cutStart(Buffer.from("\na")).toString()).toBe("a");
    expect(cutEnd(Buffer.from("\na")).toString()).toBe("");
  });
});

describe("output is binary", () => {
  it("when more than a tenth of it is NUL or no character", () => {
    expect(isBinary(Buffer.alloc(100))).toBe(true);
    expect(isBinary(Buffer.alloc(100, 0xff))).toBe(true);
    expect(isBinary(Buffer.concat([Buffer.alloc(89, "a"), Buffer.alloc(11)]))).toBe(true);
  });

  it("but not when it is a tenth, or text in any language", () => {
    expect(isBinary(Buffer.concat([Buffer.alloc(90, "a"), Buffer.alloc(10)]))).toBe(false);
    expect(isBinary(Buffer.from("你好😀".repeat(50)))).toBe(false);
    expect(isBinary(Buffer.alloc(0))).toBe(false);
  });

  it("but not for a handful of odd bytes", () => {
    expect(isBinary(Buffer.alloc(31))).toBe(false);
    expect(isBinary(Buffer.alloc(32))).toBe(true);
  });

  it("by its first 4 KiB", () => {
    expect(isBinary(Buffer.concat([Buffer.alloc(4_096, "a"), Buffer.alloc(4_096)]))).toBe(false);
    expect(isBinary(Buffer.concat([Buffer.alloc(4_096), Buffer.alloc(100_000, "a")]))).toBe(true);
  });
});
