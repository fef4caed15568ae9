/**
 * A TypeScript program that uses every subpath. It is compiled as an ES module and as CommonJS, for each way
 * to resolve modules, with the library's own types checked; and it is run.
 */
import { type AgentRun, createRuntime, defineTool, type Model, parseRun, type RuntimeOptions } from "harness-kit";
import { type CompactionOptions, compaction } from "harness-kit/compaction";
import { type AnyHarnessError, type ErrorCode, isHarnessError, toHarnessError } from "harness-kit/errors";
import { type AiSdkLanguageModel, aiSdkModel } from "harness-kit/models/ai-sdk";
import { anthropicModel } from "harness-kit/models/anthropic";
import { httpModel } from "harness-kit/models/http";
import { localModel } from "harness-kit/models/local";
import { type OpenAIModelOptions, openaiModel } from "harness-kit/models/openai";
import { openaiResponsesModel } from "harness-kit/models/openai-responses";
import { createGate, type Rule } from "harness-kit/permission";
import { type ProcessResult, runProcess } from "harness-kit/process";
import { fileStore, memoryStore } from "harness-kit/store";
import { callTool, scriptedModel } from "harness-kit/testing";
import { bashTool, calculator, workspaceTools } from "harness-kit/tools";

/** Fails to compile unless both are the same type; `any` is the same as nothing else. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isSame = <A, B>(same: Same<A, B>) => same;

interface Numbers {
  a: number;
  b: number;
}

/** A Standard Schema by hand. */
const numbers = {
  "~standard": {
    version: 1,
    vendor: "consumer",
    validate: (value: unknown) => ({ value: { b: 2, ...(value as { a: number }) } }),
    types: undefined as { input: { a: number; b?: number }; output: Numbers } | undefined,
  },
} as const;

const add = defineTool({
  name: "add",
  description: "Adds.",
  parameters: numbers,
  jsonSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a"] },
  execute(args, { signal }) {
    isSame<typeof args, Numbers>(true);
    isSame<typeof signal, AbortSignal>(true);
    return args.a + args.b;
  },
});

function kindOf(error: unknown): "model" | "tool" | "runtime" | "context" | "permission" {
  if (!isHarnessError(error)) return toHarnessError(error, "runtime").kind;
  const known: AnyHarnessError = error;
  isSame<typeof known.code extends ErrorCode ? true : false, true>(true);
  return known.kind;
}

function exitCodeOf(result: ProcessResult): number | undefined {
  isSame<typeof result.status, "completed" | "terminated" | "notStarted">(true);
  return result.status === "completed" ? result.exitCode : undefined;
}

const connection = { model: "m", apiKey: "key", baseUrl: "https://fake.invalid/v1" } satisfies OpenAIModelOptions;
const models: Model[] = [
  openaiModel(connection),
  openaiResponsesModel(connection),
  anthropicModel(connection),
  localModel(),
  httpModel({
    ...{ model: "m", baseUrl: "https://fake.invalid", path: "/ask" },
    toBody: ({ messages }) => ({ messages }),
    toResponse: (body: { text: string }) => ({ content: body.text, toolCalls: [] }),
  }),
];
export const ofTheAiSdk = (model: AiSdkLanguageModel): Model => aiSdkModel(model);

const rules: readonly Rule[] = [{ tool: "bash", decision: "deny", reason: "not here" }];
const limits: CompactionOptions = { maxTokens: 100_000 };
const options: RuntimeOptions = {
  model: scriptedModel([callTool("add", { a: 1 }), "The sum is 3."]),
  tools: [add, calculator, bashTool(), ...workspaceTools(".")],
  fallback: models,
  permission: createGate({ rules }),
  plugins: [compaction(limits)],
  store: memoryStore(),
};

async function main(): Promise<void> {
  const run: AgentRun = parseRun(await createRuntime(options).run("Add."));
  const exitCode = exitCodeOf(await runProcess("sh", ["-c", "exit 3"]));
  const store = fileStore("never-written-to");
  isSame<Awaited<ReturnType<typeof store.loadRun>>, AgentRun | undefined>(true);
  console.log(run.answer, exitCode, kindOf(new Error("x")));
}

void main();
