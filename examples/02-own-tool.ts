/** A tool of your own: zod types the arguments, and what does not fit is told to the model. */
import { createRuntime, defineTool } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { z } from "zod";

const stock = defineTool({
  name: "stock",
  description: "Look up how many pieces of an article are in stock.",
  parameters: z.object({ article: z.string(), warehouse: z.enum(["north", "south"]).default("north") }),
  execute: ({ article, warehouse }) => ({ article, warehouse, pieces: warehouse === "north" ? 12 : 3 }),
});

// A scripted model stands in for a real one. Its first call does not fit the schema.
const model = scriptedModel([
  callTool("stock", { article: 4711 }),
  callTool("stock", { article: "4711", warehouse: "south" }),
  "There are 3 pieces in the south.",
]);

const run = await createRuntime({ model, tools: [stock] }).run("How many pieces of 4711 are in the south?");

for (const step of run.steps) {
  if (step.type === "tool")
    console.log(step.result.ok ? `ok: ${JSON.stringify(step.result.value)}` : `refused: ${step.result.error}`);
}
console.log(`answer: ${run.answer}`);
