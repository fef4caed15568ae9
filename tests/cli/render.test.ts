import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createColors } from "../../src/cli/colors.ts";
import { createRunRenderer } from "../../src/cli/render-run.ts";
import { createVisiblePieces, visibleLine, visibleText } from "../../src/cli/visible.ts";
import type { AgentEvent, EventPayloads, EventType } from "../../src/contract/event.ts";
import type { AgentRun, AgentStep } from "../../src/contract/run.ts";
import { ModelError, serializeError } from "../../src/errors/index.ts";

function renderer() {
  const written: string[] = [];
  const render = createRunRenderer((text) => written.push(text), createColors(false));
  return {
    tell: <Type extends EventType>(type: Type, payload: EventPayloads[Type]) =>
      render.event({ type, runId: "r1", seq: 0, at: 0, ...payload } as unknown as AgentEvent),
    end: render.end,
    text: () => written.join(""),
  };
}

const times = { index: 0, startedAt: 0, durationMs: 1 };

/** What is printed for one step. */
function lineOf(step: AgentStep): string {
  const { tell, text } = renderer();
  tell("step", { step });
  return text();
}

const completed: AgentRun = {
  schemaVersion: 1,
  id: "r1",
  input: "hi",
  status: "completed",
  stopReason: "finished",
  answer: "Hello.",
  history: [],
  steps: [],
  iterations: 1,
  startedAt: 1_000,
  endedAt: 2_234,
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** What is printed at the end of a run. */
function endOf(run: Partial<AgentRun>): string {
  const { end, text } = renderer();
  end({ ...completed, ...run });
  return text();
}

describe("a step's line", () => {
  it("names the tools that the model calls, or says that it answers", () => {
    const call = { id: "1", name: "bash", arguments: {} };
    const base = { ...times, type: "model", messageCount: 1, model: "m" } as const;
    expect(lineOf({ ...base, attempts: 1, response: { content: "", toolCalls: [call, { ...call, name: "x" }] } })).toBe(
      "Step 1 · model  → calls bash, x\n",
    );
    expect(lineOf({ ...base, attempts: 2, index: 4, response: { content: "hi", toolCalls: [] } })).toBe(
      "Step 5 · model  → answers (attempt 2)\n",
    );
  });

  it("shows a call with its value", () => {
    const call = { id: "1", name: "calculator", arguments: { expression: "17 * 38" } };
    expect(lineOf({ ...times, type: "tool", call, result: { ok: true, value: 646 }, attempts: 1 })).toBe(
      'Step 1 · tool   → calculator({"expression":"17 * 38"}) = 646\n',
    );
  });

  it("shows a call with its failure", () => {
    const call = { id: "1", name: "x", arguments: "{broken" };
    const result = { ok: false, error: "no\nluck", kind: "tool", retryable: false, code: "TOOL_REJECTED" } as const;
    expect(lineOf({ ...times, type: "tool", call, result, attempts: 3 })).toBe(
      "Step 1 · tool   → x({broken) failed [tool] TOOL_REJECTED: no⏎ luck (attempt 3)\n",
    );
  });

  it("says so where a tool gave nothing", () => {
    const call = { id: "1", name: "x", arguments: {} };
    expect(lineOf({ ...times, type: "tool", call, result: { ok: true, value: "" }, attempts: 1 })).toBe(
      "Step 1 · tool   → x({}) = (no output)\n",
    );
  });

  it("keeps a long result to a few lines", () => {
    const call = { id: "1", name: "x", arguments: { text: "a".repeat(5_000) } };
    const line = lineOf({ ...times, type: "tool", call, result: { ok: true, value: "b".repeat(5_000) }, attempts: 1 });
    expect(line.length).toBeLessThan(1_000);
  });

  it("tells a decision with its reason", () => {
    const step = { ...times, type: "permission", callId: "1", tool: "bash", by: "default" } as const;
    expect(lineOf({ ...step, decision: "allow", reason: "why" })).toBe("Step 1 · permission → allow bash (default)\n");
    expect(lineOf({ ...step, decision: "deny", reason: "Nothing allows it." })).toBe(
      "Step 1 · permission → deny bash (default) Nothing allows it.\n",
    );
  });

  it("tells how a run finished or failed", () => {
    expect(lineOf({ ...times, type: "finish", stopReason: "maxSteps", answer: "" })).toBe(
      "Step 1 · finish → maxSteps\n",
    );
    const detail = serializeError(new ModelError("401 Incorrect API key", { code: "MODEL_AUTH" }));
    const { kind, code, retryable, message } = detail;
    expect(lineOf({ ...times, type: "error", stopReason: "failed", kind, code, retryable, message, detail })).toBe(
      "Step 1 · error → model (failed) 401 Incorrect API key\n",
    );
  });
});

describe("the events of a run", () => {
  it("begin with its id and its input", () => {
    const { tell, text } = renderer();
    tell("run:start", { input: "two\nlines" });
    expect(text()).toBe("Run ID  : r1\nInput   : two\n          lines\n");
  });

  it("show text while it streams, and close it before the next line", () => {
    const { tell, text } = renderer();
    tell("model:delta", { text: "Hel" });
    expect(text()).toBe("Text    : Hel");
    tell("model:delta", { text: "lo\nyou" });
    expect(text()).toBe("Text    : Hello\n          you");
    tell("step", { step: { ...times, type: "finish", stopReason: "finished", answer: "" } });
    expect(text()).toBe("Text    : Hello\n          you\nStep 1 · finish → finished\n");
  });

  it("keep reasoning apart from text", () => {
    const { tell, text } = renderer();
    tell("model:reasoning", { text: "hmm" });
    tell("model:delta", { text: "yes" });
    expect(text()).toBe("Thought : hmm\nText    : yes");
  });

  it("tell retries, warnings and calls that were left behind", () => {
    const { tell, text } = renderer();
    const notice = {
      attempt: 1,
      maxAttempts: 3,
      delayMs: 1500.4,
      code: "MODEL_OVERLOADED",
      message: "busy",
      budgetLeft: 9,
    };
    tell("model:retry", notice);
    tell("tool:retry", { ...notice, callId: "c1" });
    tell("model:fallback", { from: "a", to: "b", code: "MODEL_OVERLOADED" });
    tell("limit:warning", { limit: "identicalCalls", message: "The same call again." });
    tell("tool:abandoned", { callId: "c1" });
    expect(text().split("\n")).toEqual([
      "Retry   : model attempt 1 of 3 failed, next in 1,500 ms · MODEL_OVERLOADED: busy",
      "Retry   : tool attempt 1 of 3 failed, next in 1,500 ms · MODEL_OVERLOADED: busy",
      "Note    : b takes over from a",
      "Note    : The same call again.",
      "Note    : the call c1 did not stop and is left behind",
      "",
    ]);
  });
});

describe("the end of a run", () => {
  it("gives the answer, the counts and the status", () => {
    expect(endOf({ answer: "one\ntwo\n" })).toBe(
      "Answer  : one\n          two\nSteps   : 1 turn · 0 messages · 0 steps · 1,234 ms\nStatus  : completed (finished)\n",
    );
  });

  it("counts tokens where there are any", () => {
    expect(endOf({ usage: { inputTokens: 1_000, outputTokens: 234 } })).toContain(" ms · 1,234 tokens\n");
  });

  it("says what to do after a failure, with the option that does it", () => {
    const detail = serializeError(new ModelError("401 Incorrect API key", { code: "MODEL_AUTH" }));
    const text = endOf({
      status: "failed",
      stopReason: "failed",
      answer: "",
      error: detail.message,
      errorKind: detail.kind,
      errorCode: detail.code,
      errorDetail: detail,
    });
    expect(text).not.toContain("Answer");
    expect(text).toContain("Status  : failed (failed) · [model] MODEL_AUTH: 401 Incorrect API key\n");
    expect(text).toMatch(/\n {10}Next: .+\n/);
    expect(text).toMatch(/\n {10}Options: set OPENAI_API_KEY, .*--api-key-env NAME\n/);
  });

  it("says what lies at the bottom of a failure", () => {
    const refused = new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:1")]);
    const detail = serializeError(
      new ModelError("fetch failed", {
        code: "MODEL_NETWORK",
        cause: new TypeError("fetch failed", { cause: refused }),
      }),
    );
    const failure = { error: detail.message, errorKind: detail.kind, errorCode: detail.code, errorDetail: detail };
    const text = endOf({ status: "failed", stopReason: "failed", ...failure });
    expect(text).toContain("\n          Cause: connect ECONNREFUSED 127.0.0.1:1\n");
    const plain = serializeError(new ModelError("no", { code: "MODEL_NETWORK", cause: new Error("no") }));
    expect(endOf({ status: "failed", stopReason: "failed", error: "no", errorDetail: plain })).not.toContain("Cause:");
  });

  it("says that a run is not complete and how to get further", () => {
    const text = endOf({ stopReason: "maxSteps", incomplete: true, answer: "" });
    expect(text).toContain("Answer  : (none)\n");
    expect(text).toContain("Status  : completed (maxSteps) · incomplete\n");
    expect(text).toContain("Options: more turns: --steps N\n");
  });
});

describe("what is shown on a terminal", () => {
  const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

  it("shows control sequences instead of sending them", () => {
    expect(visibleText("a\u001b[2Jb\u0007\u202ec\r\nd\te")).toBe("a\\u001b[2Jb\\u0007\\u202ec\nd\te");
    expect(visibleLine("a\nb\tc\n", 100)).toBe("a⏎ b c");
  });

  it("leaves text of any language alone", () => {
    const text = "帮我算一下 👩‍👩‍👧 é שלום";
    expect(visibleText(text)).toBe(text);
  });

  it("lets nothing through that a terminal would obey, in whole or in pieces", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, cut) => {
        const at = cut % (text.length + 1);
        const toVisible = createVisiblePieces();
        const pieces = toVisible(text.slice(0, at)) + toVisible(text.slice(at)) + toVisible("|");
        expect(visibleText(text)).not.toMatch(obeyed);
        expect(pieces).not.toMatch(obeyed);
        expect(pieces).toBe(visibleText(`${text}|`));
      }),
    );
  });

  it("reaches the terminal harmless from every side", () => {
    const evil = "\u001b[2J\u001b]0;x\u0007";
    const { tell, end, text } = renderer();
    const call = { id: evil, name: evil, arguments: { a: evil } };
    tell("run:start", { input: evil });
    tell("model:delta", { text: evil });
    tell("model:reasoning", { text: evil });
    tell("step", {
      step: {
        ...times,
        type: "model",
        response: { content: evil, toolCalls: [call] },
        messageCount: 1,
        attempts: 1,
        model: evil,
      },
    });
    tell("step", { step: { ...times, type: "tool", call, result: { ok: true, value: evil }, attempts: 1 } });
    tell("step", {
      step: { ...times, type: "permission", callId: evil, tool: evil, decision: "deny", by: evil, reason: evil },
    });
    tell("limit:warning", { limit: evil, message: evil });
    tell("tool:abandoned", { callId: evil });
    tell("model:fallback", { from: evil, to: evil, code: "X" });
    end({
      ...completed,
      status: "failed",
      stopReason: "failed",
      answer: evil,
      error: evil,
      errorKind: "model",
      errorCode: "MODEL_UNKNOWN",
    });
    expect(text()).not.toMatch(obeyed);
  });
});
