import {
  AgentContext,
  type AgentEvent,
  type AgentRun,
  assertWellFormed,
  type CompactionNotice,
  createRuntime,
  defineTool,
  type Plugin,
  type RuntimeOptions,
} from "harness-kit";
import { type CompactionOptions, compaction } from "harness-kit/compaction";
import { memoryStore } from "harness-kit/store";
import {
  assertRunInvariants,
  callTool,
  chaos,
  FAULTS,
  type FaultName,
  recordingClock,
  type ScriptedModelOptions,
  type ScriptedTurn,
  scriptedModel,
} from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { filler, overflow, quarter } from "./kit.ts";

/** A tool whose results are long. */
const read = defineTool({
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object" },
  execute: () => filler(1_000),
});

const tight: CompactionOptions = { maxTokens: 2_500, keepTurns: 2, countTokens: quarter, clock: recordingClock() };
const isSummary = (request: { messages: readonly { content: unknown }[] }) =>
  String(request.messages.at(-1)?.content).startsWith("<record>");

/** Reads so many files, then answers; summaries are answered, too, whenever they are asked for. */
function reading(files: number, summary: ScriptedTurn = "I have read files."): ScriptedTurn[] {
  let turns = 0;
  const turn: ScriptedTurn = (request, context) => {
    if (isSummary(request)) return typeof summary === "function" ? summary(request, context) : summary;
    return ++turns > files ? "All files are read." : callTool("read", { file: turns });
  };
  return [turn];
}

interface Played {
  readonly run: AgentRun;
  readonly events: readonly AgentEvent[];
  readonly notices: readonly CompactionNotice[];
  readonly model: ReturnType<typeof scriptedModel>;
}

async function play(
  script: readonly ScriptedTurn[],
  options: Partial<RuntimeOptions> = {},
  { compact = tight, ...modelOptions }: ScriptedModelOptions & { compact?: CompactionOptions } = {},
): Promise<Played> {
  const model = scriptedModel(script, { repeatLast: true, ...modelOptions });
  const plugins = [compaction(compact), ...(options.plugins ?? [])];
  const limits = { identicalCalls: 0, consecutiveToolFailures: 0 };
  const runtime = createRuntime({ clock: recordingClock(), model, tools: [read], limits, ...options, plugins });
  const events: AgentEvent[] = [];
  const stream = runtime.stream("Read all files.");
  for await (const event of stream) events.push(event);
  const run = await stream.result;
  assertRunInvariants(run, events);
  for (const { messages } of model.requests) assertWellFormed(messages);
  return { run, events, notices: events.filter((event) => event.type === "context:compacted"), model };
}

