/**
 * What hostile sizes cost. Apart from the other tests, because mutation runs slow everything down.
 */
import { crc32 as zlibCrc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/util/checksum.ts";
import { fitsJsonBounds, type JsonValue, toJson } from "../../src/util/json.ts";

/** What a function costs in processor time, so that a busy machine does not fail a test. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe("ten million characters", () => {
  it("are made JSON and measured within a second", () => {
    const rows = Array.from({ length: 90_000 }, (_, id) => ({ id, text: "x".repeat(80), tag: "name" }));
    const spent = cpuMs(() => {
      expect((toJson(rows) as JsonValue[]).length).toBe(90_000);
      expect(fitsJsonBounds(rows)).toBe(true);
    });
    expect(spent).toBeLessThan(1_000);
  });

  it("have their checksum within a second", () => {
    const text = "0123456789".repeat(1_000_000);
    const spent = cpuMs(() => expect(crc32(text)).toBe(zlibCrc32(text).toString(16).padStart(8, "0")));
    expect(spent).toBeLessThan(1_000);
  });
});
