/** A first run: a model, a tool, a prompt, and the record of what happened. */
import { createRuntime } from "harness-kit";
import { localModel } from "harness-kit/models/local";
import { calculator } from "harness-kit/tools";

// The embedded rule-based demo model, not an LLM: it needs no key and no network.
const runtime = createRuntime({ model: localModel(), tools: [calculator] });

const run = await runtime.run("What is 17 * 38?");

for (const step of run.steps) console.log(`step ${step.index}: ${step.type}`);
console.log(`answer: ${run.answer}`);
console.log(`status: ${run.status} (${run.stopReason})`);
