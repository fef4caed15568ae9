import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentEvent, EventType } from "../../src/contract/event.ts";
import { EventBus } from "../../src/events/event-bus.ts";
import { foreignPromise, revokedProxy, throwingGetter } from "../util/hostile.ts";

const delta = (text = "x"): AgentEvent => ({ type: "model:delta", runId: "r", seq: 0, at: 0, text });
const start: AgentEvent = { type: "run:start", runId: "r", seq: 0, at: 0, input: "hi" };

/** A bus with what was reported about its listeners. */
function reportingBus() {
  const bus = new EventBus();
  const reported: [unknown, AgentEvent][] = [];
  return {
    bus,
    reported,
    emit: (event: AgentEvent) => bus.emit(event, (error, about) => reported.push([error, about])),
  };
}

/** Lets promises settle, those that nobody awaits included. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);
beforeEach(() => {
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await settled();
  process.off("unhandledRejection", note);
  expect(unhandled.splice(0)).toEqual([]);
});

describe("an event bus", () => {
  it("tells an event to those who asked for its type, in order, then to those who asked for all", () => {
    const { bus, emit } = reportingBus();
    const heard: string[] = [];
    bus.on("*", ({ type }) => heard.push(`all ${type}`));
    bus.on("model:delta", (event) => heard.push(`first ${Reflect.get(event, "text")}`));
    bus.on("model:delta", () => heard.push("second"));
    bus.on("run:end", () => heard.push("never"));
    emit(delta("a"));
    emit(start);
    expect(heard).toEqual(["first a", "second", "all model:delta", "all run:start"]);
  });

  it("hands over the event itself", () => {
    const { bus, emit } = reportingBus();
    const event = delta();
    let heard: AgentEvent | undefined;
    bus.on("model:delta", (given) => {
      heard = given;
    });
    emit(event);
    expect(heard).toBe(event);
  });

  it("knows whether anybody would hear, and who asked for the very type", () => {
    const { bus } = reportingBus();
    expect([bus.hears("step"), bus.wants("step")]).toEqual([false, false]);
    const offAll = bus.on("*", () => {});
    expect([bus.hears("step"), bus.wants("step")]).toEqual([true, false]);
    const off = bus.on("step", () => {});
    offAll();
    expect([bus.hears("step"), bus.wants("step"), bus.hears("run:end")]).toEqual([true, true, false]);
    off();
    expect(bus.hears("step")).toBe(false);
  });

  it("takes a listener off once, and the same function only as often as it was put on", () => {
    const { bus, emit } = reportingBus();
    let calls = 0;
    const count = () => {
      calls++;
    };
    const off = bus.on("model:delta", count);
    bus.on("model:delta", count);
    off();
    off();
    emit(delta());
    expect(calls).toBe(1);
  });

  it("lets a listener take itself off while it is called, and the others hear", () => {
    const { bus, emit } = reportingBus();
    const heard: string[] = [];
    const off = bus.on("model:delta", () => {
      heard.push("once");
      off();
    });
    bus.on("model:delta", () => heard.push("always"));
    emit(delta());
    emit(delta());
    expect(heard).toEqual(["once", "always", "always"]);
  });

  it("does not tell an event to who comes while it is told", () => {
    const { bus, emit } = reportingBus();
    let late = 0;
    bus.on("model:delta", () => bus.on("model:delta", () => late++));
    emit(delta());
    expect(late).toBe(0);
    emit(delta());
    expect(late).toBe(1);
  });

  it("reports what a listener throws and calls the others", () => {
    const { bus, emit, reported } = reportingBus();
    const event = delta();
    const heard: string[] = [];
    const boom = new Error("boom");
    bus.on("model:delta", () => {
      throw boom;
    });
    bus.on("model:delta", () => heard.push("second"));
    bus.on("*", () => {
      throw "text";
    });
    bus.on("*", () => heard.push("last"));
    emit(event);
    expect(heard).toEqual(["second", "last"]);
    expect(reported).toEqual([
      [boom, event],
      ["text", event],
    ]);
  });

  it("reports what an async listener rejects with, later, whatever promise it is", async () => {
    const { bus, emit, reported } = reportingBus();
    bus.on("model:delta", async () => {
      throw new Error("async");
    });
    bus.on("model:delta", () => Promise.reject("own"));
    bus.on("model:delta", () => foreignPromise(0).then(() => Promise.reject("foreign")));
    bus.on("model:delta", () => throwingGetter("then"));
    bus.on("model:delta", () => revokedProxy());
    emit(delta());
    expect(reported).toHaveLength(1);
    for (let round = 0; round < 3; round++) await settled();
    expect(reported.map(([error]) => (error instanceof Error ? error.message : error)).sort()).toEqual([
      "Cannot perform 'has' on a proxy that has been revoked",
      "async",
      "foreign",
      "getter",
      "own",
    ]);
  });

  it("reports nothing of listeners that end well", async () => {
    const { bus, emit, reported } = reportingBus();
    bus.on("model:delta", async () => "fine");
    bus.on("model:delta", () => null);
    bus.on("model:delta", () => ({ any: "thing" }));
    emit(delta());
    await settled();
    expect(reported).toEqual([]);
  });

  it("is not misled by types that are named like inherited properties", () => {
    const { bus, emit } = reportingBus();
    for (const type of ["toString", "constructor", "__proto__"]) {
      expect(bus.hears(type as EventType)).toBe(false);
      expect(() => emit({ ...delta(), type } as unknown as AgentEvent)).not.toThrow();
    }
  });

  it("refuses a listener that is no function", () => {
    const { bus } = reportingBus();
    expect(() => bus.on("step", "log" as never)).toThrow(/A listener of "step" must be a function, got "log"/);
    expect(() => bus.on("step", undefined as never)).toThrow(TypeError);
  });
});
