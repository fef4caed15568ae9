/** A run that outgrows its model: old results are shortened, old turns summarised, and the record stays whole. */
import { createRuntime, defineTool } from "harness-kit";
import { compaction, estimateTokens } from "harness-kit/compaction";
import { callTool, scriptedModel } from "harness-kit/testing";

const readLog = defineTool({
  name: "readLog",
  description: "Reads the log of one day.",
  parameters: { type: "object", properties: { day: { type: "number" } } },
  execute: (args) => `day ${(args as { day: number }).day}: ${"all quiet, nothing to see. ".repeat(160)}`,
});

// A model with a small window: it says so when a request does not fit.
const WINDOW = 6_000;
let day = 0;
let largest = 0;
const model = scriptedModel(
  [
    ({ messages }) => {
      const tokens = estimateTokens(JSON.stringify(messages));
      if (tokens > WINDOW) throw Object.assign(new Error("maximum context length exceeded"), { status: 400 });
      largest = Math.max(largest, tokens);
      if (String(messages.at(-1)?.content).startsWith("<record>")) return "Every day so far was quiet.";
      return ++day > 14 ? "All 14 days were quiet." : callTool("readLog", { day });
    },
  ],
  { repeatLast: true },
);

for (const [title, options] of [
  ["with a limit", { maxTokens: 5_000, keepTurns: 2 }],
  ["without one", { keepTurns: 2 }],
] as const) {
  [day, largest] = [0, 0];
  const runtime = createRuntime({ model, tools: [readLog], plugins: [compaction(options)] });
  runtime.on("context:compacted", ({ reason, messagesBefore, messagesAfter, summarized, shortened }) => {
    const how = `${shortened} results shortened, ${summarized} messages summarised`;
    console.log(`  ${reason}: ${messagesBefore} -> ${messagesAfter} messages, ${how}`);
  });
  console.log(`${title}:`);
  const run = await runtime.run("Was there anything in the logs of these 14 days?");
  console.log(`  ${run.status}: ${run.answer}`);
  const tokens = estimateTokens(JSON.stringify(run.history));
  console.log(`  the record: ${run.history.length} messages, ${tokens > WINDOW ? "more" : "less"} than the window`);
  console.log(`  the largest request fits: ${largest <= WINDOW}`);
}
