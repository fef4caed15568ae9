import { createRuntime, type PermissionDecision } from "harness-kit";
import { callTool, callTools, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { failureOf, play, resultOf, settleLoop, spyTool } from "./helpers.ts";

/** A tool that takes two turns of the event loop and writes down when it starts and ends. */
function slowTool(name: string, log: string[], more: Parameters<typeof spyTool>[2] = {}) {
  const work = async ({ id }: { id: string }) => {
    log.push(`+${id}`);
    await settleLoop(2);
    log.push(`-${id}`);
    return id;
  };
  return spyTool(name, work as never, more).tool;
}

const asked = (...names: string[]) =>
  callTools(...names.map((name, index) => ({ id: `c${index}`, name, arguments: { id: `${name}${index}` } })));

const allow = () => ({ decision: "allow" }) as const;

describe("the calls of one turn", () => {
  it.each([
    ["read", undefined, ["+t0", "+t1", "-t0", "-t1"]],
    ["none", undefined, ["+t0", "+t1", "-t0", "-t1"]],
    ["write", undefined, ["+t0", "-t0", "+t1", "-t1"]],
    ["exec", undefined, ["+t0", "-t0", "+t1", "-t1"]],
    ["read", true, ["+t0", "-t0", "+t1", "-t1"]],
    ["write", false, ["+t0", "+t1", "-t0", "-t1"]],
    ["exec", false, ["+t0", "+t1", "-t0", "-t1"]],
  ] as const)("of access %s, exclusive %s", async (access, exclusive, order) => {
    const log: string[] = [];
    const tools = [slowTool("t", log, { access, exclusive })];
    await play([asked("t", "t"), "Done."], { tools, permission: allow });
    expect(log).toEqual(order);
  });

  it("run together up to one that runs alone, and again behind it", async () => {
    const log: string[] = [];
    const tools = [slowTool("r", log), slowTool("w", log, { access: "write" })];
    const script = [asked("r", "r", "missing", "w", "r", "r"), "Done."];
    const { run } = await play(script, { tools, permission: allow });
    const at = (what: string) => log.indexOf(what);
    expect(log.slice(0, 2)).toEqual(["+r0", "+r1"]);
    expect(log.slice(4, 6)).toEqual(["+w3", "-w3"]);
    expect(log.slice(6, 8)).toEqual(["+r4", "+r5"]);
    expect(Math.max(at("-r0"), at("-r1"))).toBe(3);
    const results = run.history.filter((message) => message.role === "tool").map(({ toolCallId }) => toolCallId);
    expect(results).toEqual(["c0", "c1", "c2", "c3", "c4", "c5"]);
  });

  it("run as many at a time as concurrency says", async () => {
    for (const concurrency of [1, 2, 3]) {
      let running = 0;
      let most = 0;
      const work = async () => {
        most = Math.max(most, ++running);
        await settleLoop(2);
        running--;
      };
      const tools = [spyTool("t", work).tool];
      await play([asked("t", "t", "t", "t", "t"), "Done."], { tools, concurrency });
      expect(most).toBe(concurrency);
    }
  });

  it("are recorded in their order, whichever was first", async () => {
    const work = ({ id }: { id: string }) => (id === "t0" ? settleLoop(2).then(() => id) : id);
    const { run } = await play([asked("t", "t"), "Done."], { tools: [spyTool("t", work as never).tool] });
    expect(run.steps.filter((step) => step.type === "tool").map((step) => step.call.id)).toEqual(["c0", "c1"]);
    expect([resultOf(run, "c0"), resultOf(run, "c1")]).toMatchObject([{ value: "t0" }, { value: "t1" }]);
  });

  it("are cut by limits.toolCalls, whose error ends the run", async () => {
    const { tool, calls } = spyTool("t", ({ id }: { id: string }) => id);
    const { run } = await play([asked("t"), asked("t", "t", "t"), "Never."], {
      tools: [tool],
      limits: { toolCalls: 2 },
    });
    expect(calls).toHaveLength(2);
    const message = "Not run: the run has used up its 2 tool calls (limits.toolCalls).";
    expect(run).toMatchObject({
      stopReason: "limit",
      errorCode: "RUN_LIMIT",
      error: message,
      errorDetail: { detail: { limit: "toolCalls", most: 2 } },
    });
    expect(run.history.slice(-2)).toMatchObject([
      { role: "tool", content: expect.stringContaining(message), isError: true },
      { role: "tool", content: expect.stringContaining(message), isError: true },
    ]);
  });

  it("may use up limits.toolCalls exactly", async () => {
    const { run } = await play([asked("t", "t"), "Done."], { tools: [spyTool("t").tool], limits: { toolCalls: 2 } });
    expect(run).toMatchObject({ status: "completed", answer: "Done." });
  });
});

describe("what changes the world", () => {
  /** Reads the same five times, with a call in between. */
  async function readsAround(access: "none" | "read" | "write" | "exec") {
    const look = spyTool("look", () => "same").tool;
    const act = spyTool("act", ({ n }: { n: number }) => n, { access }).tool;
    const script = [1, 2, 3, 4].flatMap((n) => [callTool("look", {}, ""), callTool("act", { n }, "")]);
    const { run } = await play([...script, callTool("look", {}, ""), "Done."], {
      tools: [look, act],
      permission: allow,
    });
    return run.stopReason;
  }

  it("makes asking again no repetition; what only looks does not", async () => {
    expect(await readsAround("write")).toBe("finished");
    expect(await readsAround("exec")).toBe("finished");
    expect(await readsAround("read")).toBe("noProgress");
    expect(await readsAround("none")).toBe("noProgress");
  });
});

describe("a decision in the record", () => {
  it.each([
    [
      { decision: "allow", reason: "Known." },
      { decision: "allow", reason: "Known." },
    ],
    [
      { decision: "deny", reason: "Never." },
      { decision: "deny", reason: "Never." },
    ],
    [{ decision: "allow" }, { decision: "allow" }],
  ] as [PermissionDecision, object][])("%j", async (given, expected) => {
    const clock = recordingClock({ auto: false });
    const told: unknown[] = [];
    const runtime = createRuntime({
      model: scriptedModel([callTool("t", {}, "c1"), "Done."]),
      tools: [spyTool("t").tool],
      clock,
      permission: () => new Promise((resolve) => clock.setTimer(30, () => resolve(given))),
    });
    runtime.on("permission:decision", ({ type, callId, decision, by, reason }) =>
      told.push({ type, callId, decision, by, reason }),
    );
    const result = runtime.run("Go.");
    await clock.advance(30);
    const run = await result;
    const step = run.steps.find((each) => each.type === "permission");
    expect(step).toMatchObject({ tool: "t", callId: "c1", startedAt: 1_000_000, durationMs: 30, ...expected });
    expect(told).toEqual([
      { type: "permission:decision", callId: "c1", by: step?.type === "permission" ? step.by : "", ...expected },
    ]);
    if (!("reason" in expected)) expect(Object.hasOwn(step ?? {}, "reason")).toBe(false);
  });

  it("stands for what may change the world only, without a gate", async () => {
    const tools = (["none", "read", "write", "exec"] as const).map(
      (access) => spyTool(access, () => 1, { access }).tool,
    );
    const { run } = await play([asked("none", "read", "write", "exec"), "Done."], { tools });
    const decided = run.steps
      .filter((step) => step.type === "permission")
      .map(({ tool, decision }) => [tool, decision]);
    expect(decided).toEqual([
      ["write", "deny"],
      ["exec", "deny"],
    ]);
  });

  it("gets the access of the tool, the id of the run and a signal", async () => {
    const seen: unknown[] = [];
    const { run } = await play([asked("w"), "Done."], {
      tools: [spyTool("w", () => 1, { access: "write" }).tool],
      permission: (call, { runId, toolAccess, signal }) => {
        seen.push([call.name, runId, toolAccess, signal.aborted]);
        return { decision: "allow" };
      },
    });
    expect(seen).toEqual([["w", run.id, "write", false]]);
  });
});

describe("a validator that takes its time", () => {
  const schema = (validate: () => unknown) => ({
    "~standard": {
      version: 1,
      vendor: "own",
      validate,
      jsonSchema: { input: () => ({ type: "object" }) },
    },
  });
  const toolWith = (validate: () => unknown) => spyTool("t", () => "ran", { parameters: schema(validate) as never });

  it("is waited for", async () => {
    const { tool, calls } = toolWith(async () => ({ value: { n: 1 } }));
    const { run } = await play([callTool("t", {}, "c1"), "Done."], { tools: [tool] });
    expect(resultOf(run, "c1")).toMatchObject({ ok: true, value: "ran" });
    expect(calls).toEqual([{ n: 1 }]);
  });

  it("is stopped in the end, as a timeout of the tool", async () => {
    const { tool, calls } = toolWith(() => new Promise(() => {}));
    const { run } = await play([callTool("t", {}, "c1"), "Done."], { tools: [tool], toolTimeoutMs: 70, graceMs: 5 });
    expect(failureOf(run, "c1")).toMatchObject({
      code: "TOOL_TIMEOUT",
      kind: "tool",
      error: 'The arguments of "t" could not be validated within 70 ms.',
    });
    expect(run.abandoned).toEqual([{ type: "tool", name: "t", callId: "c1" }]);
    expect(calls).toEqual([]);
    expect(run.status).toBe("completed");
  });

  it("is stopped with the run", async () => {
    const { tool } = toolWith(() => new Promise(() => {}));
    const { run } = await play([callTool("t", {}, "c1"), "Never."], { tools: [tool], timeoutMs: 70, graceMs: 5 });
    expect(run).toMatchObject({ stopReason: "timeout", errorCode: "RUN_TIMEOUT" });
    expect(failureOf(run, "c1")).toMatchObject({ code: "RUN_TIMEOUT" });
  });

  it("may refuse, and may break", async () => {
    const refusing = toolWith(async () => ({ issues: [{ message: "no such city", path: ["city"] }] })).tool;
    const broken = toolWith(() => Promise.reject(new Error("validator down"))).tool;
    const refused = await play([callTool("t", {}, "c1"), "Done."], { tools: [refusing] });
    expect(failureOf(refused.run, "c1")).toMatchObject({
      code: "TOOL_INVALID_ARGUMENTS",
      error: expect.stringContaining("no such city"),
    });
    const failed = await play([callTool("t", {}, "c1"), "Done."], { tools: [broken] });
    expect(failureOf(failed.run, "c1")).toMatchObject({
      kind: "tool",
      error: expect.stringContaining("validator down"),
    });
  });
});
