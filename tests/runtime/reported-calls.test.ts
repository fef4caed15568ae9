import { createRuntime, defineTool } from "harness-kit";
import { callTool, callTools, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf, play, resultOf, spyTool, textsIn } from "./helpers.ts";

describe("faults reported on other runtimes: tool calls and their arguments", () => {
  it("HK-001: takes an empty argument text for no arguments", async () => {
    const { tool, calls } = spyTool("get_time", () => "12:00", { parameters: z.object({}) });
    const { run, model } = await play([callTool("get_time", "", "c1"), "noon"], { tools: [tool] });
    expect(calls).toEqual([{}]);
    expect(run).toMatchObject({ status: "completed", answer: "noon" });
    expect(resultOf(run, "c1")).toMatchObject({ ok: true });
    expect(model.requests[1]?.messages[1]).toMatchObject({ toolCalls: [{ id: "c1", arguments: {} }] });
  });

  it("HK-003: answers a broken argument text to the model and goes on", async () => {
    const { tool, calls } = spyTool("weather", () => "cold");
    const { run, model } = await play(
      [callTool("weather", '{"{"city":"Oslo"}', "c1"), callTool("weather", '{"city":"Oslo"}', "c2"), "cold"],
      { tools: [tool] },
    );
    expect(calls).toEqual([{ city: "Oslo" }]);
    expect(failureOf(run, "c1")).toMatchObject({ kind: "tool", code: "TOOL_INVALID_ARGUMENTS" });
    expect(failureOf(run, "c1").error).toMatch(/weather.*not valid JSON/);
    expect(run.status).toBe("completed");
    for (const { messages } of model.requests) {
      for (const message of messages) {
        if (message.role !== "assistant") continue;
        for (const call of message.toolCalls ?? []) expect(call.arguments).toBeTypeOf("object");
      }
    }
  });

  it("HK-005: never runs a call that the length limit cut", async () => {
    const { tool, calls } = spyTool("save");
    const cut = {
      finishReason: "length" as const,
      toolCalls: [
        { id: "w1", name: "save", arguments: '{"path":"a.txt","text":"first"}' },
        { id: "w2", name: "save", arguments: '{"path":"b.txt","text":"line one\\nli' },
      ],
    };
    const { run, model } = await play([cut, "Done."], { tools: [tool] });
    expect(calls).toEqual([{ path: "a.txt", text: "first" }]);
    expect(failureOf(run, "w2").error).toMatch(/cut off/);
    expect(model.requests).toHaveLength(2);
    expect(run.status).toBe("completed");
  });

  it("HK-007: reads arguments that were encoded twice", async () => {
    const { tool, calls } = spyTool("pick", () => "ok", { parameters: z.object({ id: z.number() }) });
    await play([callTool("pick", JSON.stringify(JSON.stringify({ id: 7 }))), "Done."], { tools: [tool] });
    expect(calls).toEqual([{ id: 7 }]);
  });

  it.each([
    ["null", [{}]],
    ["[]", []],
    ["7", []],
    ['"x"', []],
  ])("HK-009: answers arguments that are no object: %s", async (text, executed) => {
    const { tool, calls } = spyTool("t", () => "ok", { parameters: z.object({ a: z.number().optional() }) });
    const { run } = await play([callTool("t", text, "c1"), "Done."], { tools: [tool] });
    expect(run.status).toBe("completed");
    expect(calls).toEqual(executed);
    if (executed.length === 0)
      expect(failureOf(run, "c1")).toMatchObject({ kind: "tool", code: "TOOL_INVALID_ARGUMENTS" });
  });

  it("HK-011: names an argument that a strict schema does not know", async () => {
    const { tool, calls } = spyTool("list", () => "ok", {
      parameters: z.strictObject({ limit: z.number().default(10) }),
    });
    const { run } = await play([callTool("list", { limitt: 3 }, "c1"), callTool("list", { limit: 3 }, "c2"), "Done."], {
      tools: [tool],
    });
    expect(failureOf(run, "c1").error).toContain("limitt");
    expect(calls).toEqual([{ limit: 3 }]);
  });

  it("HK-017: gives two calls of one id an id each, and each its own result", async () => {
    const { tool, calls } = spyTool("add", ({ n }: { n: number }) => n);
    const { run, model } = await play(
      [
        callTools({ id: "dup", name: "add", arguments: { n: 1 } }, { id: "dup", name: "add", arguments: { n: 2 } }),
        "Done.",
      ],
      { tools: [tool] },
    );
    expect(calls).toEqual([{ n: 1 }, { n: 2 }]);
    const [, asked, first, second] = model.requests[1]?.messages ?? [];
    const ids = asked?.role === "assistant" ? asked.toolCalls?.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(2);
    expect(first).toMatchObject({ toolCallId: ids?.[0], content: "1" });
    expect(second).toMatchObject({ toolCallId: ids?.[1], content: "2" });
    expect(run.status).toBe("completed");
  });

  it.each(["stop", "other", "unknown", undefined])(
    "HK-019: runs the calls of an answer whose finish reason is %s",
    async (finishReason) => {
      const { tool, calls } = spyTool("look");
      const said = { content: "let me look", finishReason, toolCalls: [{ id: "c1", name: "look", arguments: {} }] };
      const { run } = await play([() => said, "found"], { tools: [tool] });
      expect(calls).toHaveLength(1);
      expect(run).toMatchObject({ answer: "found", stopReason: "finished" });
    },
  );

  it("HK-021: stores no content that is null", async () => {
    const { tool } = spyTool("look");
    const asked = (content: unknown, id: string) => () => ({
      content,
      toolCalls: [{ id, name: "look", arguments: {} }],
    });
    const { run } = await play([asked(null, "c1"), asked(undefined, "c2"), "Done."], { tools: [tool] });
    expect(run.status).toBe("completed");
    for (const message of run.history) expect(message.content).toBeTypeOf("string");
    for (const step of run.steps) if (step.type === "model") expect(step.response.content).toBeTypeOf("string");
  });

  it("HK-025: tells the model which tools there are when it calls one that is not", async () => {
    const shell = spyTool("shell");
    const { run } = await play([callTool("run_python", { code: "1" }, "c1"), callTool("shell"), "Done."], {
      tools: [shell.tool, spyTool("read").tool],
    });
    const failure = failureOf(run, "c1");
    expect(failure).toMatchObject({ kind: "tool", retryable: false, code: "TOOL_NOT_FOUND" });
    for (const name of ["run_python", "shell", "read"]) expect(failure.error).toContain(name);
    expect(shell.calls).toHaveLength(1);
    expect(run.status).toBe("completed");
  });

  it("HK-027: keeps the results of calls beside one that failed, in call order", async () => {
    const later = (ms: number, value: string) =>
      spyTool(value, () => new Promise((resolve) => setTimeout(resolve, ms, value)));
    const boom = spyTool("boom", () => new Promise((_resolve, reject) => setTimeout(reject, 5, new Error("boom"))));
    const [ok1, ok2] = [later(30, "ok1"), later(10, "ok2")];
    const model = scriptedModel([
      callTools(...["ok1", "boom", "ok2"].map((name) => ({ id: name, name, arguments: {} }))),
      "Done.",
    ]);
    const run = await createRuntime({ model, tools: [ok1.tool, boom.tool, ok2.tool] }).run("Go.");
    const results = run.steps.flatMap((step) => (step.type === "tool" ? [step.result] : []));
    expect(results).toMatchObject([{ ok: true, value: "ok1" }, { ok: false }, { ok: true, value: "ok2" }]);
    for (const spy of [ok1, boom, ok2]) expect(spy.calls).toHaveLength(1);
    expect(run.status).toBe("completed");
  });

  it("HK-033: writes a BigInt of a result exactly", async () => {
    const { tool } = spyTool("count", () => ({ count: 9007199254740993n, list: [2n] }));
    const { run } = await play([callTool("count"), "Done."], { tools: [tool] });
    expect(run.status).toBe("completed");
    expect(run.history[2]?.content).toContain("9007199254740993");
  });

  it.each([
    ["undefined", () => undefined],
    ["null", () => null],
    ["an empty text", () => ""],
  ])("HK-035: says in words that a tool gave nothing: %s", async (_name, execute) => {
    const { tool } = spyTool("quiet", execute);
    const { run } = await play([callTool("quiet", {}, "c1"), "Done."], { tools: [tool] });
    expect(resultOf(run, "c1").ok).toBe(true);
    expect(run.history[2]?.content).toBe("(no output)");
  });

  it("HK-037: sends no half surrogate, at whatever depth", async () => {
    const { tool } = spyTool("look", () => "seen \udc00");
    const model = scriptedModel([
      callTool("look", '{"q":"caf\\ud800e"}'),
      callTool("look", { "k\udfff": "\ud800" }),
      "Done.",
    ]);
    const run = await createRuntime({ model, tools: [tool] }).run([{ role: "user", content: "ok \ud83d" }]);
    expect(run.status).toBe("completed");
    for (const request of model.requests) {
      const body: unknown = JSON.parse(JSON.stringify(request.messages));
      for (const text of textsIn(body)) expect(text).not.toMatch(/\p{Surrogate}/u);
    }
    for (const text of textsIn(run)) expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  it("HK-043: shows what a thrown object says", async () => {
    const limit = spyTool("limit", () => {
      throw { code: "E_LIMIT", message: "quota used up", detail: { left: 0 } };
    });
    const odd = spyTool("odd", () => {
      throw new Error({ reason: "x" } as never);
    });
    const { run } = await play([callTool("limit", {}, "c1"), callTool("odd", {}, "c2"), "Done."], {
      tools: [limit.tool, odd.tool],
    });
    expect(failureOf(run, "c1")).toMatchObject({ kind: "tool", code: "TOOL_THREW" });
    expect(failureOf(run, "c1").error).toContain("quota used up");
    expect(run.history[2]?.content).toBe("quota used up (E_LIMIT)");
    expect(failureOf(run, "c2").error).not.toContain("[object Object]");
  });

  it("HK-103: lets no key of the arguments reach a prototype", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "merge",
      description: "Merges.",
      parameters: z.looseObject({ a: z.number() }),
      execute: (args) => {
        seen.push(Reflect.get(Object.assign({}, args), "polluted"), Reflect.get({ ...args }, "polluted"));
      },
    });
    await play([callTool("merge", '{"a":1,"__proto__":{"polluted":"yes"}}'), "Done."], { tools: [tool] });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(seen.filter((value) => value !== undefined)).toEqual([]);
  });
});
