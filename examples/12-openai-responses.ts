/** The Responses API: nothing is stored there, encrypted reasoning travels with the history. */
import { createRuntime } from "harness-kit";
import { openaiResponsesModel } from "harness-kit/models/openai-responses";
import { fakeProvider } from "harness-kit/testing";
import { calculator } from "harness-kit/tools";

// With a key in the environment the real endpoint answers, without one a provider on this machine.
const apiKey = process.env["OPENAI_API_KEY"];
const provider = await fakeProvider({
  replies: [
    { reasoning: "I had better calculate.", toolCalls: [{ name: "calculator", arguments: { expression: "17 * 38" } }] },
    { text: ["17 * 38 ", "is 646."], usage: { inputTokens: 90, outputTokens: 8 } },
  ],
});
const baseUrl = apiKey === undefined ? provider.baseUrl : undefined;

const model = openaiResponsesModel({ model: "gpt-5-mini", apiKey, baseUrl, reasoning: { effort: "low" } });
const run = await createRuntime({ model, tools: [calculator] }).run("What is 17 * 38?");

console.log(`${run.status}: ${run.error ?? run.answer}`);
for (const message of run.history) {
  const kept = message.role === "assistant" ? (message.reasoning ?? []).length : 0;
  console.log(`${message.role}${kept > 0 ? `, reasoning kept: ${kept}` : ""}`);
}
await provider.close();
