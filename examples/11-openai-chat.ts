/** Chat Completions: OpenAI, and everybody who speaks the same API (DeepSeek, Moonshot, Qwen, Ollama, vLLM, …). */
import { createRuntime } from "harness-kit";
import { openaiModel } from "harness-kit/models/openai";
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

const model = openaiModel({ model: "gpt-5-mini", apiKey, baseUrl });
const runtime = createRuntime({ model, tools: [calculator] });

const stream = runtime.stream("What is 17 * 38?");
for await (const event of stream) {
  if (event.type === "tool:start") console.log(`calls ${event.call.name}`);
  if (event.type === "model:delta") console.log(`text: ${event.text}`);
}
const run = await stream.result;
console.log(`${run.status}: ${run.error ?? run.answer}`);
await provider.close();
