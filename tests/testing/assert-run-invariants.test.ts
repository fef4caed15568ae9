import { type AgentEvent, type AgentRun, createRuntime, defineTool } from "harness-kit";
import { assertRunInvariants, callTool, recordingClock, scriptedModel } from "harness-kit/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

type Loose = Record<string, unknown> & { history: Loose[]; steps: Loose[] };

let run: AgentRun;
const events: AgentEvent[] = [];

beforeAll(async () => {
  const look = defineTool({
    name: "look",
    description: "Looks.",
    parameters: z.object({}),
    execute: () => ({ seen: 1 }),
  });
  const model = scriptedModel([callTool("look", {}, "c1"), callTool("look", {}, "c2"), "Done."]);
  const runtime = createRuntime({ model, tools: [look], clock: recordingClock() });
  runtime.on("*", (event) => events.push(event));
  run = await runtime.run("Go.");
});

/** The run with one thing wrong. */
function broken(spoil: (run: Loose) => void): AgentRun {
  const copy = structuredClone(run) as unknown as Loose;
  spoil(copy);
  return copy as unknown as AgentRun;
}

const step = (copy: Loose, index: number): Loose => copy.steps[index] as Loose;

describe("assertRunInvariants", () => {
  it("lets a sound run pass, with and without its events", () => {
    assertRunInvariants(run);
    assertRunInvariants(run, events, { maxSteps: 3, maxAttempts: 1, durationMs: 0 });
  });

  it.each<[string, RegExp, (copy: Loose) => void]>([
    ["no terminal step", /I2/, (copy) => copy.steps.pop()],
    ["two terminal steps", /I2/, (copy) => copy.steps.push(step(copy, 5))],
    ["an error although it completed", /I3/, (copy) => Object.assign(copy, { error: "no" })],
    ["a status that its stop reason does not mean", /I4/, (copy) => Object.assign(copy, { status: "failed" })],
    ["a terminal step with another reason", /I4/, (copy) => Object.assign(step(copy, 5), { stopReason: "maxSteps" })],
    ["another answer than its terminal step", /I4/, (copy) => Object.assign(copy, { answer: "no" })],
    ["a call without its result", /I7/, (copy) => copy.history.splice(2, 1)],
    ["a call without its result at the end", /I5/, (copy) => copy.history.splice(4, 2)],
    ["a result without its call", /I6/, (copy) => copy.history.splice(1, 1)],
    ["an id that is used twice", /I6/, (copy) => copy.history.splice(5, 0, ...copy.history.slice(1, 3))],
    ["a tool step that answers nothing", /I7/, (copy) => copy.steps.splice(0, 1)],
    ["more turns than model steps explain", /I17/, (copy) => Object.assign(copy, { iterations: 9 })],
    ["more model steps than turns", /I17/, (copy) => Object.assign(copy, { iterations: 1 })],
    ["attempts without their failures", /I17/, (copy) => Object.assign(step(copy, 0), { attempts: 2 })],
    [
      "a retried abort",
      /I16/,
      (copy) => Object.assign(step(copy, 0), { attempts: 2, failures: [{ code: "RUN_ABORTED" }] }),
    ],
    [
      "a kind that is none",
      /I19/,
      (copy) => Object.assign(step(copy, 1), { result: { ok: false, kind: "odd", retryable: false } }),
    ],
    ["a value that is no JSON", /I20/, (copy) => Object.assign(copy, { metadata: { a: undefined } })],
    ["a lone surrogate", /I20/, (copy) => Object.assign(copy, { input: "\ud800" })],
    ["parts that can be changed", /I24/, () => {}],
    ["a step at the wrong place", /I24/, (copy) => Object.assign(step(copy, 1), { index: 7 })],
  ])("finds %s", (_name, invariant, spoil) => {
    expect(() => assertRunInvariants(broken(spoil))).toThrow(invariant);
  });

  it.each<[string, RegExp, (told: AgentEvent[]) => AgentEvent[]]>([
    ["a missing start", /I8: the first/, (told) => told.slice(1)],
    ["a missing end", /I8: the last/, (told) => told.slice(0, -1)],
    ["a gap", /I8: event 4/, (told) => told.filter((_, index) => index !== 4)],
    ["a doubled event", /I8/, (told) => [...told.slice(0, 3), ...told.slice(2)]],
    [
      "an event of another run",
      /I8: an event/,
      (told) => told.map((event, index) => (index === 3 ? { ...event, runId: "other" } : event)),
    ],
    ["a model call without its end", /I8: a second/, (told) => told.filter(({ type }) => type !== "model:end")],
    [
      "a compaction after the model's answer",
      /I8: a context:compacted/,
      (told) =>
        told.map((event) => (event.seq === 3 ? ({ ...event, type: "context:compacted" } as AgentEvent) : event)),
    ],
    ["a tool call without its end", /I8: tool:start/, (told) => told.filter(({ type }) => type !== "tool:end")],
    [
      "a step that was not told",
      /I9/,
      (told) => told.filter((event) => event.type !== "step" || event.step.index !== 2),
    ],
    [
      "a result that was told otherwise",
      /I9: tool:end/,
      (told) => told.map((event) => (event.type === "tool:end" ? { ...event, result: { ok: true, value: 2 } } : event)),
    ],
    [
      "an end that was told otherwise",
      /I9: run:end/,
      (told) => told.map((event) => (event.type === "run:end" ? { ...event, answer: "no" } : event)),
    ],
  ])("finds %s among the events", (_name, invariant, spoil) => {
    expect(() => assertRunInvariants(run, spoil(events))).toThrow(invariant);
  });

  it("finds a run that used more than it was given", () => {
    expect(() => assertRunInvariants(run, undefined, { maxSteps: 2 })).toThrow(/I16: 3 model calls/);
    expect(() => assertRunInvariants(run, undefined, { maxAttempts: 0 })).toThrow(/I16: step 0/);
    const slow = broken((copy) => Object.assign(copy, { endedAt: Number(copy["startedAt"]) + 500 }));
    expect(() => assertRunInvariants(slow, undefined, { durationMs: 100 })).toThrow(/I16: the run took 500 ms/);
  });

  it("names every violation, and the run", () => {
    const spoiled = broken((copy) => Object.assign(copy, { iterations: 9, input: "\ud800" }));
    expect(() => assertRunInvariants(spoiled)).toThrow(/finished[\s\S]*I17[\s\S]*I20/);
  });
});
