/** A model of an AI SDK provider: whatever is installed in the app already, of version 2, 3 or 4. */

import { createOpenAI } from "@ai-sdk/openai";
import { createRuntime } from "harness-kit";
import { aiSdkModel } from "harness-kit/models/ai-sdk";
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

const openai = createOpenAI({ apiKey: apiKey ?? "none", ...(baseUrl !== undefined && { baseURL: baseUrl }) });
const model = aiSdkModel(openai("gpt-5-mini"), { providerOptions: { openai: { reasoningEffort: "low" } } });
const run = await createRuntime({ model, tools: [calculator] }).run("What is 17 * 38?");

console.log(`model: ${model.name}`);
console.log(`${run.status}: ${run.error ?? run.answer}`);
await provider.close();
