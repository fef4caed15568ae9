/** A tool that hangs is stopped, the model is told, and the run goes on. */
import { createRuntime, defineTool } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { z } from "zod";

const slow = defineTool({
  name: "slow",
  description: "Never comes back, and ignores its signal.",
  parameters: z.object({}),
  timeoutMs: 50,
  execute: () => new Promise(() => {}),
});

const model = scriptedModel([callTool("slow"), "I could not find out in time."]);
const run = await createRuntime({ model, tools: [slow] }).run("Ask the slow service.");

for (const step of run.steps) {
  if (step.type === "tool" && !step.result.ok)
    console.log(`${step.result.kind} ${step.result.code}: ${step.result.error}`);
}
console.log(`left running: ${run.abandoned?.map((call) => call.name).join(", ")}`);
console.log(`${run.status}: ${run.answer}`);
