/** A deadline for the whole run: its tool succeeded, the run still ends in time, and nothing is lost. */
import { createRuntime, defineTool } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { z } from "zod";

const work = defineTool({
  name: "work",
  description: "Works for a while without a pause.",
  parameters: z.object({}),
  execute: () => {
    const end = Date.now() + 20;
    while (Date.now() < end) {
      // Busy: no timer can fire meanwhile.
    }
    return "the work is done";
  },
});

const model = scriptedModel([callTool("work"), "never asked"]);
const run = await createRuntime({ model, tools: [work], timeoutMs: 5 }).run("Do the work.");

for (const step of run.steps) {
  if (step.type === "tool") console.log(`tool: ${JSON.stringify(step.result)}`);
}
console.log(`${run.status} (${run.stopReason}), ${run.errorKind} ${run.errorCode}: ${run.error}`);
console.log(`models asked: ${model.requests.length}`);
