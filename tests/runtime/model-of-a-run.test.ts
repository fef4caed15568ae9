import fc from "fast-check";
import { type AgentEvent, createRuntime } from "harness-kit";
import { assertRunInvariants, recordingClock, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { spyTool } from "./helpers.ts";

/** 300 runs in CI; `HARNESS_KIT_RUNS=10000` for the nightly figure. */
const RUNS = Number(process.env["HARNESS_KIT_RUNS"] ?? 300);

type Act =
  | { readonly act: "calls"; readonly tools: readonly ("good" | "bad" | "missing" | "slow")[] }
  | { readonly act: "answer"; readonly text: string }
  | { readonly act: "fail"; readonly status: 401 | 503 | 400 | 429 }
  | { readonly act: "hang" }
  | { readonly act: "abort" }
  | { readonly act: "garbage"; readonly value: unknown };

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("calls" as const),
      tools: fc.array(fc.constantFrom("good", "bad", "missing", "slow"), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("answer" as const), text: fc.string({ maxLength: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant("fail" as const), status: fc.constantFrom(401, 503, 400, 429) }),
  },
  { weight: 1, arbitrary: fc.constant({ act: "hang" as const }) },
  { weight: 1, arbitrary: fc.constant({ act: "abort" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("garbage" as const),
      value: fc.constantFrom(null, [], {}, 5, { content: 5 }),
    }),
  },
);

const settings = fc.record({
  script: fc.array(acts, { minLength: 1, maxLength: 50 }),
  maxSteps: fc.integer({ min: 1, max: 12 }),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  toolCalls: fc.integer({ min: 1, max: 20 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  streams: fc.boolean(),
});

/** What a run may end with, by the simplest reading of the rules. */
function allowedEnds(script: readonly Act[]): ReadonlySet<string> {
  const ends = new Set(["maxSteps"]);
  const has = (act: Act["act"]) => script.some((each) => each.act === act);
  if (has("calls")) for (const end of ["noProgress", "limit"]) ends.add(end);
  // An empty object is an answer for scriptedModel, which fills in the rest.
  if (has("answer") || has("garbage")) ends.add("finished");
  if (has("abort")) ends.add("aborted");
  // Beyond its end the script fails, too; a hanging model fails by its timeout.
  ends.add("failed").add("timeout");
  return ends;
}

describe("any run", () => {
  it("keeps every invariant and every budget, whatever model and tools do", async () => {
    await fc.assert(
      fc.asyncProperty(settings, async ({ script, maxSteps, maxAttempts, toolCalls, concurrency, streams }) => {
        const clock = recordingClock();
        const controller = new AbortController();
        let asked = 0;
        const model = scriptedModel(
          script.map((act, turn) => () => {
            asked++;
            switch (act.act) {
              case "calls":
                return {
                  toolCalls: act.tools.map((name, index) => ({
                    id: index % 2 ? "" : `c${turn}`,
                    name,
                    arguments: { turn, index },
                  })),
                };
              case "answer":
                return act.text;
              case "fail":
                throw Object.assign(new Error(`status ${act.status}`), { status: act.status });
              case "hang":
                return new Promise(() => {});
              case "abort":
                controller.abort("The script says so.");
                return "never seen";
              case "garbage":
                return act.value;
            }
          }),
          streams ? { chunkSize: 2 } : {},
        );
        const good = spyTool("good", () => Math.random());
        const bad = spyTool("bad", () => Promise.reject(new Error("bad")));
        const slow = spyTool("slow", () => new Promise(() => {}), { timeoutMs: 100 });
        const runtime = createRuntime({
          model,
          clock,
          maxSteps,
          concurrency,
          tools: [good.tool, bad.tool, slow.tool],
          limits: { toolCalls },
          retry: { maxAttempts },
        });
        const events: AgentEvent[] = [];
        runtime.on("*", (event) => events.push(event));
        const run = streams
          ? await runtime.stream("Go.", { signal: controller.signal }).result
          : await runtime.run("Go.", { signal: controller.signal });
        assertRunInvariants(run, events, { maxSteps, maxAttempts: maxAttempts, durationMs: 600_100 });
        expect([...allowedEnds(script)]).toContain(run.stopReason);
        expect(asked).toBeLessThanOrEqual(maxSteps * maxAttempts);
        expect(good.calls.length + bad.calls.length + slow.calls.length).toBeLessThanOrEqual(toolCalls);
        expect(clock.pending).toBe(0);
        if (controller.signal.aborted) expect(run.stopReason).toBe("aborted");
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
