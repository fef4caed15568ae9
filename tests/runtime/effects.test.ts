import { type AgentRun, createRuntime, type Effects, type RuntimeOptions } from "harness-kit";
import { assertRunInvariants, callTool, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { failureOf, spyTool } from "./helpers.ts";
import { unavailable } from "./scenarios.ts";

interface Journal {
  readonly steps: Map<string, string>;
  readonly times: number[];
}

/** Remembers everything as JSON text, as a file would. */
function recording(journal: Journal, now: () => number): Effects {
  return {
    async step(key, run) {
      const value = await run();
      journal.steps.set(key, JSON.stringify(value));
      return value;
    },
    now() {
      journal.times.push(now());
      return journal.times.at(-1) ?? 0;
    },
    id: () => "recorded",
  };
}

/** Runs nothing: all it gives was recorded. */
function replaying({ steps, times }: Journal): Effects {
  let at = 0;
  return {
    step: async (key) => JSON.parse(steps.get(key) ?? "null"),
    now: () => times[at++] ?? Number.NaN,
    id: () => "recorded",
  };
}

const script = () => [
  callTools(
    { id: "a", name: "look", arguments: { n: 1 } },
    { id: "", name: "look", arguments: '{"n":2}' },
    { id: "a", name: "missing", arguments: {} },
    { id: "d", name: "rm", arguments: {} },
  ),
  unavailable(),
  { content: "Done.", usage: { inputTokens: 3, outputTokens: 4 }, reasoning: [{ text: "hm" }] },
];

const options = (effects: Effects | undefined): RuntimeOptions => ({
  model: scriptedModel(script()),
  tools: [
    spyTool("look", ({ n }: { n: number }) => ({ n })).tool,
    spyTool("rm", () => "gone", { access: "exec" }).tool,
  ],
  permission: (call) => (call.name === "rm" ? { decision: "deny", reason: "Never." } : { decision: "allow" }),
  clock: recordingClock(),
  random: () => 0.5,
  effects,
});

describe("the effects seam", () => {
  it("gives the same run with effects that pass everything through as without any", async () => {
    const clock = recordingClock();
    const passing: Effects = { step: (_key, run) => run(), now: () => clock.now(), id: () => "same" };
    const bare = await createRuntime({ ...options(undefined), clock: recordingClock() }).run("Go.", { runId: "same" });
    const passed = await createRuntime({ ...options(passing), clock }).run("Go.");
    expect(passed).toEqual(bare);
  });

  it("passes model calls, decisions and tool calls under keys that stay the same", async () => {
    const keys = async () => {
      const journal: Journal = { steps: new Map(), times: [] };
      await createRuntime(options(recording(journal, () => 5))).run("Go.");
      return [...journal.steps.keys()].sort();
    };
    const first = await keys();
    expect(first).toEqual([
      "1/model",
      "1/permission/a",
      "1/permission/call_1_2",
      "1/permission/d",
      "1/tool/a",
      "1/tool/call_1_2",
      "2/model",
    ]);
    expect(await keys()).toEqual(first);
  });

  it("gives an equal run from a recording alone, without calling anything", async () => {
    const journal: Journal = { steps: new Map(), times: [] };
    const clock = recordingClock();
    const recorded = await createRuntime({ ...options(recording(journal, () => clock.now())), clock }).run("Go.");
    expect(recorded).toMatchObject({ status: "completed", answer: "Done.", id: "recorded" });
    const model = scriptedModel(["Not this."]);
    const look = spyTool("look");
    const asked: unknown[] = [];
    const replay = createRuntime({
      model,
      tools: [look.tool, spyTool("rm", () => "gone", { access: "exec" }).tool],
      permission: (call) => {
        asked.push(call);
        return { decision: "deny" };
      },
      effects: replaying(journal),
      clock: recordingClock({ start: 9_000_000_000_000 }),
    });
    const replayed: AgentRun = await replay.run("Go.");
    expect(replayed).toEqual(recorded);
    expect([model.requests, look.calls, asked]).toEqual([[], [], []]);
    assertRunInvariants(replayed);
  });

  it("does an effect once, however often the host asks for it", async () => {
    const { tool, calls } = spyTool("look");
    const eager: Effects = { step: (_key, run) => run().then(run), now: () => 1, id: () => "x" };
    const run = await createRuntime({
      model: scriptedModel([callTool("look"), "Done."]),
      tools: [tool],
      effects: eager,
    }).run("Go.");
    expect(run.answer).toBe("Done.");
    expect(calls).toHaveLength(1);
  });

  it.each([
    ["undefined", undefined],
    ["an empty object", {}],
    ["text", "ok"],
    ["half an outcome", { ok: true, wasted: [], failures: [] }],
  ])("ends the run with a typed failure when a model call comes back as %s", async (_name, value) => {
    const broken: Effects = { step: async () => value as never, now: () => 1, id: () => "x" };
    const run = await createRuntime({ model: scriptedModel(["Done."]), effects: broken }).run("Go.");
    expect(run).toMatchObject({ status: "failed", errorKind: "runtime", errorCode: "RUNTIME_HOOK_THREW" });
  });

  it.each([
    ["no decision", {}],
    ["a word that is none", { decision: "perhaps" }],
    ["a denial without its error", { decision: "deny", by: "gate" }],
    ["a denial whose error is text", { decision: "deny", by: "gate", error: "no" }],
    ["a denial whose error is null", { decision: "deny", by: "gate", error: null }],
    ["a question without what waits", { decision: "ask", by: "gate" }],
    ["a question for null", { decision: "ask", by: "gate", pending: null }],
    ["an error without a denial", { decision: "maybe", error: {}, pending: {} }],
  ])("runs no tool when a decision comes back as %s", async (_name, value) => {
    const { tool, calls } = spyTool("look");
    const broken: Effects = {
      step: (key, run) => (key.includes("permission") ? Promise.resolve(value as never) : run()),
      now: () => 1,
      id: () => "x",
    };
    const model = scriptedModel([callTool("look", {}, "a"), "Done."]);
    const permission = () => ({ decision: "allow" }) as const;
    const run = await createRuntime({ model, tools: [tool], permission, effects: broken }).run("Go.");
    expect(failureOf(run, "a")).toMatchObject({ kind: "runtime", code: "RUNTIME_HOOK_THREW" });
    expect([calls, run.status]).toEqual([[], "completed"]);
  });

  it.each([[""], [5], [undefined], [null]])(
    "ends a run whose id comes back as %j with that problem, under an id of ours",
    async (id) => {
      const effects: Effects = { step: (_key, run) => run(), now: () => 1, id: () => id as string };
      const model = scriptedModel(["Done."]);
      const run = await createRuntime({ model, effects }).run("Go.");
      expect(run).toMatchObject({ status: "failed", errorCode: "RUNTIME_HOOK_THREW" });
      expect(run.error).toMatch(/^The effects of the host could not make an id: id\(\) gave .*; it must give text\.$/);
      expect(run.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-/);
      expect(model.requests).toEqual([]);
    },
  );

  it("answers a tool call whose effect came back broken, and goes on", async () => {
    const { tool } = spyTool("look");
    const broken: Effects = {
      step: (key, run) => (key.includes("tool") ? Promise.resolve({} as never) : run()),
      now: () => 1,
      id: () => "x",
    };
    const run = await createRuntime({
      model: scriptedModel([callTool("look", {}, "c1"), "Done."]),
      tools: [tool],
      effects: broken,
    }).run("Go.");
    expect(run.answer).toBe("Done.");
    expect(failureOf(run, "c1")).toMatchObject({ kind: "runtime", code: "RUNTIME_HOOK_THREW" });
  });

  it("ends the run, and does not reject, when the host cannot make an id", async () => {
    const effects: Effects = {
      step: (_key, run) => run(),
      now: () => 1,
      id: () => {
        throw new Error("no ids left");
      },
    };
    const run = await createRuntime({ model: scriptedModel(["Done."]), effects }).run("Go.");
    expect(run).toMatchObject({ status: "failed", errorCode: "RUNTIME_HOOK_THREW" });
    expect(run.error).toContain("no ids left");
  });
});
