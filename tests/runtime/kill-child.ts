/**
 * A program that runs one scenario on a store in a folder, and may kill itself at any write to its journal.
 *
 * Arguments: the folder, the scenario, "run" or "resume", and the number of the append at which to die (0:
 * never), followed by "before" or "after". Every tool writes to effects.log, and makes sure that it is there,
 * before and after it works.
 */
import { appendFileSync, closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createRuntime, defineTool, type ModelFunction, type Store } from "harness-kit";
import { createGate } from "harness-kit/permission";
import { fileStore } from "harness-kit/store";

const [dir = "", scenario = "", mode = "", at = "0", when = "after"] = process.argv.slice(2);

function note(line: string): void {
  const file = openSync(join(dir, "effects.log"), "a");
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
}

const tool = (name: string, more: { idempotent?: boolean; access?: "write"; exclusive?: boolean } = {}) =>
  defineTool({
    name,
    description: `Do ${name}.`,
    // No zod: loading it would take longer than the run.
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    ...more,
    execute: async (args) => {
      const { n } = args as { n: number };
      note(`begin ${name} ${n}`);
      await wait(3);
      note(`end ${name} ${n}`);
      return `${name} ${n} done`;
    },
  });

/** The calls of each turn; a model that only looks at how many turns the history has. */
const SCENARIOS: Record<string, readonly (readonly string[])[]> = {
  sequence: [["charge 1"], ["look 2"], ["charge 3"], ["charge 4"]],
  parallel: [
    ["charge 1", "look 2", "charge 3"],
    ["look 4", "charge 5"],
  ],
  approval: [["charge 1"], ["send 2", "charge 3"], ["look 4"]],
};

const model: ModelFunction = ({ messages }) => {
  const turn = messages.filter((message) => message.role === "assistant").length;
  const calls = SCENARIOS[scenario]?.[turn] ?? [];
  const toolCalls = calls.map((call) => {
    const [name = "", n] = call.split(" ");
    return { id: `${name}-${n}`, name, arguments: { n: Number(n) } };
  });
  return { content: toolCalls.length === 0 ? "All done." : "", toolCalls };
};

/** Dies in the middle of a write to the journal. */
function deadly(store: Store): Store {
  let appends = 0;
  return {
    ...store,
    append: async (runId, entries) => {
      const isLast = ++appends === Number(at);
      if (isLast && when === "before") process.kill(process.pid, "SIGKILL");
      await store.append(runId, entries);
      if (isLast) process.kill(process.pid, "SIGKILL");
    },
  };
}

const tools = [tool("charge"), tool("look", { idempotent: true }), tool("send", { access: "write" })];
const gate = createGate({ rules: [{ tool: "send", decision: "ask" }], default: "allow", onAsk: "pause" });
const store = deadly(fileStore(dir));
const runtime = createRuntime({ model, tools, store, permission: gate });
const run =
  mode === "run"
    ? await runtime.run("Go.", { runId: "r1" })
    : await runtime.resume(
        "r1",
        ((await store.loadRun("r1"))?.pending ?? []).map(({ id }) => ({ id, decision: "allow" as const })),
      );
appendFileSync(join(dir, "result.json"), JSON.stringify({ status: run.status, answer: run.answer }));
