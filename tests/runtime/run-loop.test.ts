import { createRuntime, defineTool } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

describe("run", () => {
  it("calls the tool that the model asks for and returns the model's answer", async () => {
    const model = scriptedModel([callTool("add", { a: 17, b: 38 }), "The sum is 55."]);
    const run = await createRuntime({ model, tools: [add] }).run("What is 17 + 38?");
    expect(run).toMatchObject({ status: "completed", stopReason: "finished", answer: "The sum is 55.", iterations: 2 });
    expect(run.steps.map((step) => step.type)).toEqual(["model", "tool", "model", "finish"]);
    expect(run.history.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(run.steps[1]).toMatchObject({ result: { ok: true, value: 55 } });
  });
});
