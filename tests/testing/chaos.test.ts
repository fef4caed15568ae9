import { createRuntime } from "harness-kit";
import { callTool, chaos, type FAULTS, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";

const tool = { name: "t", description: "t", parameters: { type: "object" }, execute: () => "ok" };

describe("chaos", () => {
  it("counts the calls of all ports and fails none with at: 0", async () => {
    const storm = chaos({ at: 0, fault: "throwError" });
    const runtime = createRuntime({
      model: storm.model(scriptedModel([callTool("t"), "Done."])),
      tools: [storm.tool(tool)],
    });
    expect((await runtime.run("Go.")).answer).toBe("Done.");
    expect(storm.calls).toBe(3);
    expect(storm.fired).toEqual([]);
  });

  it("fails the call whose turn it is, and tells which one that was", async () => {
    const storm = chaos({ at: [2], fault: "throwNull" });
    const runtime = createRuntime({
      model: storm.model(scriptedModel([callTool("t"), "Done."])),
      tools: [storm.tool(tool)],
    });
    const run = await runtime.run("Go.");
    expect(run.steps[1]).toMatchObject({ result: { ok: false, error: "null", code: "TOOL_THREW" } });
    expect(storm.fired).toEqual([{ port: "tool:execute", at: 2 }]);
  });

  it("counts only the calls of one port when a port is named", async () => {
    const storm = chaos({ at: 2, fault: "reject", port: "model" });
    const runtime = createRuntime({
      model: storm.model(scriptedModel([callTool("t"), "Done."])),
      tools: [storm.tool(tool)],
      clock: recordingClock(),
    });
    await runtime.run("Go.");
    expect(storm.fired).toEqual([{ port: "model:generate", at: 2 }]);
  });

  it("cuts a stream in half", async () => {
    const storm = chaos({ at: 3, fault: "halfStream", port: "stream:chunk" });
    const stream = createRuntime({ model: storm.model(scriptedModel(["A whole answer."], { chunkSize: 4 })) }).stream(
      "Go.",
    );
    expect(await stream.result).toMatchObject({ status: "failed", errorCode: "MODEL_STREAM_INTERRUPTED" });
  });

  it("breaks the JSON of a model's arguments", async () => {
    const storm = chaos({ at: 1, fault: "badJson" });
    const runtime = createRuntime({ model: storm.model(scriptedModel([callTool("t"), "Done."])), tools: [tool] });
    const run = await runtime.run("Go.");
    expect(run.steps[1]).toMatchObject({ result: { ok: false, code: "TOOL_INVALID_ARGUMENTS" } });
  });

  it("does a call twice, late, and with a huge value", async () => {
    const calls: string[] = [];
    const port = (fault: (typeof FAULTS)[number], clock = recordingClock()) =>
      chaos({ at: 1, fault, clock, lateMs: 5 }).call("port", () => calls.push(fault))();
    await port("twice");
    await port("late");
    expect(calls).toEqual(["twice", "twice", "late"]);
    expect(String(await port("huge")).length).toBeGreaterThan(200_000);
  });

  it("refuses a fault that it does not know", () => {
    expect(() => chaos({ at: 1, fault: "wat" as never })).toThrow(/throwError/);
  });
});
