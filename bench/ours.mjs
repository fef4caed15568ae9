/** harness-kit as it is built: bare, with a listener on every event, and with journal and gate. */
import { createRuntime } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { memoryStore } from "harness-kit/store";
import { addTool, deltaModel, turnsModel } from "./workloads.mjs";

/** Long runs, and one text as the result of each call, would end runs by the default limits. */
const LIMITS = { maxSteps: 0, limits: { identicalCalls: 0 } };

function checked(run) {
  if (run.status === "completed") return run;
  throw new Error(`The run ended with ${run.errorCode}: ${run.error}`);
}

function turnsWith(extra, prepare = () => {}) {
  return (turns, options) => {
    const tool = addTool(options);
    return async () => {
      const runtime = createRuntime({ model: turnsModel(turns, options), tools: [tool], ...LIMITS, ...extra() });
      prepare(runtime);
      return checked(await runtime.run("go"));
    };
  };
}

const listen = (runtime) => runtime.on("*", () => {});

/** @type {import("./contestant.mjs").Contestant} */
export const ours = {
  name: "ours",
  turns: turnsWith(() => ({})),
  deltas: (deltas) => async (onText) => {
    const runtime = createRuntime({ model: deltaModel(deltas), ...LIMITS });
    runtime.on("model:delta", ({ text }) => onText(text));
    return checked(await runtime.run("go"));
  },
};

export const withListener = { name: "ours+listener", turns: turnsWith(() => ({}), listen) };

const permission = createGate({ rules: [{ tool: "add", decision: "allow" }] });

export const withJournal = {
  name: "ours+journal+gate",
  turns: turnsWith(() => ({ store: memoryStore(), permission })),
};
