/** A TypeScript program for pages and workers: compiled with zod and the types of the DOM, without those of Node. */
import { createRuntime, defineTool } from "harness-kit";
import { compaction } from "harness-kit/compaction";
import { isHarnessError } from "harness-kit/errors";
import { aiSdkModel } from "harness-kit/models/ai-sdk";
import { anthropicModel } from "harness-kit/models/anthropic";
import { httpModel } from "harness-kit/models/http";
import { localModel } from "harness-kit/models/local";
import { openaiModel } from "harness-kit/models/openai";
import { openaiResponsesModel } from "harness-kit/models/openai-responses";
import { z } from "zod";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const factories = { aiSdkModel, anthropicModel, httpModel, localModel, openaiResponsesModel };

const readTitle = defineTool({
  name: "readTitle",
  description: "Reads the title of the page.",
  parameters: z.object({ upperCase: z.boolean().default(false) }),
  execute(args) {
    const isUpperCase: Same<typeof args, { upperCase: boolean }> extends true ? boolean : never = args.upperCase;
    return isUpperCase ? document.title.toUpperCase() : document.title;
  },
});

export async function ask(input: string, signal: AbortSignal): Promise<string> {
  const model = openaiModel({ model: "m", baseUrl: new URL("/v1", location.href).href });
  const runtime = createRuntime({ model, tools: [readTitle], plugins: [compaction({ maxTokens: 100_000 })] });
  const run = await runtime.run(input, { signal });
  return run.answer;
}

export const explain = (error: unknown): string => (isHarnessError(error) ? `${error.kind} ${error.code}` : "foreign");
