import { ModelError, RuntimeError } from "harness-kit";
import { describe, expect, it } from "vitest";
import { CallTable } from "../../src/runtime/call-table.ts";
import type { CallSpec } from "../../src/runtime/foreign-call.ts";

/** A clock that is moved by hand and shows its timers. */
function handClock() {
  let time = 1_000;
  let reads = 0;
  const timers = new Set<{ readonly ms: number; readonly at: number; readonly callback: () => void }>();
  return {
    clock: {
      now: () => {
        reads++;
        return time;
      },
      setTimer: (ms: number, callback: () => void) => {
        const timer = { ms, at: time + ms, callback };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    waits: () => [...timers].map(({ ms }) => ms),
    reads: () => reads,
    /** Moves time on, and fires what is due. */
    pass: (ms: number) => {
      time += ms;
      for (const timer of [...timers]) if (timer.at <= time && timers.delete(timer)) timer.callback();
    },
  };
}

function tableOf({ deadline = Number.POSITIVE_INFINITY, firstLookMs = Number.POSITIVE_INFINITY } = {}) {
  const hand = handClock();
  const told: string[] = [];
  const table: CallTable = new CallTable(hand.clock, deadline, firstLookMs, {
    onDeadline: () => {
      told.push("deadline");
      table.stopAll(new RuntimeError("Over.", { code: "RUN_TIMEOUT" }));
    },
    onAbandoned: ({ name }) => told.push(`abandoned ${name}`),
  });
  return { table, told, ...hand };
}

const spec = (more: Partial<CallSpec> = {}): CallSpec => ({
  as: { type: "model", name: "m" },
  deadline: Number.POSITIVE_INFINITY,
  timeoutError: () => new ModelError("Too late.", { code: "MODEL_TIMEOUT" }),
  graceMs: 0,
  ...more,
});

const never = () => new Promise<never>(() => {});

describe("the calls of a run", () => {
  it("answers at once what came back at once, and later what is a promise of any kind", async () => {
    const { table } = tableOf();
    for (const value of [1, null, undefined, "then", { any: 1 }, () => 1]) {
      expect(table.race(spec(), () => value)).toEqual({ status: "returned", value });
    }
    // biome-ignore lint/suspicious/noThenProperty: an object that resolves by itself is what is tried here.
    const thenable = { then: (resolve: (value: number) => void) => resolve(5) };
    const callable = Object.assign(() => 0, thenable);
    for (const foreign of [thenable, callable, Promise.resolve(5)]) {
      const outcome = table.race<number>(spec(), () => foreign as PromiseLike<number>);
      expect(outcome).toBeInstanceOf(Promise);
      expect(await outcome).toEqual({ status: "returned", value: 5 });
    }
    const boom = () => {
      throw "boom";
    };
    expect(table.race(spec(), boom)).toEqual({ status: "threw", error: "boom" });
  });

  it("gives the spec to what it starts", () => {
    const { table } = tableOf();
    const given = spec();
    expect(table.race(given, (call, same) => call.spec === given && same === given)).toMatchObject({ value: true });
  });

  it("stops one that is over its own time with its own error, and no other", async () => {
    const { table, pass, told } = tableOf();
    const late = table.race(spec({ deadline: 1_050 }), never);
    const other = table.race(spec({ deadline: 1_500, as: { type: "tool", name: "t" } }), never);
    pass(49);
    expect(told).toEqual([]);
    pass(1);
    expect(await late).toMatchObject({ status: "stopped", reason: { code: "MODEL_TIMEOUT" } });
    expect(told).toEqual(["abandoned m"]);
    pass(450);
    expect(await other).toMatchObject({ status: "stopped" });
    expect(told).toEqual(["abandoned m", "abandoned t"]);
  });

  it("ends all of them at the deadline of the run, once", async () => {
    const { table, pass, told, waits } = tableOf({ deadline: 1_100 });
    const all = [table.race(spec(), never), table.race(spec({ deadline: 1_200 }), never)];
    pass(100);
    for (const outcome of await Promise.all(all)) {
      expect(outcome).toMatchObject({ status: "stopped", reason: { code: "RUN_TIMEOUT" } });
    }
    expect(told.filter((what) => what === "deadline")).toHaveLength(1);
    expect(waits()).toEqual([]);
    expect(table.race(spec(), () => "never started")).toMatchObject({ reason: { code: "RUN_TIMEOUT" } });
  });

  it("sets one timer for all, first at the first look, then for what is nearest", () => {
    const { table, waits, pass } = tableOf({ firstLookMs: 60 });
    void table.race(spec({ deadline: 1_300 }), never);
    expect(waits()).toEqual([60]);
    void table.race(spec({ deadline: 1_200 }), never);
    expect(waits()).toEqual([60]);
    pass(60);
    expect(waits()).toEqual([140]);
    void table.race(spec({ deadline: 1_100 }), never);
    expect(waits()).toEqual([40]);
  });

  it("sets no timer where nothing has a deadline, and none longer than a timer can be", () => {
    const { table, waits } = tableOf();
    void table.race(spec(), never);
    expect(waits()).toEqual([]);
    void table.race(spec({ deadline: 1e13 }), never);
    expect(waits()).toEqual([2 ** 31 - 1]);
  });

  it("watches a deadline that comes nearer", async () => {
    const { table, pass } = tableOf();
    const outcome = table.race(spec({ deadline: 2_000 }), (call) => {
      call.extendTo(1_010);
      return never();
    });
    pass(10);
    expect(await outcome).toMatchObject({ status: "stopped" });
  });

  it("lets go of calls in any order", async () => {
    const { table, told } = tableOf();
    const ends: (() => void)[] = [];
    const all = ["a", "b", "c"].map((name) =>
      table.race(spec({ as: { type: "tool", name } }), () => new Promise<void>((resolve) => ends.push(resolve))),
    );
    ends[1]?.();
    await all[1];
    ends[2]?.();
    await all[2];
    table.stopAll(new RuntimeError("Over.", { code: "RUN_ABORTED" }));
    expect(told).toEqual(["abandoned a"]);
  });

  it("keeps the first reason to stop", () => {
    const { table } = tableOf();
    table.stopAll(new RuntimeError("First.", { code: "RUN_ABORTED" }));
    table.stopAll(new RuntimeError("Second.", { code: "RUN_TIMEOUT" }));
    table.close();
    expect(table.race(spec(), () => 1)).toMatchObject({ status: "stopped", reason: { message: "First." } });
  });

  it("takes its timer off when it is closed, and stops what runs", async () => {
    const { table, waits } = tableOf();
    const running = table.race(spec({ deadline: 1_100 }), never);
    table.close();
    expect(waits()).toEqual([]);
    expect(await running).toMatchObject({ reason: { code: "RUN_ABORTED", message: "The run is over." } });
    expect(table.race(spec({ deadline: 1_100 }), never)).toMatchObject({ status: "stopped" });
    expect(waits()).toEqual([]);
  });
});

describe("the time of a run", () => {
  it("is read once while only the loop works, and anew after each call", async () => {
    const { table, reads } = tableOf();
    const at = () => [table.recentNow(), reads()];
    expect(at()).toEqual([1_000, 1]);
    expect(at()).toEqual([1_000, 1]);
    await table.race(spec(), async () => "other code");
    expect(reads()).toBe(1);
    expect(at()).toEqual([1_000, 2]);
    table.race(spec(), () => "other code");
    expect(at()).toEqual([1_000, 3]);
    void table.race(spec(), never);
    table.recentNow();
    expect(at()).toEqual([1_000, 5]);
    expect([table.now(), reads()]).toEqual([1_000, 6]);
  });

  it("sleeps, and wakes early when the run is stopped", async () => {
    const { table, pass, waits } = tableOf();
    const slept = table.sleep(50);
    expect(waits()).toEqual([50]);
    pass(50);
    await slept;
    const cut = table.sleep(50);
    table.stopAll(new RuntimeError("Over.", { code: "RUN_ABORTED" }));
    await cut;
    expect(waits()).toEqual([]);
    await table.sleep(50);
    expect(waits()).toEqual([]);
  });

  it("stands still while it is held, by one or by several", () => {
    const { table, pass, told } = tableOf({ deadline: 1_100 });
    void table.race(spec(), never);
    const first = table.suspendDeadline();
    pass(500);
    const second = table.suspendDeadline();
    expect(table.deadline).toBe(Number.POSITIVE_INFINITY);
    first();
    pass(500);
    expect(told).toEqual([]);
    second();
    expect(table.deadline).toBe(2_100);
    pass(99);
    expect(told).toEqual([]);
    pass(1);
    expect(told[0]).toBe("deadline");
  });
});
