/** Runs with a scripted model: how they end, and that the record tells it. Runs everywhere. */
import { equal, holds, sleep } from "./checks.mjs";

const NUMBERS = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};
const NOTHING = { type: "object", properties: {} };

const add = { name: "add", description: "Adds.", parameters: NUMBERS, execute: ({ a, b }) => a + b };
const multiply = { name: "multiply", description: "Multiplies.", parameters: NUMBERS, execute: ({ a, b }) => a * b };

/** A model that says its lines in order; harness-kit/testing is for Node, this one is for everywhere. */
function scripted(...lines) {
  let turn = 0;
  return async () => {
    const line = lines[turn++];
    if (line instanceof Error) throw line;
    return typeof line === "string"
      ? { content: line, toolCalls: [], finishReason: "stop" }
      : { content: "", toolCalls: line, finishReason: "toolCalls" };
  };
}

const call = (name, args = {}, id = `call_${name}`) => ({ id, name, arguments: args });
const resultOf = (run, tool) => run.steps.find((step) => step.type === "tool" && step.call.name === tool)?.result;

export const runChecks = ({ root, errors }) => ({
  "a run with two tools answers, and its record is whole": async () => {
    const model = scripted([call("add", { a: 1, b: 2 }), call("multiply", { a: 3, b: 4 })], "3 and 12");
    const run = await root.createRuntime({ model, tools: [add, multiply] }).run("Add and multiply.");
    equal([run.status, run.answer], ["completed", "3 and 12"], "the end");
    equal(run.steps.map(({ type }) => type).join(), "model,tool,tool,model,finish", "the steps");
    equal(
      [resultOf(run, "add"), resultOf(run, "multiply")].map(({ value }) => value),
      [3, 12],
      "the results",
    );
    holds(Math.abs(run.endedAt - Date.now()) < 60_000, "the record tells the time of the clock on the wall");
  },
  "arguments that do not fit are told to the model": async () => {
    const model = scripted([call("add", { a: "one" })], "sorry");
    const run = await root.createRuntime({ model, tools: [add] }).run("Add.");
    equal([run.status, resultOf(run, "add").code], ["completed", "TOOL_INVALID_ARGUMENTS"], "the result");
  },
  "events come in order, from run:start to run:end": async () => {
    const runtime = root.createRuntime({ model: scripted([call("add", { a: 1, b: 2 })], "3"), tools: [add] });
    const types = [];
    for await (const event of runtime.stream("Add.")) types.push(event.type);
    equal([types[0], types.at(-1)], ["run:start", "run:end"], "the ends of the stream");
    holds(types.includes("tool:start") && types.includes("tool:end"), "the tool was told of");
  },
  "a failing tool keeps the identity of its ToolError in the record": async () => {
    const execute = () => {
      throw new errors.ToolError("There is no order 7.", { code: "TOOL_REJECTED", cause: new RangeError("7") });
    };
    const lookUp = { name: "lookUp", description: "Looks up.", parameters: NOTHING, execute };
    const run = await root.createRuntime({ model: scripted([call("lookUp")], "none"), tools: [lookUp] }).run("Look.");
    const { ok, kind, code, detail } = resultOf(run, "lookUp");
    equal([run.status, ok, kind, code], ["completed", false, "tool", "TOOL_REJECTED"], "the result");
    const error = errors.deserializeError(JSON.parse(JSON.stringify(detail)));
    holds(error instanceof root.ToolError && error instanceof root.HarnessError, "what is read back is a ToolError");
    equal([error.message, error.cause.name], ["There is no order 7.", "RangeError"], "the error");
  },
  "an abort settles the run although its tool does not listen": async () => {
    const stubborn = { name: "wait", description: "Waits.", parameters: NOTHING, execute: () => sleep(3_000) };
    const runtime = root.createRuntime({ model: scripted([call("wait")], "never"), tools: [stubborn] });
    const controller = new AbortController();
    setTimeout(() => controller.abort("stop"), 50);
    const startedAt = Date.now();
    const run = await runtime.run("Wait.", { signal: controller.signal });
    equal([run.status, run.errorKind, run.errorCode], ["aborted", "runtime", "RUN_ABORTED"], "the end");
    equal(
      run.abandoned?.map(({ name }) => name),
      ["wait"],
      "what was left running",
    );
    holds(Date.now() - startedAt < 2_500, "it settled before the tool did");
  },
  "a deadline ends a run": async () => {
    const run = await root.createRuntime({ model: () => new Promise(() => {}), timeoutMs: 50 }).run("Wait.");
    equal([run.status, run.stopReason], ["failed", "timeout"], "the end");
  },
  "a failing model fails the run as a ModelError": async () => {
    const run = await root.createRuntime({ model: scripted(new Error("Incorrect API key provided.")) }).run("Hello.");
    equal([run.status, run.errorKind, run.errorCode], ["failed", "model", "MODEL_AUTH"], "the end");
    holds(errors.deserializeError(run.errorDetail) instanceof errors.ModelError, "what is read back is a ModelError");
    holds(root.explainRun(run).includes("MODEL_AUTH"), "the explanation names the code");
  },
  "a call that nobody allowed is denied, one that was allowed runs": async () => {
    const remove = {
      name: "remove",
      description: "Removes.",
      parameters: NOTHING,
      access: "write",
      execute: () => "gone",
    };
    const runWith = (permission) =>
      root.createRuntime({ model: scripted([call("remove")], "ok"), tools: [remove], permission }).run("Remove.");
    equal(resultOf(await runWith(undefined), "remove").kind, "permission", "without a permission");
    equal(resultOf(await runWith(root.allowTools("remove")), "remove"), { ok: true, value: "gone" }, "allowed by name");
  },
  "a record is the same after JSON and parseRun": async () => {
    const model = scripted([call("add", { a: 1, b: 2 })], "3 — 三 🙂");
    const context = new root.AgentContext();
    const run = await root.createRuntime({ model, tools: [add] }).run("Add.", { context });
    equal(root.parseRun(JSON.stringify(run)), run, "the record");
    holds(Object.isFrozen(run), "it is frozen");
    const restored = root.AgentContext.restore(JSON.stringify(context.snapshot()));
    equal(restored.messages, run.history, "the restored history");
  },
});
