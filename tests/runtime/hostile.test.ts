import { AgentContext, type AgentRun, createRuntime, parseRun } from "harness-kit";
import { assertRunInvariants, callTool, callTools, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { failureOf, spyTool, within } from "./helpers.ts";

/** The aim is one second; a loaded machine gets ten. */
const SOON_MS = 10_000;

const runOf = (turn: object | (() => unknown), tool = spyTool("t").tool): Promise<AgentRun> =>
  within(SOON_MS, createRuntime({ model: scriptedModel([turn as never, "Done."]), tools: [tool] }).run("Go."));

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { value };
  return value;
};

describe("hostile input", () => {
  it("answers ten thousand calls in one turn, most of them with a refusal", async () => {
    const { tool, calls } = spyTool("t");
    const asked = Array.from({ length: 10_000 }, (_, index) => ({ id: `c${index}`, name: "t", arguments: { index } }));
    const run = await runOf(callTools(...asked), tool);
    expect(calls).toHaveLength(128);
    expect(run.steps.filter(({ type }) => type === "tool")).toHaveLength(10_000);
    expect(failureOf(run, "c9999")).toMatchObject({ kind: "tool", code: "TOOL_REJECTED" });
    assertRunInvariants(run);
    expect(parseRun(JSON.stringify(run)).steps).toHaveLength(run.steps.length);
  });

  it("takes arguments of ten megabytes, as text and as an object", async () => {
    const text = "x".repeat(10_000_000);
    for (const args of [JSON.stringify({ text }), { text }]) {
      const { tool, calls } = spyTool("t");
      const run = await runOf(callTool("t", args, "c1"), tool);
      expect(run.status).toBe("completed");
      expect(calls).toHaveLength(1);
    }
  });

  it("refuses arguments that are nested a hundred thousand levels deep, as text and as an object", async () => {
    const depth = 100_000;
    for (const args of [`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`, nested(depth)]) {
      const { tool, calls } = spyTool("t");
      const run = await runOf(callTool("t", args, "c1"), tool);
      expect(failureOf(run, "c1")).toMatchObject({ kind: "tool", code: "TOOL_INVALID_ARGUMENTS" });
      expect(failureOf(run, "c1").error).toMatch(/nested deeper/);
      expect(calls).toHaveLength(0);
      expect(run.status).toBe("completed");
      assertRunInvariants(run);
    }
  });

  it("reads back a record whose arguments are as deep as arguments may be", async () => {
    const run = await runOf(callTool("t", nested(198), "c1"));
    assertRunInvariants(run);
    expect(parseRun(JSON.stringify(run))).toEqual(run);
    const context = AgentContext.restore(new AgentContext().snapshot());
    for (const message of run.history) context.add(message);
    expect(AgentContext.restore(JSON.stringify(context.snapshot())).messages).toEqual(run.history);
  });

  it("takes cyclic arguments and results for what they are", async () => {
    const cyclic: Record<string, unknown> = { name: "loop" };
    cyclic["self"] = cyclic;
    const run = await runOf(callTool("t", cyclic, "c1"), spyTool("t", () => cyclic).tool);
    expect(run.status).toBe("completed");
    assertRunInvariants(run);
  });

  it("counts no tokens that are no numbers", async () => {
    for (const inputTokens of [Number.NaN, Number.POSITIVE_INFINITY, 1.7e308, -1, "5", null]) {
      const run = await runOf(() => ({
        content: "",
        toolCalls: [{ id: "", name: "t" }],
        usage: { inputTokens, outputTokens: 1 },
      }));
      expect(run.usage).toEqual({ inputTokens: 0, outputTokens: 1 });
      assertRunInvariants(run);
    }
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["text", "<html>"],
    ["an array", []],
    ["a number as content", { content: 5 }],
    ["calls that are no list", { content: "", toolCalls: {} }],
    ["a call without a name", { content: "", toolCalls: [{ id: "c1" }] }],
    ["a call that is null", { content: "", toolCalls: [null] }],
    ["an error inside", { error: { message: "upstream failed" } }],
    ["nothing", {}],
  ])("takes %s for no answer", async (_name, answer) => {
    const run = await within(SOON_MS, createRuntime({ model: () => answer as never, retry: { baseMs: 0 } }).run("Go."));
    expect(run).toMatchObject({ status: "failed", errorKind: "model" });
    assertRunInvariants(run);
  });

  it("stops a stream that never pauses, at its deadline", async () => {
    const model = {
      generate: () => Promise.reject(new Error("not asked")),
      async *stream() {
        for (;;) yield { type: "text", text: "" } as const;
      },
    };
    const stream = createRuntime({ model, timeoutMs: 50, graceMs: 10 }).stream("Go.");
    const run = await within(SOON_MS, stream.result);
    expect(run).toMatchObject({ status: "failed", errorCode: "RUN_TIMEOUT" });
  });

  it.each<[string, object]>([
    ["text that is no text", { type: "text", text: undefined }],
    ["an event of no known type", { type: "wat" }],
    ["arguments that are an object", { type: "toolCall", index: 0, name: "t", arguments: { a: 1 } }],
    ["reasoning that is no text", { type: "reasoning" }],
  ])("takes a stream that gives %s for broken", async (_name, event) => {
    const model = {
      generate: () => Promise.reject(new Error("not asked")),
      async *stream() {
        yield event as never;
      },
    };
    const stream = createRuntime({ model, retry: { maxAttempts: 1 } }).stream("Go.");
    for await (const told of stream) expect(told.type).not.toBe("model:delta");
    expect(await stream.result).toMatchObject({ status: "failed", errorCode: "MODEL_BAD_RESPONSE" });
  });

  it("reads no record that was cut at any byte, and throws nothing but a ContextError", async () => {
    const text = JSON.stringify(await runOf(callTool("t", { a: 1 }, "c1")));
    for (let end = 0; end < text.length; end++) {
      expect(() => parseRun(text.slice(0, end))).toThrow(expect.objectContaining({ kind: "context" }));
    }
  });

  it("refuses a record of a newer version, keeps fields that it does not know, and throws only ContextErrors", async () => {
    const run = await runOf(callTool("t", { a: 1 }, "c1"));
    const copy = JSON.parse(JSON.stringify(run));
    expect(parseRun({ ...copy, extra: [1] })).toEqual({ ...copy, extra: [1] });
    expect(() => parseRun({ ...copy, schemaVersion: 2 })).toThrow(
      expect.objectContaining({ code: "CONTEXT_SNAPSHOT_VERSION" }),
    );
    const hidden = {
      ...copy,
      get steps() {
        throw new Error("hidden");
      },
    };
    const damaged = [
      hidden,
      nested(100_000),
      [],
      null,
      5,
      { ...copy, status: "paused" },
      { ...copy, steps: [{}] },
      { ...copy, history: copy.history.slice(2) },
    ];
    for (const value of damaged) expect(() => parseRun(value)).toThrow(expect.objectContaining({ kind: "context" }));
  });
});
