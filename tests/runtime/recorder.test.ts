import type { AgentEvent } from "harness-kit";
import { recordingClock } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { EventBus } from "../../src/events/event-bus.ts";
import { Recorder, type RecorderOptions } from "../../src/runtime/recorder.ts";

function recorderWith(options: Partial<RecorderOptions> = {}) {
  const bus = new EventBus();
  const clock = recordingClock({ start: 5_000 });
  const recorder = new Recorder("r1", bus, { sink: undefined, clock, earlier: undefined, ...options });
  return { bus, recorder };
}

/** Hears everything that a bus tells, as type and seq. */
function hearAll(bus: EventBus): string[] {
  const heard: string[] = [];
  bus.on("*", ({ type, seq }) => heard.push(`${seq} ${type}`));
  return heard;
}

const call = { id: "c1", name: "add", arguments: {} };
const end = { status: "completed", stopReason: "finished", answer: "", durationMs: 1 } as const;

describe("a recorder", () => {
  it("tells events with the run, the time and a number, frozen", () => {
    const { bus, recorder } = recorderWith();
    const events: AgentEvent[] = [];
    bus.on("*", (event) => events.push(event));
    recorder.emit("run:start", { input: "hi" });
    recorder.emit("tool:start", { call });
    expect(events).toEqual([
      { type: "run:start", runId: "r1", seq: 0, at: 5_000, input: "hi" },
      { type: "tool:start", runId: "r1", seq: 1, at: 5_000, call },
    ]);
    expect(events.every((event) => Object.isFrozen(event))).toBe(true);
  });

  it("counts what nobody hears", () => {
    const { bus, recorder } = recorderWith();
    recorder.emit("run:start", { input: "hi" });
    const heard: number[] = [];
    bus.on("tool:start", ({ seq }) => heard.push(seq));
    recorder.emit("model:delta", { text: "a" });
    recorder.emit("tool:start", { call });
    expect(heard).toEqual([2]);
    expect(recorder.seq).toBe(3);
  });

  it("knows who hears: nobody, one type, all types, a stream", () => {
    const { bus, recorder } = recorderWith();
    const asked = () => [recorder.isHeard, recorder.hears("step"), recorder.wants("step"), recorder.hears("run:end")];
    expect(asked()).toEqual([false, false, false, false]);
    const off = bus.on("step", () => {});
    expect(asked()).toEqual([true, true, true, false]);
    off();
    bus.on("*", () => {});
    expect(asked()).toEqual([true, true, false, true]);
    const streamed = recorderWith({ sink: () => {} }).recorder;
    expect([streamed.isHeard, streamed.hears("step"), streamed.wants("step")]).toEqual([true, true, true]);
  });

  it("tells the stream before the listeners", () => {
    const heard: string[] = [];
    const { bus, recorder } = recorderWith({ sink: ({ type }) => heard.push(`sink ${type}`) });
    bus.on("*", ({ type }) => heard.push(`bus ${type}`));
    recorder.emit("run:start", { input: "hi" });
    expect(heard).toEqual(["sink run:start", "bus run:start"]);
  });

  it("tells what a listener causes behind the event that it heard, to every listener", () => {
    const { bus, recorder } = recorderWith();
    bus.on("run:start", () => recorder.emit("run:abort", { reason: "no" }));
    const heard = hearAll(bus);
    recorder.emit("run:start", { input: "hi" });
    recorder.emit("tool:start", { call });
    expect(heard).toEqual(["0 run:start", "1 run:abort", "2 tool:start"]);
  });

  it("tells of a listener that threw, by its event, and not of one that throws at that", () => {
    const { bus, recorder } = recorderWith();
    const told: AgentEvent[] = [];
    bus.on("listener:error", (event) => told.push(event));
    bus.on("listener:error", () => {
      throw new Error("again");
    });
    bus.on("run:start", () => {
      throw new Error("boom");
    });
    recorder.emit("run:start", { input: "hi" });
    expect(told).toEqual([
      { type: "listener:error", runId: "r1", seq: 1, at: 5_000, error: "boom", eventType: "run:start" },
    ]);
    expect(recorder.seq).toBe(2);
  });

  it("tells only the end once it is sealed, and nothing behind the end", () => {
    const { bus, recorder } = recorderWith();
    const heard = hearAll(bus);
    recorder.emit("run:start", { input: "hi" });
    recorder.seal();
    recorder.emit("model:delta", { text: "late" });
    recorder.emit("run:end", end);
    recorder.emit("run:end", end);
    recorder.emit("model:delta", { text: "later" });
    expect(heard).toEqual(["0 run:start", "1 run:end"]);
    expect(recorder.seq).toBe(2);
  });

  it("adds steps frozen, each with its event, and goes on behind those of an earlier part", () => {
    const earlier = recorderWith();
    const first = earlier.recorder.add({
      ...{ index: earlier.recorder.nextIndex, type: "finish", stopReason: "finished" },
      ...{ answer: "a", startedAt: 0, durationMs: 0 },
    });
    const { bus, recorder } = recorderWith({ earlier: { steps: earlier.recorder.steps, seq: 7 } });
    const heard = hearAll(bus);
    expect([recorder.nextIndex, recorder.seq]).toEqual([1, 7]);
    const second = recorder.add({ ...first, index: 1 });
    expect(recorder.steps).toEqual([first, second]);
    expect(Object.isFrozen(second)).toBe(true);
    expect(heard).toEqual(["7 step"]);
    expect(earlier.recorder.steps).toHaveLength(1);
  });
});
