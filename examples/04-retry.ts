/** A model that fails once is asked again; the record shows both tries. */
import { createRuntime } from "harness-kit";
import { scriptedModel } from "harness-kit/testing";

const overloaded = Object.assign(new Error("503 Service Unavailable"), { status: 503 });
const model = scriptedModel([overloaded, "Here I am again."]);

const runtime = createRuntime({ model, retry: { maxAttempts: 3, baseMs: 10 } });
runtime.on("model:retry", ({ attempt, maxAttempts, code, message }) => {
  console.log(`try ${attempt} of ${maxAttempts} failed: ${code} ${message}`);
});

const run = await runtime.run("Are you there?");
const [step] = run.steps;
if (step?.type === "model") console.log(`answered at try ${step.attempts} after ${step.failures?.[0]?.code}`);
console.log(`answer: ${run.answer}`);
