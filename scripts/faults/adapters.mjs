/** Drives one runtime each by the neutral scripts of `list.mjs`. Default settings, except what the fault names. */
import { readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url);
const versionOf = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8")).version;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** harness-kit, from the module that is named. */
export async function harnessKit(modulePath) {
  const { createRuntime } = await import(modulePath);
  return {
    name: `harness-kit ${versionOf("package.json")}`,
    async run({ model, tools, signal, maxSteps, listener }) {
      const runtime = createRuntime({
        maxSteps,
        model: async ({ messages }) => {
          const answer = await model(messages.flatMap((message) => message.toolCalls?.map(({ id }) => id) ?? []));
          if ("raw" in answer) return answer.raw;
          const toolCalls = (answer.calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args }));
          return { content: answer.text ?? "", toolCalls };
        },
        tools: Object.entries(tools).map(([name, execute]) => ({
          name,
          description: name,
          parameters: { type: "object" },
          execute,
        })),
      });
      if (listener !== undefined) runtime.on("step", listener);
      const run = await runtime.run("Go.", { signal });
      return {
        text: run.answer,
        isFailure: run.status !== "completed",
        isIncomplete: run.incomplete === true,
        seen: JSON.stringify(run),
      };
    },
  };
}

/** The AI SDK's `generateText`. */
export async function aiSdk() {
  const { generateText, jsonSchema, stepCountIs, tool } = await import("ai");
  return {
    name: `ai ${versionOf("node_modules/ai/package.json")}`,
    async run({ model, tools, signal, maxSteps, listener }) {
      const result = await generateText({
        model: languageModel(model),
        prompt: "Go.",
        abortSignal: signal,
        stopWhen: stepCountIs(maxSteps),
        onStepFinish: listener,
        tools: Object.fromEntries(
          Object.entries(tools).map(([name, execute]) => [
            name,
            tool({ description: name, inputSchema: jsonSchema({ type: "object" }), execute }),
          ]),
        ),
      });
      const isEmpty = result.text === "" && result.finishReason !== "stop";
      return { text: result.text, isFailure: false, isIncomplete: isEmpty, seen: text(result.response.messages) };
    },
  };
}

function languageModel(model) {
  return {
    specificationVersion: "v3",
    provider: "faults",
    modelId: "faults",
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const asked = prompt.flatMap(({ role, content }) =>
        role === "assistant"
          ? content.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId)
          : [],
      );
      const answer = await model(asked);
      if ("raw" in answer) return answer.raw;
      const calls = (answer.calls ?? []).map(({ id, name, args }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input: args,
      }));
      const content = answer.text === undefined ? calls : [{ type: "text", text: answer.text }, ...calls];
      return {
        content,
        finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
        usage,
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error("not asked")),
  };
}

function text(value) {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return String(value);
  }
}
