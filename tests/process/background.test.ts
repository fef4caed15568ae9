import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endBackground, endBackgroundNow } from "../../src/process/background.ts";
import { type KillHost, systemKillHost } from "../../src/process/kill-tree.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A system in which group 7 has members for so many milliseconds. */
function hostWith(lifeMs: number) {
  const bornAt = performance.now();
  const kills: string[] = [];
  const looks: number[] = [];
  const host: KillHost = {
    ...systemKillHost,
    platform: "linux",
    kill(pid, signal) {
      if (signal === 0) looks.push(performance.now() - bornAt);
      else kills.push(`${pid} ${signal}`);
    },
    hasLiveMember: () => performance.now() - bornAt < lifeMs,
  };
  return { host, kills, looks };
}

async function outcome(lifeMs: number, mode: "kill" | "keep", patient: boolean) {
  const { host, kills, looks } = hostWith(lifeMs);
  const ending = endBackground(7, mode, patient, host);
  await vi.advanceTimersByTimeAsync(1_000);
  return { background: await ending, kills, looks };
}

describe("what a finished command leaves running", () => {
  it("is nothing in most cases, which takes one look", async () => {
    expect(await outcome(0, "kill", true)).toEqual({ background: "none", kills: [], looks: [0] });
  });

  it("is killed", async () => {
    expect(await outcome(5_000, "kill", true)).toMatchObject({ background: "killed", kills: ["-7 SIGKILL"] });
  });

  it("is left alone on demand", async () => {
    expect(await outcome(5_000, "keep", true)).toMatchObject({ background: "left", kills: [] });
  });

  it("gets a moment to end by itself", async () => {
    const { background, kills, looks } = await outcome(35, "kill", true);
    expect([background, kills, looks]).toEqual(["none", [], [0, 10, 20, 30, 40]]);
  });

  it("gets no more than that moment", async () => {
    const { looks } = await outcome(5_000, "kill", true);
    expect(looks).toEqual([0, 10, 20, 30, 40, 50]);
  });

  it("gets none when it held the pipes all the time", async () => {
    const { background, looks } = await outcome(35, "kill", false);
    expect([background, looks]).toEqual(["killed", [0]]);
  });

  it.each([
    [0, "kill", "none", []],
    [0, "keep", "none", []],
    [5_000, "kill", "killed", ["-7 SIGKILL"]],
    [5_000, "keep", "left", []],
  ] as const)("is dealt with at once for a caller that cannot wait: %i ms, %s", (lifeMs, mode, background, killed) => {
    const { host, kills } = hostWith(lifeMs);
    expect(endBackgroundNow(7, mode, host)).toBe(background);
    expect(kills).toEqual(killed);
  });
});
