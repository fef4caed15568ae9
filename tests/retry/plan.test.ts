import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ErrorCode, type HarnessError, ModelError, RuntimeError, ToolError } from "../../src/errors/index.ts";
import { createRetryBudget } from "../../src/retry/budget.ts";
import { planRetry, type RetrySituation } from "../../src/retry/plan.ts";
import { type RetryOptions, resolveRetry } from "../../src/retry/policy.ts";

const model = (code: ErrorCode, more: object = {}) => new ModelError("failed", { code, ...more });

type Given = Partial<Omit<RetrySituation, "policy">> & { readonly retry?: RetryOptions };

/** A first failure of a model call, with all the time and tokens there are and half of the jitter. */
function situation({ retry, ...given }: Given = {}): RetrySituation {
  return {
    error: model("MODEL_NETWORK"),
    attempt: 1,
    target: "model",
    policy: resolveRetry(retry),
    budget: createRetryBudget(),
    deadline: Number.POSITIVE_INFINITY,
    now: 1_000,
    aborted: false,
    delivered: 0,
    random: () => 0.5,
    ...given,
  };
}

const plan = (given?: Given) => planRetry(situation(given));
const again = (delayMs: number) => ({ retry: true, delayMs });
const stop = (state: string) => ({ retry: false, state });