describe("a run with compaction", () => {
  it("goes on when its history has outgrown the model, and its record stays whole", async () => {
    const { run, notices, model } = await play(reading(30), { maxSteps: 40 });
    expect(run).toMatchObject({ status: "completed", answer: "All files are read.", iterations: 31 });
    expect(run.history).toHaveLength(1 + 30 * 2 + 1);
    for (const message of run.history) if (message.role === "tool") expect(message.content).toHaveLength(1_000);
    expect(run.steps.filter(({ type }) => type === "model")).toHaveLength(31);
    expect(run.steps.at(-2)).toMatchObject({ type: "model", messageCount: 61 });
    expect(notices.length).toBeGreaterThan(1);
    expect(model.requests.filter(isSummary)).toHaveLength(notices.length);
    for (const request of model.requests) expect(JSON.stringify(request.messages).length / 4).toBeLessThan(2_700);
  });

  it("is without it what it always was", async () => {
    const model = scriptedModel(reading(15), { repeatLast: true });
    const limits = { identicalCalls: 0 };
    const bare = await createRuntime({ model, tools: [read], limits }).run("Read all files.");
    const { run } = await play(reading(15));
    expect(run.history).toEqual(bare.history);
  });

  it("tells each compaction between the start and the end of a model call", async () => {
    const { events } = await play(reading(15));
    for (const [index, event] of events.entries()) {
      if (event.type !== "context:compacted") continue;
      expect(events[index - 1]?.type).toBe("model:start");
      expect(Object.isFrozen(event)).toBe(true);
      expect(event).toMatchObject({ reason: "limit", dropped: 0 });
      expect(event.tokensAfter).toBeLessThan(event.tokensBefore);
    }
  });

  it("counts what summaries used in the usage of the run", async () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    let turns = 0;
    const { run, notices } = await play([
      (request) => {
        if (isSummary(request))
          return { content: "I have read files.", usage: { inputTokens: 500, outputTokens: 100 } };
        return ++turns > 12 ? { content: "Done.", usage } : { ...callTool("read"), usage };
      },
    ]);
    expect(notices.length).toBeGreaterThan(0);
    expect(run.usage).toMatchObject({
      inputTokens: 130 + 500 * notices.length,
      outputTokens: 13 + 100 * notices.length,
    });
  });

  it("survives a model that overflows without a known limit", async () => {
    let turns = 0;
    const small: ScriptedTurn = (request) => {
      if (isSummary(request)) return "I have read files.";
      if (JSON.stringify(request.messages).length > 8_000) throw overflow();
      return ++turns > 15 ? "All files are read." : callTool("read", { file: turns });
    };
    const { run, notices } = await play([small], {}, { compact: { keepTurns: 2 } });
    expect(run).toMatchObject({ status: "completed", answer: "All files are read." });
    expect(notices.length).toBeGreaterThan(0);
    expect(new Set(notices.map(({ reason }) => reason))).toEqual(new Set(["overflow"]));
    for (const step of run.steps) if (step.type === "model") expect(step.attempts).toBe(1);
  });

  it("ends with the overflow when one compaction is not enough", async () => {
    const always: ScriptedTurn = (request) => {
      if (isSummary(request)) return "I have read files.";
      if (request.messages.length > 20 || request.messages.length < 10) throw overflow();
      return callTool("read");
    };
    const { run } = await play(
      [callTool("read"), callTool("read"), callTool("read"), callTool("read"), callTool("read"), always],
      {},
      { compact: { keepTurns: 1 } },
    );
    expect(run).toMatchObject({ status: "failed", errorKind: "model", errorCode: "MODEL_CONTEXT_OVERFLOW" });
    expect(run.steps.at(-1)).toMatchObject({ type: "error", attempts: 1 });
  });

  it("leaves an overflow that stays to the next model of the list", async () => {
    const large = scriptedModel(["The large one answers."], { name: "large" });
    const { run } = await play([overflow()], { fallback: [large] });
    expect(run.answer).toBe("The large one answers.");
  });

  it("does not show the text of summaries to those who read the answer as it comes", async () => {
    const { events, run, model } = await play(reading(12), {}, { chunkSize: 5 });
    const heard = events.flatMap((event) => (event.type === "model:delta" ? [event.text] : [])).join("");
    expect(heard).toBe("All files are read.");
    expect(run.answer).toBe("All files are read.");
    expect(model.requests.filter(isSummary).length).toBeGreaterThan(0);
  });

  it("streams on after an overflow, and says nothing twice", async () => {
    let isFirst = true;
    const { events, run } = await play(
      [
        ...Array.from({ length: 6 }, () => callTool("read")),
        (request) => {
          if (isSummary(request)) return "I have read files.";
          if (isFirst) {
            isFirst = false;
            throw overflow();
          }
          return "Here I am.";
        },
      ],
      {},
      { chunkSize: 3, compact: { keepTurns: 1 } },
    );
    expect(events.flatMap((event) => (event.type === "model:delta" ? [event.text] : [])).join("")).toBe("Here I am.");
    expect(run.status).toBe("completed");
  });

  it("does not take the time of a summary for silence of a streaming model", async () => {
    const clock = recordingClock();
    const slow = () => new Promise<string>((resolve) => clock.setTimer(40_000, () => resolve("I have read files.")));
    const options = { clock, streamIdleMs: 10_000 };
    for (const compact of [tight, { ...tight, summarize: slow }]) {
      const { run, notices } = await play(reading(12, slow), options, { chunkSize: 5, compact: { ...compact, clock } });
      expect(run.status).toBe("completed");
      expect(notices[0]).toMatchObject({ dropped: 0 });
    }
  });

  it("asks for summaries by way of the plugins behind it", async () => {
    const seen: boolean[] = [];
    const tracing: Plugin = {
      name: "tracing",
      wrapModel: (request, next) => {
        seen.push(isSummary(request));
        return next({ ...request });
      },
    };
    const { events } = await play(reading(12), { plugins: [tracing] }, { chunkSize: 5 });
    expect(seen).toContain(true);
    expect(events.flatMap((event) => (event.type === "model:delta" ? [event.text] : [])).join("")).toBe(
      "All files are read.",
    );
  });

  it("takes up the same conversation in the next run without another summary", async () => {
    const model = scriptedModel(reading(12), { repeatLast: true });
    const runtime = createRuntime({
      model,
      tools: [read],
      plugins: [compaction(tight)],
      limits: { identicalCalls: 0 },
    });
    const context = new AgentContext();
    await runtime.run("Read all files.", { context });
    const before = model.requests.filter(isSummary).length;
    await runtime.run("Thanks.", { context });
    expect(model.requests.filter(isSummary)).toHaveLength(before);
    expect(context.messages).toHaveLength(1 + 24 + 1 + 2);
    expect(String(model.requests.at(-1)?.messages[0]?.content)).toContain("I have read files.");
  });

  it("is undone by leaving it out: the next run from what was stored sees everything again", async () => {
    const store = memoryStore();
    const limits = { identicalCalls: 0 };
    const first = createRuntime({
      model: scriptedModel(reading(12), { repeatLast: true }),
      tools: [read],
      plugins: [compaction(tight)],
      limits,
    });
    const run = await first.session("files", { store }).run("Read all files.");
    expect(run.status).toBe("completed");
    const model = scriptedModel(["You are welcome."]);
    await createRuntime({ model }).session("files", { store }).run("Thanks.");
    expect(model.requests[0]?.messages.slice(0, -1)).toEqual(run.history);
    const compacted = scriptedModel(reading(0), { repeatLast: true });
    await createRuntime({ model: compacted, plugins: [compaction(tight)] })
      .session("files", { store })
      .run("Bye.");
    expect(compacted.requests.map(isSummary)).toEqual([true, false]);
    expect(compacted.requests[1]?.messages.length).toBeLessThan(run.history.length);
  });

  it("tells of a summary that failed, and goes on", async () => {
    const { run, notices } = await play(reading(12, Object.assign(new Error("No key."), { status: 401 })));
    expect(run.status).toBe("completed");
    expect(notices[0]).toMatchObject({ summarized: 0, error: { kind: "model", code: "MODEL_AUTH" } });
    expect(notices[0]?.dropped).toBeGreaterThan(0);
  });

  it("names the counter of the host when that is broken", async () => {
    const { run } = await play(reading(3), {}, { compact: { maxTokens: 10, countTokens: () => Number.NaN } });
    expect(run).toMatchObject({ status: "failed", errorCode: "RUNTIME_HOOK_THREW" });
    expect(run.error).toMatch(/The plugin "compaction" failed: countTokens gave NaN/);
  });
});

