/** What several of the runtime's tests arrange their runs with. */
import {
  type AgentRun,
  type AnyTool,
  assertWellFormed,
  createRuntime,
  defineTool,
  type RuntimeOptions,
} from "harness-kit";
import {
  assertRunInvariants,
  recordingClock,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
  scriptedModel,
} from "harness-kit/testing";
import { expect } from "vitest";
import { z } from "zod";

/** A tool that remembers the arguments of each of its calls. */
export function spyTool(name: string, execute: (args: never) => unknown = () => "ok", more: Partial<AnyTool> = {}) {
  const calls: unknown[] = [];
  const tool = defineTool({
    name,
    description: `The tool ${name}.`,
    parameters: z.looseObject({}),
    ...more,
    execute: (args: unknown) => {
      calls.push(args);
      return execute(args as never);
    },
  });
  return { tool, calls };
}

/** Runs a script by a clock that never waits; checks the invariants and every request that was sent. */
export async function play(
  script: readonly ScriptedTurn[],
  options: Partial<RuntimeOptions> = {},
  modelOptions: ScriptedModelOptions = {},
): Promise<{ run: AgentRun; model: ScriptedModel }> {
  const model = scriptedModel(script, modelOptions);
  const run = await createRuntime({ clock: recordingClock(), random: () => 0.5, model, ...options }).run("Go.");
  assertRunInvariants(run);
  for (const request of model.requests) assertWellFormed(request.messages);
  return { run, model };
}

/** The result of one call in the record. */
export function resultOf(run: AgentRun, callId: string) {
  const step = run.steps.find((each) => each.type === "tool" && each.call.id === callId);
  if (step?.type !== "tool") throw new Error(`The run has no result of ${callId}.`);
  return step.result;
}

/** The error of a failed result. */
export function failureOf(run: AgentRun, callId: string) {
  const result = resultOf(run, callId);
  if (result.ok) throw new Error(`The call ${callId} did not fail.`);
  return result;
}

/** All texts that a value holds, at any depth; JSON texts are looked into. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [key, ...textsIn(child)]);
}

/** Waits until the event loop has nothing urgent left. */
export async function settleLoop(rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
}

/** That a promise settles within real milliseconds. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const startedAt = Date.now();
  const value = await promise;
  expect(Date.now() - startedAt).toBeLessThan(ms);
  return value;
}