describe("planRetry", () => {
  it.each<[string, Given, object]>([
    ["a network failure", {}, again(250)],
    ["a second failure", { attempt: 2 }, again(500)],
    ["a third failure of three", { attempt: 3 }, stop("attempts_exhausted")],
    ["a third failure of five", { attempt: 3, retry: { maxAttempts: 5 } }, again(1_000)],
    ["the first failure of one", { retry: { maxAttempts: 1 } }, stop("attempts_exhausted")],
    ["a rate limit, which waits twice as long", { error: model("MODEL_RATE_LIMITED") }, again(500)],
    ["an overload, which waits twice as long", { error: model("MODEL_OVERLOADED") }, again(500)],
    ["a late failure, which waits no longer than the cap", { attempt: 20, retry: { maxAttempts: 99 } }, again(10_000)],
    [
      "a very late one without a base",
      { attempt: 5_000, retry: { maxAttempts: 9_999, baseMs: 0, capMs: Number.POSITIVE_INFINITY } },
      again(0),
    ],
    ["the least jitter", { random: () => 0 }, again(0)],
    ["the most jitter", { random: () => 0.999_999 }, again(500)],
    ["a stopped run", { aborted: true }, stop("aborted")],
    ["an abort", { error: new RuntimeError("x", { code: "RUN_ABORTED", retryable: true }) }, stop("aborted")],
    ["a wrong key", { error: model("MODEL_AUTH") }, stop("not_retryable")],
    ["a tool that says nothing", { target: "tool", error: new ToolError("x") }, stop("not_retryable")],
    ["a tool that may be called again", { target: "tool", error: new ToolError("x", { retryable: true }) }, again(250)],
    ["a stream of which something was shown", { delivered: 1 }, stop("partially_delivered")],
    ["a stream that broke off", { error: model("MODEL_STREAM_INTERRUPTED") }, stop("partially_delivered")],
    ["a wrong key after a part was shown", { delivered: 1, error: model("MODEL_AUTH") }, stop("not_retryable")],
    ["a second bad response", { attempt: 2, error: model("MODEL_BAD_RESPONSE") }, stop("attempts_exhausted")],
    ["a first bad response", { error: model("MODEL_BAD_RESPONSE") }, again(250)],
    [
      "a bad response of a single try",
      { error: model("MODEL_BAD_RESPONSE"), retry: { maxAttempts: 1 } },
      stop("attempts_exhausted"),
    ],
    [
      "a client that tried three times by itself",
      { error: model("MODEL_NETWORK", { attempts: 3 }) },
      stop("attempts_exhausted"),
    ],
    ["a client that tried twice by itself", { error: model("MODEL_NETWORK", { attempts: 2 }) }, again(250)],
    [
      "a client that tried twice, the second time",
      { attempt: 2, error: model("MODEL_NETWORK", { attempts: 2 }) },
      stop("attempts_exhausted"),
    ],
    [
      "a provider that asks for a wait",
      { error: model("MODEL_RATE_LIMITED", { retryAfterMs: 10_000 }) },
      again(10_250),
    ],
    [
      "a provider that asks for a short wait",
      { error: model("MODEL_RATE_LIMITED", { retryAfterMs: 100 }) },
      again(105),
    ],
    ["a provider that asks for no wait", { error: model("MODEL_RATE_LIMITED", { retryAfterMs: 0 }) }, again(0)],
    [
      "a provider that asks for the longest wait",
      { error: model("MODEL_RATE_LIMITED", { retryAfterMs: 60_000 }), random: () => 0 },
      again(60_000),
    ],
    [
      "a provider that asks for too long a wait",
      { error: model("MODEL_RATE_LIMITED", { retryAfterMs: 60_001 }) },
      stop("retry_after_too_long"),
    ],
    ["a wait that ends before the deadline", { deadline: 1_251 }, again(250)],
    ["a wait that ends at the deadline", { deadline: 1_250 }, stop("deadline")],
    [
      "a wait that was asked for and ends after the deadline",
      { deadline: 5_000, error: model("MODEL_RATE_LIMITED", { retryAfterMs: 5_000 }) },
      stop("deadline"),
    ],
    ["an empty budget", { budget: createRetryBudget({ tokens: 0 }) }, stop("budget_exhausted")],
    ["a budget with less waiting", { budget: createRetryBudget({ waitMs: 249 }) }, stop("budget_exhausted")],
    [
      "a timeout with one token",
      { error: model("MODEL_TIMEOUT"), budget: createRetryBudget({ tokens: 1 }) },
      stop("budget_exhausted"),
    ],
    [
      "a tool's timeout with one token",
      {
        error: new ToolError("x", { code: "TOOL_TIMEOUT", retryable: true }),
        budget: createRetryBudget({ tokens: 1 }),
      },
      stop("budget_exhausted"),
    ],
    [
      "a command's timeout with one token",
      {
        error: new ToolError("x", { code: "TOOL_PROCESS_TIMEOUT", retryable: true }),
        budget: createRetryBudget({ tokens: 1 }),
      },
      stop("budget_exhausted"),
    ],
    [
      "a bad response with one token",
      { error: model("MODEL_BAD_RESPONSE"), budget: createRetryBudget({ tokens: 1 }) },
      stop("budget_exhausted"),
    ],
    ["a network failure with one token", { budget: createRetryBudget({ tokens: 1 }) }, again(250)],
  ])("plans for %s", (_what, given, expected) => {
    expect(plan(given)).toEqual(expected);
  });

  it.each<[string, Given, object]>([
    ["no to anything", { retry: { shouldRetry: () => false } }, stop("not_retryable")],
    ["yes to a wrong key", { error: model("MODEL_AUTH"), retry: { shouldRetry: () => true } }, again(250)],
    [
      "nothing, which leaves it to the error",
      { error: model("MODEL_AUTH"), retry: { shouldRetry: () => undefined } },
      stop("not_retryable"),
    ],
    ["nothing to what may be tried again", { retry: { shouldRetry: () => undefined } }, again(250)],
    ["yes to an abort", { aborted: true, retry: { shouldRetry: () => true } }, stop("aborted")],
    [
      "yes to an aborted call",
      { error: new RuntimeError("x", { code: "RUN_ABORTED" }), retry: { shouldRetry: () => true } },
      stop("aborted"),
    ],
    [
      "yes to a stream of which something was shown",
      { delivered: 3, retry: { shouldRetry: () => true } },
      stop("partially_delivered"),
    ],
    [
      "yes to a stream that broke off",
      { error: model("MODEL_STREAM_INTERRUPTED"), retry: { shouldRetry: () => true } },
      stop("partially_delivered"),
    ],
    [
      "no to a stream that broke off",
      { error: model("MODEL_STREAM_INTERRUPTED"), retry: { shouldRetry: () => false } },
      stop("not_retryable"),
    ],
    ["yes, but the tries are used up", { attempt: 3, retry: { shouldRetry: () => true } }, stop("attempts_exhausted")],
  ])("lets the host say %s", (_what, given, expected) => {
    expect(plan(given)).toEqual(expected);
  });

  it("takes nothing but true for a yes of the host, least of all a promise or an error", async () => {
    const answers: unknown[] = ["yes", 1, null, {}, Promise.resolve(true), Promise.reject(new Error("late"))];
    for (const said of answers) {
      const shouldRetry = (() => said) as unknown as () => boolean;
      expect(plan({ error: model("MODEL_AUTH"), retry: { shouldRetry } })).toEqual(stop("not_retryable"));
    }
    const shouldRetry = () => {
      throw new Error("broken");
    };
    expect(plan({ retry: { shouldRetry } })).toEqual(stop("not_retryable"));
    // An unhandled rejection would fail the test file here.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("tells the host which try failed, and of what", () => {
    const asked: unknown[] = [];
    const error: HarnessError = model("MODEL_NETWORK");
    const shouldRetry = (...question: unknown[]) => {
      asked.push(question);
      return undefined;
    };
    plan({ error, attempt: 2, target: "tool", retry: { shouldRetry } });
    expect(asked).toEqual([[error, { attempt: 2, target: "tool" }]]);
  });

  it("takes from the budget only when it plans a try", () => {
    const budget = createRetryBudget({ tokens: 10, waitMs: 10_000 });
    plan({ budget, aborted: true });
    plan({ budget, deadline: 1_001 });
    plan({ budget, attempt: 9 });
    expect([budget.left, budget.waitLeftMs]).toEqual([10, 10_000]);
    plan({ budget });
    expect([budget.left, budget.waitLeftMs]).toEqual([9, 9_750]);
    plan({ budget, error: model("MODEL_TIMEOUT") });
    expect([budget.left, budget.waitLeftMs]).toEqual([7, 9_500]);
  });

  it("lets calls that share a budget try again as often as it has tokens", () => {
    const budget = createRetryBudget({ tokens: 3 });
    const planned = Array.from({ length: 5 }, () => plan({ budget }));
    expect(planned.filter(({ retry }) => retry)).toHaveLength(3);
    budget.refund();
    expect(plan({ budget })).toEqual(again(250));
  });

  it("never waits less than was asked for, past the deadline, or a time that is no number", () => {
    fc.assert(
      fc.property(
        fc.record({
          attempt: fc.integer({ min: 1, max: 2_000 }),
          baseMs: fc.nat(10_000),
          capMs: fc.oneof(fc.nat(100_000), fc.constant(Number.POSITIVE_INFINITY)),
          retryAfterMs: fc.option(fc.nat(100_000), { nil: undefined }),
          random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
          deadline: fc.oneof(fc.nat(200_000), fc.constant(Number.POSITIVE_INFINITY)),
        }),
        ({ attempt, baseMs, capMs, retryAfterMs, random, deadline }) => {
          const error = model("MODEL_RATE_LIMITED", { retryAfterMs });
          const retry = { maxAttempts: 5_000, baseMs, capMs };
          const budget = createRetryBudget({ tokens: 1, waitMs: Number.POSITIVE_INFINITY });
          const planned = plan({ error, attempt, retry, deadline, budget, random: () => random });
          if (!planned.retry) return;
          expect(Number.isFinite(planned.delayMs)).toBe(true);
          expect(planned.delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
          expect(planned.delayMs).toBeLessThanOrEqual(retryAfterMs === undefined ? capMs : retryAfterMs * 1.1 + 1);
          expect(1_000 + planned.delayMs).toBeLessThan(deadline);
        },
      ),
    );
  });
});
