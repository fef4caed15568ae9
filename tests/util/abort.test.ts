import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { isAbortSignal, onAbort } from "../../src/util/abort.ts";

describe("onAbort", () => {
  it("calls everybody once, in order, with the reason", () => {
    const controller = new AbortController();
    const heard: unknown[] = [];
    onAbort(controller.signal, (reason) => heard.push(["a", reason]));
    onAbort(controller.signal, (reason) => heard.push(["b", reason]));
    controller.abort("stop");
    controller.abort("again");
    expect(heard).toEqual([
      ["a", "stop"],
      ["b", "stop"],
    ]);
  });

  it("puts one listener on a signal for a thousand callers and none after the last has left", () => {
    const { signal } = new AbortController();
    const offs = Array.from({ length: 1_000 }, () => onAbort(signal, () => {}));
    expect(getEventListeners(signal, "abort").length).toBe(1);
    for (const off of offs) off();
    expect(getEventListeners(signal, "abort").length).toBe(0);
  });

  it("lets the same function listen twice and leave once", () => {
    const controller = new AbortController();
    let calls = 0;
    const count = () => {
      calls++;
    };
    onAbort(controller.signal, count);
    onAbort(controller.signal, count)();
    controller.abort();
    expect(calls).toBe(1);
  });

  it("does not call whoever is taken off while it fires", () => {
    const controller = new AbortController();
    const heard: string[] = [];
    onAbort(controller.signal, () => {
      heard.push("first");
      off();
    });
    const off = onAbort(controller.signal, () => heard.push("second"));
    onAbort(controller.signal, () => heard.push("third"));
    controller.abort();
    expect(heard).toEqual(["first", "third"]);
  });

  it("calls the others when one throws, and lets the error be seen", () => {
    const signal = new EventTarget() as AbortSignal;
    const heard: string[] = [];
    // A target whose listener is called directly, so that its error can be caught here.
    let fire = () => {};
    signal.addEventListener = (_type: string, listener: unknown) => {
      fire = listener as () => void;
    };
    onAbort(signal, () => {
      throw new Error("broken");
    });
    onAbort(signal, () => heard.push("second"));
    expect(() => fire()).toThrow("broken");
    expect(heard).toEqual(["second"]);
  });

  it("takes the same caller off twice without harm to the next one", () => {
    const controller = new AbortController();
    const off = onAbort(controller.signal, () => {});
    off();
    let heard = false;
    onAbort(controller.signal, () => {
      heard = true;
    });
    off();
    controller.abort();
    expect(heard).toBe(true);
  });

  it("calls nothing for a signal that has fired already", () => {
    let heard = false;
    onAbort(AbortSignal.abort(), () => {
      heard = true;
    })();
    expect(heard).toBe(false);
  });
});

describe("isAbortSignal", () => {
  it("knows signals of this and of another realm, and nothing else", () => {
    const foreign = { aborted: false, addEventListener: () => {} };
    expect([new AbortController().signal, AbortSignal.abort(), foreign].map(isAbortSignal)).toEqual([true, true, true]);
    const others = [
      undefined,
      null,
      "signal",
      new AbortController(),
      {},
      { aborted: false },
      new EventTarget(),
      () => {},
    ];
    expect(others.map(isAbortSignal)).toEqual(others.map(() => false));
  });
});
