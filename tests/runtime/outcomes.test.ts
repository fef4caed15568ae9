/** The small judgements that the loop relies on where a host or a store hands something back. */

import type { AgentEvent } from "harness-kit";
import { ContextError, ToolError } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { describe, expect, it } from "vitest";
import { isQuestion } from "../../src/runtime/approvals.ts";
import { isModelOutcome } from "../../src/runtime/ask-model.ts";
import { firstDifference } from "../../src/runtime/first-difference.ts";
import { EventQueue } from "../../src/runtime/run-stream.ts";
import { storeError } from "../../src/runtime/store-call.ts";

describe("the outcome of a question to the models", () => {
  const whole = { wasted: [], failures: [] };

  it.each([
    { ...whole, ok: true, response: { toolCalls: [] } },
    { ...whole, ok: false, error: {} },
  ])("%j is one", (value) => {
    expect(isModelOutcome(value)).toBe(true);
  });

  it.each([
    {},
    whole,
    { ...whole, ok: true },
    { ...whole, ok: true, response: null },
    { ...whole, ok: true, response: {} },
    { ...whole, ok: true, response: { toolCalls: "none" }, error: {} },
    { ...whole, ok: false },
    { ...whole, ok: false, error: null },
    { ...whole, ok: false, error: "text" },
    { ...whole, ok: "false", error: {} },
    { ...whole, error: {} },
    { wasted: [], ok: true, response: { toolCalls: [] } },
    { failures: [], ok: false, error: {} },
    { wasted: {}, failures: {}, ok: false, error: {} },
  ])("%j is none", (value) => {
    expect(isModelOutcome(value)).toBe(false);
  });
});

describe("a gate that asks", () => {
  const gate = createGate({ rules: [], onAsk: "pause" });
  const asking = { decision: "ask" };

  it("does where it says ask and knows whom", () => {
    expect(isQuestion(gate, asking)).toBe(true);
    expect(isQuestion(createGate({ rules: [], onAsk: () => ({ decision: "allow" }) }), asking)).toBe(true);
  });

  it("does not where it says anything else", () => {
    const inherited = Object.create(asking);
    for (const said of [null, undefined, "ask", { decision: "allow" }, {}, inherited, ["ask"], 5]) {
      expect(isQuestion(gate, said)).toBe(false);
    }
  });

  it("does not where it cannot ask", () => {
    const { question } = gate;
    const askable = Object.assign(() => asking, { question, onAsk: "pause" });
    for (const permission of [
      createGate({ rules: [] }),
      askable,
      { check: () => asking },
      { check: () => asking, onAsk: "pause" },
      { check: () => asking, question },
      { check: () => asking, question, onAsk: "later" },
      { check: () => asking, question: "?", onAsk: () => asking },
    ]) {
      expect(isQuestion(permission as never, asking)).toBe(false);
    }
  });
});

describe("the first difference of two records", () => {
  it.each([
    [1, 1, undefined],
    [Number.NaN, Number.NaN, undefined],
    [{ a: undefined }, {}, undefined],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, undefined],
    [1, "1", { path: "", expected: 1, actual: "1" }],
    [{}, null, { path: "", expected: {}, actual: null }],
    [null, {}, { path: "", expected: null, actual: {} }],
    [{}, 5, { path: "", expected: {}, actual: 5 }],
    [[], {}, { path: "", expected: [], actual: {} }],
    [{ 0: 1 }, [1], { path: "", expected: { 0: 1 }, actual: [1] }],
    [{ a: { b: 1 } }, { a: { b: 2 } }, { path: "a.b", expected: 1, actual: 2 }],
    [{ a: [0, { b: 1 }] }, { a: [0, { b: 2 }] }, { path: "a[1].b", expected: 1, actual: 2 }],
    [[1], [1, 2], { path: "[1]", expected: undefined, actual: 2 }],
    [{ a: 1 }, {}, { path: "a", expected: 1, actual: undefined }],
    [{ toString: 1 }, {}, { path: "toString", expected: 1, actual: undefined }],
  ])("of %j and %j", (expected, actual, found) => {
    expect(firstDifference(expected, actual)).toEqual(found);
  });
});

describe("a queue of events", () => {
  const event = { type: "model:delta", runId: "r", seq: 0, at: 0, text: "x" } as AgentEvent;
  const fill = (queue: EventQueue, count: number) => {
    for (let index = 0; index < count; index++) queue.push(event);
  };

  it("holds nobody up who is not read, however full it is", () => {
    const queue = new EventQueue();
    fill(queue, 1_000);
    expect(queue.ready()).toBeUndefined();
  });

  it("holds up from 256 events that wait on, until they are taken", async () => {
    const queue = new EventQueue();
    queue.push(event);
    await queue.take();
    fill(queue, 255);
    expect(queue.ready()).toBeUndefined();
    queue.push(event);
    let isReady = false;
    const waited = queue.ready()?.then(() => {
      isReady = true;
    });
    for (let taken = 0; taken < 255; taken++) await queue.take();
    expect([isReady, queue.ready()]).toEqual([false, undefined]);
    await queue.take();
    await waited;
    expect(isReady).toBe(true);
  });

  it("holds nobody up once it is over or left, and gives what it has", async () => {
    for (const end of ["close", "leave"] as const) {
      const queue = new EventQueue();
      queue.push(event);
      await queue.take();
      fill(queue, 300);
      const waited = queue.ready();
      queue[end]();
      await waited;
      queue.push(event);
      expect(queue.ready()).toBeUndefined();
      let given = 0;
      while ((await queue.take()) !== undefined) given++;
      expect(given).toBe(end === "close" ? 300 : 0);
    }
  });
});

describe("what a store threw", () => {
  it("is an error of the context, and stays the one that it is", () => {
    const own = new ContextError("damaged", { code: "CONTEXT_STORE_DAMAGED" });
    expect(storeError("load", own)).toBe(own);
    const foreign = new ToolError("odd");
    expect(storeError("load the run", foreign)).toMatchObject({
      kind: "context",
      code: "CONTEXT_STORE_FAILED",
      message: "The store failed to load the run: odd",
      cause: foreign,
    });
  });
});