describe("a run with compaction in which any one call goes wrong", () => {
  /** Runs with the n-th call of one kind failing, n from 1 until all have failed once. */
  async function sweep(fault: FaultName, port: "model" | "summarize" | "countTokens", chunkSize?: number) {
    let failed = 0;
    for (let at = 1; ; at += port === "countTokens" ? 7 : 1) {
      const clock = recordingClock();
      const storm = chaos({ at, fault, clock });
      const model = scriptedModel(reading(7), { repeatLast: true, chunkSize });
      const compact: CompactionOptions = {
        ...tight,
        maxTokens: 1_500,
        clock,
        ...(port === "summarize" && { summarize: storm.call("summarize", () => "By the host.") }),
        ...(port === "countTokens" && { countTokens: storm.call("countTokens", (text: string) => text.length / 4) }),
      };
      const runtime = createRuntime({
        model: port === "model" ? storm.model(model) : model,
        tools: [read],
        plugins: [compaction(compact)],
        limits: { identicalCalls: 0 },
        clock,
      });
      const events: AgentEvent[] = [];
      const stream = runtime.stream("Read all files.");
      for await (const event of stream) events.push(event);
      const run = await stream.result;
      if (storm.fired.length === 0) return failed;
      failed++;
      assertRunInvariants(run, events);
      assertWellFormed(run.history);
      for (const { messages } of model.requests) assertWellFormed(messages);
      if (port === "summarize") expect(run.status).toBe("completed");
    }
  }

  it.each(FAULTS)("ends well when a model call, or a summary, gives: %s", async (fault) => {
    expect(await sweep(fault, "model")).toBeGreaterThan(8);
  });

  it.each(["throwError", "never", "halfStream"] as const)("ends well when a streamed one gives: %s", async (fault) => {
    expect(await sweep(fault, "model", 5)).toBeGreaterThan(16);
  });

  it.each(FAULTS)("completes when the function that summarises gives: %s", async (fault) => {
    expect(await sweep(fault, "summarize")).toBeGreaterThan(0);
  });

  it.each(["throwNull", "undefined", "never"] as const)(
    "ends well when the counter of the host gives: %s",
    async (fault) => {
      expect(await sweep(fault, "countTokens")).toBeGreaterThan(3);
    },
  );
});
