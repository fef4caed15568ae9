/**
 * Keeps the start and the end of one output stream in bounded memory, and counts the rest.
 *
 * Floor 2 (process). Bytes are kept, not text, and decoded once at the end: so a character that comes
 * in two chunks is never broken, and 100 MB cost one copy each way.
 */
import { formatCount } from "../util/text.ts";
import { isBinary } from "./binary.ts";
import type { CaptureInfo } from "./result.ts";
import type { Spill } from "./spill.ts";
import { cutEnd, cutStart } from "./utf8.ts";

export interface CaptureLimits {
  /** Bytes kept from the start. */
  readonly headBytes: number;
  /** Bytes kept from the end. */
  readonly tailBytes: number;
}

const KIB = 1024;
export const CAPTURE_LIMITS: CaptureLimits = { headBytes: 64 * KIB, tailBytes: 192 * KIB };

/** As much as a result holds of one stream. */
export const KEPT_BYTES: number = CAPTURE_LIMITS.headBytes + CAPTURE_LIMITS.tailBytes;

/** The text that was kept, and what it leaves out. */
export interface Captured {
  readonly text: string;
  readonly info: CaptureInfo;
}

export interface Capture {
  /** Bytes seen so far. */
  readonly bytes: number;
  write(chunk: Buffer): void;
  finish(): Captured;
}

/** @param spill - Gets all bytes, once there are more than it wants to leave to us; no more than are kept. */
export function createCapture(limits: CaptureLimits = CAPTURE_LIMITS, spill?: Spill): Capture {
  const head = createHead(limits.headBytes);
  const tail = createRing(limits.tailBytes);
  let bytes = 0;

  function spillOver(to: Spill, chunk: Buffer): void {
    if (bytes + chunk.length <= to.fromBytes) return;
    // Nothing is left out so far: that is where the file starts.
    if (bytes > 0 && bytes <= to.fromBytes) to.write(Buffer.concat([head.read(), tail.read()]));
    to.write(chunk);
  }

  return {
    get bytes() {
      return bytes;
    },
    write(chunk) {
      if (spill) spillOver(spill, chunk);
      bytes += chunk.length;
      const taken = head.write(chunk);
      if (taken < chunk.length) tail.write(taken === 0 ? chunk : chunk.subarray(taken));
    },
    finish() {
      const captured = join(head.read(), tail.read(), bytes);
      return spill ? { ...captured, info: { ...captured.info, ...spill.finish() } } : captured;
    },
  };
}

/** Captures output that is there as a whole. */
export function captureAll(output: Buffer | null | undefined, limits?: CaptureLimits, spill?: Spill): Captured {
  const capture = createCapture(limits, spill);
  if (output) capture.write(output);
  return capture.finish();
}

/** Stands in the text where bytes were left out. */
export function omissionMarker(omittedBytes: number): string {
  return `[... ${formatCount(omittedBytes)} bytes omitted ...]`;
}

/** What is kept of a stream without output. */
export const NOTHING: Captured = { text: "", info: { bytes: 0, omittedBytes: 0, binary: false } };

function join(head: Buffer, tail: Buffer, bytes: number): Captured {
  if (bytes === 0) return NOTHING;
  const binary = isBinary(head);
  if (head.length + tail.length === bytes) {
    const whole = tail.length === 0 ? head : Buffer.concat([head, tail]);
    return { text: whole.toString(), info: { bytes, omittedBytes: 0, binary } };
  }
  const start = cutEnd(head);
  const end = cutStart(tail);
  const omittedBytes = bytes - start.length - end.length;
  const text = `${start.toString()}\n${omissionMarker(omittedBytes)}\n${end.toString()}`;
  return { text, info: { bytes, omittedBytes, binary } };
}

const EMPTY: Buffer = Buffer.alloc(0);

/** Takes the first `size` bytes, in memory that grows with them. */
function createHead(size: number) {
  let buffer: Buffer = EMPTY;
  let used = 0;
  return {
    /** Returns how many bytes it took. */
    write(chunk: Buffer): number {
      const taken = Math.min(chunk.length, size - used);
      if (taken === 0) return 0;
      buffer = grown(buffer, used, used + taken, size);
      chunk.copy(buffer, used, 0, taken);
      used += taken;
      return taken;
    },
    read: () => buffer.subarray(0, used),
  };
}

/** Keeps the last `size` bytes: a plain buffer until it is full, then a ring. */
function createRing(size: number) {
  let buffer: Buffer = EMPTY;
  let next = 0;
  let full = false;

  function append(chunk: Buffer): void {
    const untilEnd = Math.min(chunk.length, size - next);
    chunk.copy(buffer, next, 0, untilEnd);
    chunk.copy(buffer, 0, untilEnd);
    full ||= next + chunk.length >= size;
    next = (next + chunk.length) % size;
  }

  return {
    write(chunk: Buffer): void {
      if (size === 0) return;
      const last = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      if (!full) buffer = grown(buffer, next, Math.min(next + last.length, size), size);
      append(last);
    },
    read: () => (full ? Buffer.concat([buffer.subarray(next), buffer.subarray(0, next)]) : buffer.subarray(0, next)),
  };
}

/** A buffer of at least `needed` bytes with the first `used` bytes of the old one; doubling, up to `size`. */
function grown(buffer: Buffer, used: number, needed: number, size: number): Buffer {
  if (needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.min(size, Math.max(needed, 2 * buffer.length)));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
