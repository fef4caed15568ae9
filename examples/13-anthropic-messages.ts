/** The Messages API: thinking is kept and sent back unchanged, prompts are cached, overloads are retried. */
import { createRuntime } from "harness-kit";
import { anthropicModel } from "harness-kit/models/anthropic";
import { fakeProvider } from "harness-kit/testing";
import { calculator } from "harness-kit/tools";

// With a key in the environment the real endpoint answers, without one a provider on this machine.
const apiKey = process.env["ANTHROPIC_API_KEY"];
const provider = await fakeProvider({
  replies: [
    { reasoning: "I had better calculate.", toolCalls: [{ name: "calculator", arguments: { expression: "17 * 38" } }] },
    { text: ["17 * 38 ", "is 646."], usage: { inputTokens: 90, outputTokens: 8 } },
  ],
});
const baseUrl = apiKey === undefined ? provider.baseUrl : undefined;

const model = anthropicModel({ model: "claude-sonnet-4-5", apiKey, baseUrl, thinking: { budgetTokens: 2_000 } });
const run = await createRuntime({ model, tools: [calculator] }).run("What is 17 * 38?");

for (const step of run.steps) {
  if (step.type !== "model") continue;
  console.log(`thought: ${step.response.reasoning?.[0]?.text ?? "nothing"}`);
}
console.log(`${run.status}: ${run.error ?? run.answer}`);
await provider.close();
