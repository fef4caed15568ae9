import { ModelError, RuntimeError } from "harness-kit";
import { describe, expect, it } from "vitest";
import { type CallOwner, type CallSpec, ForeignCall } from "../../src/runtime/foreign-call.ts";

const reason = new RuntimeError("Stopped.", { code: "RUN_ABORTED" });
const later = new RuntimeError("Stopped again.", { code: "RUN_TIMEOUT" });

/** A call whose owner writes down what it is told. */
function callOf(spec: Partial<CallSpec> = {}) {
  const told: string[] = [];
  const timers: { ms: number; fire: () => void }[] = [];
  const owner: CallOwner = {
    release: () => told.push("release"),
    setTimer: (ms, fire) => {
      timers.push({ ms, fire });
      return () => told.push("timer off");
    },
    abandon: ({ name }) => told.push(`abandon ${name}`),
    watch: (deadline) => told.push(`watch ${deadline}`),
  };
  const whole: CallSpec = {
    as: { type: "model", name: "m" },
    deadline: 100,
    timeoutError: () => new ModelError("Too late.", { code: "MODEL_TIMEOUT" }),
    graceMs: 10,
    ...spec,
  };
  return { call: new ForeignCall<string>(whole, owner), told, timers };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a foreign call that ends by itself", () => {
  it("gives what came back, and is over", async () => {
    const { call, told } = callOf();
    const signal = call.signal;
    expect(await call.follow(Promise.resolve("value"))).toEqual({ status: "returned", value: "value" });
    expect([told, call.isStopped, signal.aborted]).toEqual([["release"], true, false]);
    expect(() => call.checkRunning()).toThrow(/^This call is over; nothing more is started for it\.$/u);
  });

  it("gives what it rejected with, also where that is undefined", async () => {
    expect(await callOf().call.follow(Promise.reject("bad"))).toEqual({ status: "threw", error: "bad" });
    expect(await callOf().call.follow(Promise.reject())).toEqual({ status: "threw", error: undefined });
  });

  it("gives an end that came at once", () => {
    const { call, told } = callOf();
    expect(call.isStopped).toBe(false);
    expect(() => call.checkRunning()).not.toThrow();
    expect(call.settleNow({ status: "returned", value: "now" })).toEqual({ status: "returned", value: "now" });
    call.stop(reason);
    expect(told).toEqual(["release"]);
  });

  it("has one signal, and none of it is aborted by the end", () => {
    const { call } = callOf();
    expect(call.signal).toBe(call.signal);
    call.settleNow({ status: "threw", error: "bad" });
    expect(call.signal.aborted).toBe(false);
  });
});

describe("a foreign call that is told to stop", () => {
  it("tells its signal and whoever listens, then counts as stopped whatever it gives", async () => {
    const { call, told, timers } = callOf();
    let stops = 0;
    call.onStop(() => stops++);
    const { signal } = call;
    let give = (_: string) => {};
    const outcome = call.follow(new Promise<string>((resolve) => (give = resolve)));
    call.stop(reason);
    call.stop(later);
    expect([signal.reason, stops, call.isStopped, call.deadline]).toEqual([reason, 1, true, Number.POSITIVE_INFINITY]);
    expect(timers.map(({ ms }) => ms)).toEqual([10]);
    expect(() => call.checkRunning()).toThrow(reason);
    give("late");
    expect(await outcome).toEqual({ status: "stopped", reason });
    expect(told).toEqual(["timer off", "release"]);
    timers[0]?.fire();
    expect(told).toHaveLength(2);
  });

  it("gives a signal that is aborted already to who reads it late", () => {
    const { call } = callOf();
    call.stop(reason);
    expect([call.signal.aborted, call.signal.reason]).toEqual([true, reason]);
  });

  it("is abandoned when its grace is over, and what it does later is dropped", async () => {
    const { call, told, timers } = callOf();
    let fail = (_: unknown) => {};
    const outcome = call.follow(new Promise<string>((_, reject) => (fail = reject)));
    call.stop(reason);
    timers[0]?.fire();
    expect(await outcome).toEqual({ status: "stopped", reason });
    fail("late");
    await settled();
    expect(told).toEqual(["abandon m", "timer off", "release"]);
  });

  it("is abandoned at once without grace, and not named where that is no news", async () => {
    const { call, told, timers } = callOf({ graceMs: 0 });
    const outcome = call.follow(new Promise<string>(() => {}));
    call.stop(reason);
    expect(await outcome).toEqual({ status: "stopped", reason });
    expect([told, timers]).toEqual([["abandon m", "release"], []]);
    const unnamed = callOf({ graceMs: 0, as: undefined });
    unnamed.call.stop(reason);
    expect(unnamed.told).toEqual(["release"]);
  });

  it("may end while it is told: no grace is started then", () => {
    const { call, told, timers } = callOf();
    call.onStop(() => call.settleNow({ status: "returned", value: "stopped in time" }));
    call.stop(reason);
    expect([told, timers]).toEqual([["release"], []]);
    expect(call.settleNow({ status: "returned", value: "x" })).toEqual({ status: "stopped", reason });
  });

  it("was told before it was followed: the end is known already", async () => {
    const { call } = callOf({ graceMs: 0 });
    call.stop(reason);
    expect(await call.follow(Promise.resolve("late"))).toEqual({ status: "stopped", reason });
  });
});

describe("the deadline of a foreign call", () => {
  it("moves, and only a nearer one is watched anew", () => {
    const { call, told } = callOf();
    call.extendTo(200);
    call.extendTo(200);
    expect([call.deadline, told]).toEqual([200, []]);
    call.extendTo(150);
    expect([call.deadline, told]).toEqual([150, ["watch 150"]]);
  });
});
