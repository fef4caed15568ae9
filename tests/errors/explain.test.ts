import {
  ERROR_CODES,
  explainError,
  explainRun,
  ModelError,
  RuntimeError,
  serializeError,
  ToolError,
} from "harness-kit/errors";
import { describe, expect, it } from "vitest";

describe("the explanation of an error", () => {
  it("says who failed, what was tried and what to do", () => {
    const error = new ModelError("429 slow  down\nplease", {
      code: "MODEL_RATE_LIMITED",
      attempts: 3,
      retryAfterMs: 90_500,
      retryState: "retry_after_too_long",
    });
    expect(explainError(error).split("\n")).toEqual([
      "The model call failed: The provider limits how often it may be called. (MODEL_RATE_LIMITED)",
      "It said: 429 slow down please",
      "It was tried 3 times. The other side asked to wait 91 s. It was not tried again because the wait that was asked for is longer than allowed.",
      "Next: Wait for retryAfterMs when it is there, then call again; ask the provider for a higher limit if it happens often.",
    ]);
  });

  it("says only what is known", () => {
    expect(explainError(new ToolError("disk full", { attempts: 1 })).split("\n")).toEqual([
      "The tool failed: The tool failed with an error. (TOOL_THREW)",
      "It said: disk full",
      "It was tried once.",
      expect.stringMatching(/^Next: Look at the cause/),
    ]);
    expect(explainError(new ToolError("disk full")).split("\n")).toHaveLength(3);
  });

  it("shows what was said without the blanks around it", () => {
    expect(explainError(new ToolError("  disk full \n")).split("\n")[1]).toBe("It said: disk full");
  });

  it("uses the words of the kind for a code nobody defined", () => {
    expect(explainError(new ModelError("x", { code: "MODEL_OF_MINE" }))).toMatch(
      /^The model call failed: .+ \(MODEL_OF_MINE\)\n/,
    );
  });

  it("takes the JSON of an error and any other value too", () => {
    const error = new ModelError("no", { code: "MODEL_AUTH", attempts: 2 });
    expect(explainError(serializeError(error))).toBe(explainError(error));
    expect(explainError("boom")).toMatch(/^The run ended early: .+\(RUNTIME_UNKNOWN\)\nIt said: boom\n/);
    expect(explainError({ kind: "disk", message: "m" })).toContain("(RUNTIME_UNKNOWN)");
  });

  it("shows no secret and no endless line", () => {
    const text = explainError(new ToolError(`Bearer abcdefgh1234 ${"x".repeat(3_000)}`));
    expect(text).not.toContain("abcdefgh1234");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(450);
  });

  it.each(Object.entries(ERROR_CODES))("has two to five lines for %s", (code, { kind, advice }) => {
    const lines = explainError({
      kind,
      code,
      message: "m",
      attempts: 2,
      retryAfterMs: 1_000,
      retryState: "deadline",
    }).split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.length).toBeLessThanOrEqual(5);
    expect(lines.at(-1)).toBe(`Next: ${advice}`);
  });

  it.each([
    ["not_retryable", "would fail the same way"],
    ["attempts_exhausted", "all attempts"],
    ["budget_exhausted", "retry budget"],
    ["deadline", "deadline"],
    ["partially_delivered", "had been shown"],
    ["aborted", "was stopped"],
  ] as const)("says why nothing more was tried: %s", (retryState, words) => {
    expect(explainError(new ModelError("x", { retryState }))).toContain(words);
  });
});

describe("the explanation of a run", () => {
  const usage = { inputTokens: 1_200, outputTokens: 34 };

  it.each([
    [
      "a complete run",
      { status: "completed", stopReason: "finished", iterations: 1, usage },
      ["The run is complete.", "It used 1 turn and 1,234 tokens.", "Next: Read the answer."],
    ],
    ["a run without figures", { status: "completed" }, ["The run is complete.", "Next: Read the answer."]],
    [
      "a run that was cut",
      { status: "completed", stopReason: "maxSteps", incomplete: true, iterations: 20 },
      [
        "The run ended before its work was done.",
        "It stopped because of: maxSteps.",
        "It used 20 turns.",
        "Next: Raise the limit, or run again with the history of this run.",
      ],
    ],
    [
      "a run that was cut without a reason",
      { status: "completed", incomplete: true },
      ["The run ended before its work was done.", "Next: Raise the limit, or run again with the history of this run."],
    ],
    [
      "a paused run",
      { status: "paused", stopReason: "paused", usage: { inputTokens: 5 } },
      [
        "The run is paused and waits for a decision.",
        "It used 5 tokens.",
        "Next: Decide what is pending, then resume the run.",
      ],
    ],
    [
      "a run with output tokens only",
      { status: "completed", usage: { outputTokens: 7 } },
      ["The run is complete.", "It used 7 tokens.", "Next: Read the answer."],
    ],
    [
      "a run with an empty usage",
      { status: "completed", usage: {} },
      ["The run is complete.", "Next: Read the answer."],
    ],
  ])("tells of %s", (_, run, lines) => {
    expect(explainRun(run).split("\n")).toEqual(lines);
  });

  it("tells of a failed run what its error tells, with the figures before the advice", () => {
    const error = new ModelError("401 bad key", { code: "MODEL_AUTH", attempts: 1 });
    const run = {
      status: "failed",
      stopReason: "failed",
      errorKind: "model",
      errorDetail: serializeError(error),
      iterations: 2,
      usage,
    };
    const lines = explainError(error).split("\n");
    expect(explainRun(run).split("\n")).toEqual([
      ...lines.slice(0, -1),
      "It used 2 turns and 1,234 tokens.",
      lines.at(-1),
    ]);
    expect(explainRun(run).split("\n")).toHaveLength(5);
  });

  it("does with kind, code and message when there is no detail", () => {
    const run = { status: "failed", errorKind: "model", errorCode: "MODEL_AUTH", error: "bad key" };
    expect(explainRun(run)).toBe(explainError(new ModelError("bad key", { code: "MODEL_AUTH" })));
    expect(explainRun({ status: "aborted", error: "because" })).toBe(
      explainError(new RuntimeError("because", { code: "RUN_ABORTED" })),
    );
    expect(explainRun({ status: "failed" })).toContain("(RUNTIME_UNKNOWN)");
    expect(explainRun({ status: "failed", errorKind: "disk", error: "m" })).toContain("(RUNTIME_UNKNOWN)");
  });
});
