/** A deadline for the whole run: its tool succeeded, the run still ends in time, and nothing is lost. */
import { createRuntime, defineTool, systemClock } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { z } from "zod";

// A clock of the example's own, so that it prints the same on a slow machine.
let now = Date.now();
const clock = { ...systemClock, now: () => now };

const work = defineTool({
  name: "work",
  description: "Works for 20 ms without a pause, so that no timer can fire meanwhile.",
  parameters: z.object({}),
  execute: () => {
    now += 20;
    return "the work is done";
  },
});

const model = scriptedModel([callTool("work"), "never asked"]);
const run = await createRuntime({ model, tools: [work], timeoutMs: 5, clock }).run("Do the work.");

for (const step of run.steps) {
  if (step.type === "tool") console.log(`tool: ${JSON.stringify(step.result)}`);
}
console.log(`${run.status} (${run.stopReason}), ${run.errorKind} ${run.errorCode}: ${run.error}`);
console.log(`models asked: ${model.requests.length}`);
