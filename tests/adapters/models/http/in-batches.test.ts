import { describe, expect, it } from "vitest";
import { type BatchSource, inBatches } from "../../../../src/adapters/models/http/in-batches.ts";
import type { ModelEvent } from "../../../../src/contract/model.ts";

const text = (piece: string): ModelEvent => ({ type: "text", text: piece });
const over = { done: true, value: undefined };

/** A source of these batches; an error is thrown when its turn comes. */
function sourceOf(...batches: (readonly ModelEvent[] | Error)[]) {
  const seen = { opened: 0, cancelled: 0 };
  const source: BatchSource = {
    async next() {
      await Promise.resolve();
      const batch = batches.shift();
      if (batch instanceof Error) throw batch;
      return batch;
    },
    cancel: () => {
      seen.cancelled++;
    },
  };
  const open = async () => {
    seen.opened++;
    return source;
  };
  return { seen, events: inBatches(open, (error) => new Error(`adopted: ${(error as Error).message}`)) };
}

describe("events in batches", () => {
  it("come one by one, in order, to whoever asks, also to many at once", async () => {
    const { events } = sourceOf([text("a"), text("b")], [text("c")]);
    const asked = Array.from({ length: 5 }, () => events.next());
    const values = (await Promise.all(asked)).map(({ value }) => value?.type === "text" && value.text);
    expect(values).toEqual(["a", "b", "c", false, false]);
  });

  it("open their source when the first is asked for, once", async () => {
    const { events, seen } = sourceOf([text("a")]);
    expect(seen.opened).toBe(0);
    await Promise.all([events.next(), events.next()]);
    expect(seen.opened).toBe(1);
  });

  it("end with the adopted error of their source, once", async () => {
    const { events, seen } = sourceOf([text("a")], new Error("boom"));
    await events.next();
    await expect(events.next()).rejects.toThrow("adopted: boom");
    expect(await events.next()).toEqual(over);
    expect(seen.cancelled).toBe(1);
  });

  it("end with the adopted error of the opening", async () => {
    const failing = inBatches(
      () => Promise.reject(new Error("no")),
      (error) => new Error(`adopted: ${(error as Error).message}`),
    );
    await expect(failing.next()).rejects.toThrow("adopted: no");
    expect(await failing.next()).toEqual(over);
  });

  it("give nothing more once they were left, before, between and behind", async () => {
    const untouched = sourceOf([text("a")]);
    expect(await untouched.events.return?.()).toEqual(over);
    expect(await untouched.events.next()).toEqual(over);
    expect(untouched.seen).toEqual({ opened: 0, cancelled: 0 });
    const begun = sourceOf([text("a"), text("b")]);
    await begun.events.next();
    await begun.events.return?.();
    expect(await begun.events.next()).toEqual(over);
    expect(begun.seen.cancelled).toBe(1);
    const done = sourceOf([text("a")]);
    for await (const _event of done.events);
    expect(await done.events.return?.()).toEqual(over);
  });

  it("cancel a source that opens after they were left", async () => {
    let opened: (source: BatchSource) => void = () => {};
    const opening = new Promise<BatchSource>((resolve) => {
      opened = resolve;
    });
    const calls: string[] = [];
    const events = inBatches(
      () => opening,
      (error) => error,
    );
    const waiting = events.next();
    await events.return?.();
    opened({
      next: async () => {
        calls.push("next");
        return [text("late")];
      },
      cancel: () => {
        calls.push("cancel");
      },
    });
    expect(await waiting).toEqual(over);
    expect(calls).toEqual(["cancel"]);
  });

  it("do not tell how a source failed that was left", async () => {
    const { events } = sourceOf(new Error("closed"));
    const waiting = events.next();
    await events.return?.();
    expect(await waiting).toEqual(over);
  });
});
