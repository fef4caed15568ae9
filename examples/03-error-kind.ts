/** Failures have a kind: switch on it, no message needs to be parsed. */
import { type AgentRun, createRuntime, ModelError } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";

function whatToDo(run: AgentRun): string {
  if (run.status === "completed") return `show the answer: ${run.answer}`;
  switch (run.errorKind) {
    case "model":
      return run.errorCode === "MODEL_AUTH" ? "ask the user for a valid API key" : "try again later";
    case "tool":
      return "look at the tool";
    case "runtime":
      return run.status === "aborted"
        ? "nothing, it was asked for"
        : "raise the limit that was reached, or shorten the task";
    case "context":
      return "repair the history";
    case "permission":
      return "ask somebody who may allow it";
    default:
      return "report a defect: a run that is not completed has an errorKind";
  }
}

const models = {
  "a good day": scriptedModel(["Done."]),
  "a wrong key": scriptedModel([Object.assign(new Error("Incorrect API key provided"), { status: 401 })]),
  "an overloaded provider": scriptedModel([new ModelError("Overloaded", { code: "MODEL_OVERLOADED" })]),
  "a model in a loop": scriptedModel([callTool("missing", { q: 1 })], { repeatLast: true }),
};

for (const [name, model] of Object.entries(models)) {
  const run = await createRuntime({ model, retry: { maxAttempts: 1 } }).run("Do it.");
  console.log(`${name}: ${run.status} ${run.errorKind ?? ""} ${run.errorCode ?? ""} -> ${whatToDo(run)}`);
}

const broken = await createRuntime({ model: scriptedModel(["never asked"]) }).run([
  { role: "user", content: "Go on." },
  { role: "tool", toolCallId: "c1", name: "add", content: "5" },
]);
console.log(
  `a result without its call: ${broken.status} ${broken.errorKind} ${broken.errorCode} -> ${whatToDo(broken)}`,
);
