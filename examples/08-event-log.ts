/** Events to a log: everything that happens, in order, and a listener that fails changes nothing. */
import { createRuntime } from "harness-kit";
import { localModel } from "harness-kit/models/local";
import { calculator } from "harness-kit/tools";

const runtime = createRuntime({ model: localModel(), tools: [calculator] });

runtime.on("*", (event) => {
  if (event.type !== "model:delta") console.log(`${event.seq} ${event.type}`);
});
runtime.on("tool:end", ({ call, result }) => {
  console.log(`  ${call.name}(${JSON.stringify(call.arguments)}) = ${result.ok ? result.value : result.error}`);
});
runtime.on("tool:start", () => {
  throw new Error("the log is full");
});

const run = await runtime.run("What is (17 + 38) * 2?");
console.log(`answer: ${run.answer}`);
