import { type AgentEvent, assertWellFormed, createRuntime, isHarnessError, ModelError } from "harness-kit";
import { type CompactionOptions, compaction, type SummaryRequest } from "harness-kit/compaction";
import { recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { type Behind, DONE, lastSent, pass, quarter, SUMMARY, turns, user } from "./kit.ts";

const task = user("Count the files.");
const history = [task, ...turns(12, 1_000)];
const tight: CompactionOptions = { maxTokens: 3_000, keepTurns: 2, countTokens: quarter };
const noteOf = (passed: Awaited<ReturnType<typeof pass>>) => String(lastSent(passed)[0]?.content);
const never = () => new Promise<never>(() => {});

describe("who summarises", () => {
  it("is a function of the host, when there is one", async () => {
    const asked: SummaryRequest[] = [];
    const signals: AbortSignal[] = [];
    const summarize: CompactionOptions["summarize"] = (request, { signal, runId }) => {
      asked.push(request);
      signals.push(signal);
      return `By the host for ${runId}.`;
    };
    const passed = await pass(compaction({ ...tight, summarize }), history);
    expect(noteOf(passed)).toMatch(/Summary of them:\nBy the host for run-1\.$/);
    expect(passed.aside).toEqual([]);
    const count = passed.notices[0]?.summarized ?? 0;
    expect(asked[0]?.messages).toEqual(history.slice(0, count));
    expect(asked[0]?.transcript).toMatch(/^\[user\]\nCount the files\.\n\n\[calls read\]/);
    expect(asked[0]?.maxTokens).toBeGreaterThan(1_000);
    expect(asked[0]?.maxTokens).toBeLessThanOrEqual(1_500);
    expect(signals[0]?.aborted).toBe(false);
  });

  it("may be told with its usage, now or later", async () => {
    const usage = { inputTokens: 3, outputTokens: 2 };
    for (const summarize of [() => ({ text: "Short.", usage }), async () => ({ text: "Short.", usage })]) {
      const passed = await pass(compaction({ ...tight, summarize }), history);
      expect(noteOf(passed)).toContain("Short.");
      expect(passed.response.usage).toEqual(usage);
    }
  });

  it("is another model, when there is one", async () => {
    const model = scriptedModel([(_request, { runId, attempt }) => `Cheap, ${runId}, try ${attempt}.`]);
    const passed = await pass(compaction({ ...tight, model, instructions: "Be short." }), history);
    expect(noteOf(passed)).toMatch(/Summary of them:\nCheap, run-1, try 1\.$/);
    expect(model.requests).toMatchObject([
      { tools: [], messages: [{ role: "system", content: "Be short." }, { role: "user" }] },
    ]);
    const asFunction = await pass(compaction({ ...tight, model: () => SUMMARY }), history);
    expect(noteOf(asFunction)).toContain("The summary.");
  });

  it("may write what no provider would take: it is cleaned", async () => {
    const passed = await pass(compaction({ ...tight, summarize: () => " a\u0000b\ud800c " }), history);
    expect(noteOf(passed)).toMatch(/Summary of them:\na\u2400b\ufffdc$/);
  });

  it("is nobody, when the host says so: the turns are left out with a note", async () => {
    const passed = await pass(compaction({ ...tight, summarize: false }), history);
    expect(passed.aside).toEqual([]);
    expect(noteOf(passed)).toMatch(
      /^\[\d+ earlier messages of this conversation were left out, because there is no room for them\.\]\n\n/,
    );
    expect(noteOf(passed)).toMatch(/Tools called in them:\nread \(\d+ times\)$/);
    expect(passed.notices).toMatchObject([{ summarized: 0, dropped: 12 * 2 + 1 - (lastSent(passed).length - 1) }]);
    expect(passed.notices[0]).not.toHaveProperty("error");
    // What was left out by choice stays out.
    const again = await pass(compaction({ ...tight, summarize: false }), history);
    expect(lastSent(again)).toEqual(lastSent(passed));
  });
});

describe("a summary that does not come", () => {
  const failing = (summary: Behind["summary"], options: CompactionOptions = tight) =>
    pass(compaction(options), history, { summary: summary as NonNullable<Behind["summary"]> });

  it.each([
    ["is refused", () => Promise.reject(Object.assign(new Error("No key."), { status: 401 })), "MODEL_AUTH"],
    [
      "overflows, too",
      () => Promise.reject(new ModelError("x", { code: "MODEL_CONTEXT_OVERFLOW" })),
      "MODEL_CONTEXT_OVERFLOW",
    ],
    ["fails without a reason", () => Promise.reject(undefined), "MODEL_UNKNOWN"],
    ["is empty", () => ({ ...SUMMARY, content: " \n" }), "MODEL_BAD_RESPONSE"],
    [
      "is a tool call",
      () => ({ ...SUMMARY, content: "", toolCalls: [{ id: "1", name: "read", arguments: {} }] }),
      "MODEL_BAD_RESPONSE",
    ],
    ["is no text", () => ({ content: 42, toolCalls: [] }), "MODEL_BAD_RESPONSE"],
    ["is an error that came as an answer", () => ({ error: { message: "x", status: 503 } }), "MODEL_OVERLOADED"],
  ])("because it %s leaves the turns out with a note", async (_why, summary, code) => {
    const passed = await failing(summary);
    expect(noteOf(passed)).toMatch(/^\[\d+ earlier messages .* were left out/);
    expect(noteOf(passed)).not.toContain("Summary");
    assertWellFormed(lastSent(passed));
    expect(passed.response).toBe(DONE);
    expect(passed.notices).toMatchObject([{ summarized: 0, error: { kind: "model", code } }]);
    expect(passed.notices[0]?.dropped).toBeGreaterThan(0);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("host trouble");
      },
      "host trouble",
    ],
    ["rejects", () => Promise.reject(new Error("host trouble")), "host trouble"],
    ["gives a number", () => 42 as never, "The summary is 42"],
    ["gives nothing", () => undefined as never, "The summary is undefined"],
    ["gives null", () => null as never, "The summary is undefined"],
  ])("because the function of the host %s leaves the turns out, too", async (_what, summarize, message) => {
    const passed = await pass(compaction({ ...tight, summarize }), history);
    expect(passed.notices[0]?.error?.message).toContain(message);
    expect(noteOf(passed)).toContain("were left out");
  });

  it("by a model of the host's is judged by what that model knows", async () => {
    const model = {
      generate: () => Promise.reject({ odd: 1 }),
      classifyError: (error: unknown) =>
        (error as { odd: number }).odd === 1 ? { code: "MODEL_AUTH" as const } : undefined,
    };
    const passed = await pass(compaction({ ...tight, model }), history);
    expect(passed.notices[0]?.error).toMatchObject({ code: "MODEL_AUTH" });
  });

  it("is judged also by a model that judges too late", async () => {
    const late = () => Promise.reject(new Error("too late")) as never;
    const model = { generate: () => Promise.reject(new Error("trouble")), classifyError: late };
    const passed = await pass(compaction({ ...tight, model }), history);
    await new Promise((resolve) => setImmediate(resolve));
    expect(passed.notices[0]?.error).toMatchObject({ kind: "model", message: "trouble" });
  });

  it("is tried again in the next turn when the failure may pass, and not when it is for good", async () => {
    const cases = [
      { status: 503, tries: 2, left: "summarized" },
      { status: 401, tries: 1, left: "left out" },
    ];
    for (const { status, tries } of cases) {
      const plugin = compaction(tight);
      let asked = 0;
      const summary = () => {
        if (++asked === 1) throw Object.assign(new Error("trouble"), { status });
        return SUMMARY;
      };
      await pass(plugin, history, { summary });
      const next = await pass(plugin, [...history, ...turns(1, 100, "next")], { summary });
      expect(asked).toBe(tries);
      expect(noteOf(next)).toContain(tries === 2 ? "The summary." : "were left out");
    }
  });

  it("in time is given up, and not waited for again", async () => {
    const clock = recordingClock();
    let signal: AbortSignal | undefined;
    const options: CompactionOptions = { ...tight, clock, summaryTimeoutMs: 5_000 };
    const plugin = compaction(options);
    const passed = await pass(plugin, history, {
      summary: (_request, given) => {
        signal = given?.signal;
        return never();
      },
    });
    expect(clock.waits).toEqual([5_000]);
    expect(signal?.aborted).toBe(true);
    expect(passed.notices[0]?.error).toMatchObject({ kind: "model", code: "MODEL_TIMEOUT" });
    expect(passed.notices[0]?.error?.message).toContain("5000 ms (summaryTimeoutMs)");
    expect((await pass(plugin, history)).aside).toEqual([]);
    expect(signal?.reason).toMatchObject({ retryable: false });
  });

  it("leaves no timer behind when it comes, and sets none without a limit", async () => {
    const clock = recordingClock({ auto: false });
    await pass(compaction({ ...tight, clock }), history);
    expect(clock.pending).toBe(0);
    let during = -1;
    const summary = () => {
      during = clock.pending;
      return SUMMARY;
    };
    await pass(compaction({ ...tight, clock }), history, { summary });
    expect(during).toBe(1);
    await pass(compaction({ ...tight, clock, summaryTimeoutMs: 0 }), history, { summary });
    expect(during).toBe(0);
  });

  it("keeps the summary of an earlier compaction", async () => {
    const plugin = compaction(tight);
    await pass(plugin, history);
    const longer = [...history, ...turns(12, 1_000, "d")];
    const failed = await pass(plugin, longer, { summary: () => Promise.reject(new Error("x")) });
    expect(noteOf(failed)).toMatch(/Summary of the first \d+ of them:\nThe summary\.$/);
    const first = Number(/first (\d+) of/.exec(noteOf(failed))?.[1]);
    const all = Number(/^\[(\d+) earlier/.exec(noteOf(failed))?.[1]);
    expect(first).toBeGreaterThan(0);
    expect(all).toBeGreaterThan(first);
    const later = await pass(plugin, longer, { summary: () => ({ ...SUMMARY, content: "All of it." }) });
    expect(noteOf(later)).toMatch(/Summary of them:\nAll of it\.$/);
    expect(noteOf(later)).toContain(`[${all} earlier messages`);
    expect(noteOf(later)).toContain("The user's first message:\nCount the files.");
  });
});

describe("an abort while a summary is written", () => {
  it.each(["the model of the run", "a model that ignores its signal", "a function that ignores its signal"])(
    "ends the call at once with the reason of the signal: %s",
    async (who) => {
      const controller = new AbortController();
      const reason = new ModelError("stop", { code: "MODEL_TIMEOUT" });
      const stop = () => {
        queueMicrotask(() => controller.abort(reason));
        return never();
      };
      const options = {
        "a model that ignores its signal": { model: stop },
        "a function that ignores its signal": { summarize: stop },
      }[who];
      const clock = recordingClock({ auto: false });
      const behind = { signal: controller.signal, summary: stop };
      await expect(pass(compaction({ ...tight, clock, ...options }), history, behind)).rejects.toBe(reason);
      expect(clock.pending).toBe(0);
    },
  );

  it("is also seen when it came before, and nothing is waited for", async () => {
    const controller = new AbortController();
    controller.abort(new ModelError("stop"));
    const behind = { signal: controller.signal, summary: never };
    await expect(
      pass(compaction({ ...tight, clock: recordingClock({ auto: false }) }), history, behind),
    ).rejects.toThrow("stop");
  });

  it("is seen when whoever writes it causes it before anything else", async () => {
    const controller = new AbortController();
    const summarize = () => {
      controller.abort("at once");
      return never();
    };
    const plugin = compaction({ ...tight, clock: recordingClock({ auto: false }), summarize });
    await expect(pass(plugin, history, { signal: controller.signal })).rejects.toBe("at once");
  });

  it("stops the one who writes it by its own signal", async () => {
    const controller = new AbortController();
    let given: AbortSignal | undefined;
    const behind: Behind = {
      signal: controller.signal,
      summary: (_request, options) => {
        given = options?.signal;
        queueMicrotask(() => controller.abort("enough"));
        return never();
      },
    };
    await expect(pass(compaction(tight), history, behind)).rejects.toBe("enough");
    expect(given).not.toBe(controller.signal);
    expect(given).toMatchObject({ aborted: true, reason: "enough" });
  });

  it("settles a run as aborted, with its history whole and the summary stopped", async () => {
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    let stopped: unknown;
    const model = scriptedModel([
      (_request, { signal }) => {
        signal.addEventListener("abort", () => {
          stopped = signal.reason;
        });
        setImmediate(() => controller.abort());
        return never();
      },
    ]);
    const runtime = createRuntime({ model, plugins: [compaction(tight)], graceMs: 20 });
    runtime.on("*", (event) => events.push(event));
    const run = await runtime.run([...history, user("Go on.")], { signal: controller.signal });
    expect(run).toMatchObject({ status: "aborted", errorCode: "RUN_ABORTED" });
    expect(run.history).toHaveLength(history.length + 1);
    expect(model.requests).toHaveLength(1);
    expect(isHarnessError(stopped) && stopped.code).toBe("RUN_ABORTED");
    expect(run.abandoned).toBeUndefined();
    expect(events.filter(({ type }) => type === "context:compacted")).toEqual([]);
  });
});
