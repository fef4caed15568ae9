/** An abort: the run settles at once, every call has its result, and the history can be sent again. */
import { assertWellFormed, createRuntime, defineTool } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { z } from "zod";

const wait = defineTool({
  name: "wait",
  description: "Waits until it is told to stop.",
  parameters: z.object({}),
  execute: (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
});

const controller = new AbortController();
setTimeout(() => controller.abort("the user pressed stop"), 100);

const runtime = createRuntime({ model: scriptedModel([callTool("wait"), "never asked"]), tools: [wait] });
const run = await runtime.run("Wait for it.", { signal: controller.signal });

console.log(`${run.status}: ${run.errorKind} ${run.errorCode}: ${run.error}`);
console.log(`settled within a second: ${run.endedAt - run.startedAt < 1_000}`);
assertWellFormed(run.history);
console.log(`history: ${run.history.map((message) => message.role).join(", ")}`);
