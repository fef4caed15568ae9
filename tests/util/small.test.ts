import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { assertNever } from "../../src/util/assert-never.ts";
import { crc32 } from "../../src/util/checksum.ts";
import { clampTimer, MAX_TIMER_MS, systemClock } from "../../src/util/clock.ts";
import { misuse } from "../../src/util/misuse.ts";

describe("crc32", () => {
  it("is the checksum that everybody calls so", () => {
    expect(crc32("123456789")).toBe("cbf43926");
    expect(crc32("")).toBe("00000000");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(crc32(text)).toBe(zlibCrc32(text).toString(16).padStart(8, "0"));
      }),
    );
  });
});

describe("the system clock", () => {
  it.each([
    [-5, 0],
    [Number.NaN, 0],
    [0, 0],
    [0.2, 1],
    [1_500, 1_500],
    [Number.POSITIVE_INFINITY, MAX_TIMER_MS],
    [MAX_TIMER_MS + 1, MAX_TIMER_MS],
  ])("fits a delay of %d into %d", (ms, fitted) => {
    expect(clampTimer(ms)).toBe(fitted);
  });

  it("calls back after the delay unless it is told not to, also for the longest delay", () => {
    vi.useFakeTimers({ now: 1_000 });
    try {
      const fired: string[] = [];
      systemClock.setTimer(10, () => fired.push("ten"));
      systemClock.setTimer(10, () => fired.push("never"))();
      systemClock.setTimer(Number.POSITIVE_INFINITY, () => fired.push("last"));
      vi.advanceTimersByTime(10);
      expect(fired).toEqual(["ten"]);
      vi.advanceTimersByTime(1_000_000);
      expect(fired).toEqual(["ten"]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the time of the system clock", () => {
  it("is near the time of day", () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });

  it("goes on when the time of day is set back", () => {
    const before = systemClock.now();
    vi.useFakeTimers({ now: 1_000, toFake: ["Date"] });
    try {
      expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("misuse", () => {
  it("is a TypeError with a code", () => {
    const error = misuse("Write x.");
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "Write x.", code: "RUNTIME_INVALID_CONFIG" });
  });
});

describe("assertNever", () => {
  it("names the value that no case handled", () => {
    expect(() => assertNever("new" as never)).toThrow(/"?new"?.*every member/);
  });
});
