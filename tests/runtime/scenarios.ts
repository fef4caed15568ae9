/** The runs that the tests under fire make fail: each one uses other parts of the runtime. */
import { AgentContext, type AgentEvent, type AgentRun, createRuntime, defineTool, type Effects } from "harness-kit";
import { type Chaos, callTool, callTools, type RecordingClock, scriptedModel } from "harness-kit/testing";
import { z } from "zod";

/** What a scenario leaves behind to be looked at. */
export interface Played {
  readonly run: AgentRun;
  readonly events: readonly AgentEvent[];
}

export type Scenario = (storm: Chaos, clock: RecordingClock, signal?: AbortSignal) => Promise<Played>;

export const add = defineTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

/** Waits by the clock of the test and minds its signal. */
export const waiting = (clock: RecordingClock, ms = 1_000) =>
  defineTool({
    name: "wait",
    description: "Waits.",
    parameters: z.object({}),
    execute: (_args, { signal }) =>
      new Promise((resolve, reject) => {
        const cancel = clock.setTimer(ms, () => resolve("waited"));
        signal.addEventListener("abort", () => {
          cancel();
          reject(signal.reason);
        });
      }),
  });

export const unavailable = () => Object.assign(new Error("overloaded"), { status: 503 });

type Build = (storm: Chaos, clock: RecordingClock) => Parameters<typeof createRuntime>[0];

const plain =
  (build: Build): Scenario =>
  async (storm, clock, signal) => {
    const runtime = createRuntime({ clock, random: () => 0.5, ...build(storm, clock) });
    const events: AgentEvent[] = [];
    runtime.on("*", (event) => events.push(event));
    return { run: await runtime.run("Go.", { signal }), events };
  };

const streamed =
  (build: Build, leaveAfter = Number.POSITIVE_INFINITY): Scenario =>
  async (storm, clock, signal) => {
    const runtime = createRuntime({ clock, random: () => 0.5, ...build(storm, clock) });
    const events: AgentEvent[] = [];
    runtime.on("*", (event) => events.push(event));
    const stream = runtime.stream("Go.", { signal });
    let taken = 0;
    for await (const _event of stream) if (++taken >= leaveAfter) break;
    return { run: await stream.result, events };
  };

export const passThrough = (clock: RecordingClock): Effects => {
  let ids = 0;
  return { step: (_key, run) => run(), now: () => clock.now(), id: () => `run-${++ids}` };
};

const threeCalls = callTools(
  { id: "a", name: "add", arguments: { a: 1, b: 2 } },
  { id: "b", name: "add", arguments: '{"a":3,"b":4}' },
  { id: "c", name: "wait", arguments: {} },
);

/** Every scenario by its name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "an answer at once": plain((storm) => ({ model: storm.model(scriptedModel(["Done."])) })),
  "one tool call": plain((storm) => ({
    model: storm.model(scriptedModel([callTool("add", { a: 1, b: 2 }), "3"])),
    tools: [storm.tool(add)],
  })),
  "three calls at once": plain((storm, clock) => ({
    model: storm.model(scriptedModel([threeCalls, "Done."])),
    tools: [storm.tool(add), storm.tool(waiting(clock))],
  })),
  "a stream with a tool call": streamed((storm) => ({
    model: storm.model(
      scriptedModel([{ ...callTool("add", { a: 1, b: 2 }), content: "Let me see." }, "It is three."], { chunkSize: 4 }),
    ),
    tools: [storm.tool(add)],
  })),
  "a stream that is left early": streamed(
    (storm) => ({ model: storm.model(scriptedModel(["A long answer in many pieces."], { chunkSize: 3 })) }),
    4,
  ),
  "two retries": plain((storm) => ({
    model: storm.model(scriptedModel([unavailable(), unavailable(), "Done."])),
    retry: { shouldRetry: storm.call("shouldRetry", () => undefined) },
  })),
  "a fallback model": plain((storm) => ({
    model: storm.model(scriptedModel([Object.assign(new Error("no"), { status: 401 })], { repeatLast: true })),
    fallback: [{ model: storm.model(scriptedModel(["Done."], { name: "second" })), on: ["MODEL_AUTH"] }],
  })),
  "a gate": plain((storm) => ({
    model: storm.model(scriptedModel([callTool("add", { a: 1, b: 2 }), "3"])),
    tools: [storm.tool(add)],
    permission: storm.permission(async () => ({ decision: "allow" })),
  })),
  "two plugins": plain((storm) => ({
    model: storm.model(scriptedModel([callTool("add", { a: 1, b: 2 }), "3"])),
    tools: [storm.tool(add)],
    plugins: ["outer", "inner"].map((name) =>
      storm.plugin({
        name,
        wrapModel: (request, next) => next(request),
        wrapTool: (_call, next) => next(),
        onEvent: () => {},
      }),
    ),
  })),
  effects: plain((storm, clock) => ({
    model: storm.model(scriptedModel([threeCalls, unavailable(), "Done."])),
    tools: [storm.tool(add), storm.tool(waiting(clock))],
    permission: () => ({ decision: "allow" }),
    effects: storm.effects(passThrough(clock)),
  })),
  "listeners and prices": async (storm, clock, signal) => {
    const usage = { inputTokens: 5, outputTokens: 2 };
    const runtime = createRuntime({
      clock,
      model: storm.model(
        scriptedModel([
          { ...callTool("add", { a: 1, b: 2 }), usage },
          { content: "3", usage },
        ]),
      ),
      tools: [storm.tool(add)],
      price: storm.call("price", () => 0.01),
    });
    const events: AgentEvent[] = [];
    runtime.on(
      "run:start",
      storm.call("listener", () => {}),
    );
    runtime.on(
      "tool:end",
      storm.call("listener", async () => {}),
    );
    runtime.on(
      "step",
      storm.call("listener", () => {}),
    );
    runtime.on(
      "*",
      storm.call("listener", () => {}),
    );
    runtime.on("*", (event) => events.push(event));
    return { run: await runtime.run("Go.", { signal }), events };
  },
  "an idempotent tool that is slow once": plain((storm, clock) => {
    let tries = 0;
    const slow = defineTool({
      ...add,
      name: "slow",
      idempotent: true,
      timeoutMs: 500,
      execute: () => (++tries === 1 ? new Promise((resolve) => clock.setTimer(5_000, () => resolve("late"))) : "quick"),
    });
    return {
      model: storm.model(scriptedModel([callTool("slow", { a: 1, b: 2 }), "Done."])),
      tools: [storm.tool(slow)],
    };
  }),
  "a validator that takes time": plain((storm) => ({
    model: storm.model(scriptedModel([callTool("add", { a: 1, b: 2 }), "3"])),
    tools: [
      storm.tool({
        ...add,
        jsonSchema: { type: "object" },
        parameters: {
          "~standard": {
            version: 1,
            vendor: "own",
            validate: storm.call("validate", async (value: unknown) => ({ value })),
          },
        } as never,
      }),
    ],
  })),
  "a conversation of two runs": async (storm, clock, signal) => {
    const context = new AgentContext();
    const model = storm.model(scriptedModel([callTool("add", { a: 1, b: 2 }), "3", "Again."], { repeatLast: true }));
    const runtime = createRuntime({ clock, model, tools: [storm.tool(add)] });
    await runtime.run("Go.", { context, signal });
    const events: AgentEvent[] = [];
    runtime.on("*", (event) => events.push(event));
    return { run: await runtime.run("Go on.", { context, signal }), events };
  },
};
