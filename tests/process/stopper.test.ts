import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { drain } from "../../src/process/drain.ts";
import { createStopper, type StopperOptions } from "../../src/process/stopper.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** No process has this number (the highest that Linux gives is 4,194,303), so the signals come to the child itself. */
const NOBODY = 4_194_999;

function stopperFor(options: Partial<StopperOptions> = {}) {
  const signals: string[] = [];
  const child = { pid: NOBODY, kill: (signal: string) => signals.push(signal) > 0 };
  let gaveUp = false;
  const onGiveUp = () => {
    gaveUp = true;
  };
  const stopper = createStopper(child, { timeoutMs: 0, graceMs: 1_000, signal: undefined, onGiveUp, ...options });
  return { stopper, signals, gaveUp: () => gaveUp };
}

describe("a stopper", () => {
  it("does nothing while nothing happens", async () => {
    const { stopper, signals } = stopperFor();
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect([stopper.reason, stopper.escalated, signals]).toEqual([undefined, false, []]);
  });

  it("ends the command at its timeout, not before", async () => {
    const { stopper, signals } = stopperFor({ timeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(499);
    expect([stopper.reason, signals]).toEqual([undefined, []]);
    await vi.advanceTimersByTimeAsync(2);
    expect([stopper.reason, signals]).toEqual(["timeout", ["SIGTERM"]]);
  });

  it("gives the grace period in full, then SIGKILL once", async () => {
    const { stopper, signals } = stopperFor();
    stopper.stop("outputLimit");
    await vi.advanceTimersByTimeAsync(999);
    expect([stopper.escalated, signals]).toEqual([false, ["SIGTERM"]]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([stopper.escalated, signals]).toEqual([true, ["SIGTERM", "SIGKILL"]]);
  });

  it("gives up on a process that even SIGKILL does not end", async () => {
    const { stopper, gaveUp } = stopperFor();
    stopper.stop("aborted");
    await vi.advanceTimersByTimeAsync(2_999);
    expect(gaveUp()).toBe(false);
    await vi.advanceTimersByTimeAsync(2);
    expect(gaveUp()).toBe(true);
  });

  it("kills at once without a grace period, which is no escalation", async () => {
    const { stopper, signals, gaveUp } = stopperFor({ graceMs: 0 });
    stopper.stop("aborted");
    await vi.advanceTimersByTimeAsync(5_000);
    expect([stopper.escalated, signals, gaveUp()]).toEqual([false, ["SIGKILL"], true]);
  });

  it("keeps the first cause", async () => {
    const controller = new AbortController();
    const { stopper, signals } = stopperFor({ timeoutMs: 100, signal: controller.signal });
    controller.abort();
    stopper.stop("outputLimit");
    await vi.advanceTimersByTimeAsync(200);
    expect([stopper.reason, signals]).toEqual(["aborted", ["SIGTERM"]]);
  });

  it("does nothing any more once it is disposed of", async () => {
    const controller = new AbortController();
    const { stopper, signals, gaveUp } = stopperFor({ timeoutMs: 100, signal: controller.signal });
    stopper.dispose();
    stopper.stop("outputLimit");
    controller.abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([stopper.reason, signals, gaveUp()]).toEqual([undefined, [], false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no timer behind after it has stopped", async () => {
    const { stopper, signals } = stopperFor({ timeoutMs: 5_000 });
    stopper.stop("aborted");
    await vi.advanceTimersByTimeAsync(500);
    stopper.dispose();
    expect(vi.getTimerCount()).toBe(0);
    expect(signals).toEqual(["SIGTERM"]);
  });

  it("disposed of at the very moment of its timeout stays silent", async () => {
    const { stopper, signals } = stopperFor({ timeoutMs: 100 });
    vi.advanceTimersByTime(100);
    stopper.dispose();
    await vi.advanceTimersByTimeAsync(100);
    expect([stopper.reason, signals]).toEqual([undefined, []]);
  });
});

describe("a drain", () => {
  const never = new Promise<void>(() => {});

  /** Settles with the outcome and the time it took. */
  async function timed(options: Partial<Parameters<typeof drain>[0]>) {
    const started = performance.now();
    const outcome = drain({ closed: never, reads: () => 0, drainMs: 250, signal: undefined, ...options });
    const settled = outcome.then((closed) => ({ closed, ms: performance.now() - started }));
    await vi.advanceTimersByTimeAsync(60_000);
    return settled;
  }

  it("ends when the pipes close", async () => {
    expect(await timed({ closed: Promise.resolve() })).toEqual({ closed: true, ms: 0 });
  });

  it("ends after a silence when they do not", async () => {
    const { closed, ms } = await timed({});
    expect(closed).toBe(false);
    expect(ms).toBeGreaterThanOrEqual(250);
    expect(ms).toBeLessThan(300);
  });

  it("starts anew while output comes", async () => {
    let reads = 0;
    setTimeout(() => reads++, 200);
    setTimeout(() => reads++, 400);
    const { ms } = await timed({ reads: () => reads });
    expect(ms).toBeGreaterThanOrEqual(750);
    expect(ms).toBeLessThan(800);
  });

  it("has an end for output that never pauses", async () => {
    let reads = 0;
    const writer = setInterval(() => reads++, 10);
    const { closed, ms } = await timed({ reads: () => reads });
    clearInterval(writer);
    expect(closed).toBe(false);
    expect(ms).toBeGreaterThanOrEqual(2_000);
    expect(ms).toBeLessThan(2_100);
  });

  it("waits longer than that only when it is told to", async () => {
    const { ms } = await timed({ drainMs: 5_000 });
    expect(ms).toBeGreaterThanOrEqual(5_000);
    expect(ms).toBeLessThan(5_100);
  });

  it("ends on abort, also one that came before", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const late = await timed({ drainMs: 50_000, signal: controller.signal });
    expect(late.closed).toBe(false);
    expect(late.ms).toBeLessThan(150);
    expect(await timed({ drainMs: 50_000, signal: AbortSignal.abort() })).toEqual({ closed: false, ms: 0 });
  });

  it("leaves no timer behind", async () => {
    await timed({ closed: Promise.resolve(), signal: new AbortController().signal });
    expect(vi.getTimerCount()).toBe(0);
  });
});
