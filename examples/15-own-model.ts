/** A model of your own: a function. What it throws is classified, what it answers is checked, the signal is passed on. */
import { createRuntime, type ModelFunction } from "harness-kit";
import { fakeProvider } from "harness-kit/testing";

// With a key in the environment the real endpoint answers, without one a provider on this machine.
const apiKey = process.env["OPENAI_API_KEY"];
const provider = await fakeProvider({
  replies: [{ status: 503, body: { error: { message: "Overloaded" } } }, { text: "Paris." }],
});
const baseUrl = apiKey === undefined ? provider.baseUrl : "https://api.openai.com/v1";

const model: ModelFunction = async ({ messages }, { signal, attempt }) => {
  console.log(`try ${attempt}`);
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey ?? "none"}` },
    body: JSON.stringify({ model: "gpt-5-mini", messages }),
    signal,
  });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return { content: choices[0]?.message.content ?? "", toolCalls: [] };
};

const run = await createRuntime({ model, retry: { baseMs: 1 } }).run("What is the capital of France?");
console.log(`${run.status}: ${run.error ?? run.answer}`);
await provider.close();
