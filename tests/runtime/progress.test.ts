import { describe, expect, it } from "vitest";
import { Progress, type Verdict } from "../../src/runtime/progress.ts";

type Answer = Parameters<Progress["judge"]>[0];

const answered = (more: Partial<Answer> = {}): Answer => {
  const { result = { ok: true, value: "a" } } = more;
  const text = result.ok ? String(result.value) : result.error;
  return { name: "look", args: { q: 1 }, result, text, changesWorld: false, ...more };
};
const failure = (error: string, more: object = {}) =>
  answered({ result: { ok: false, error, kind: "tool", retryable: false, code: "TOOL_THREW", ...more } as never });

function judged(calls: readonly Answer[], { failures = 100, identical = 100 } = {}): Verdict[] {
  const progress = new Progress({ consecutiveToolFailures: failures, identicalCalls: identical });
  return calls.map((call) => progress.judge(call));
}
const times = (count: number, make: (n: number) => Answer) => Array.from({ length: count }, (_, n) => make(n));
const actions = (verdicts: readonly Verdict[]) => verdicts.map(({ action }) => action);

describe("progress", () => {
  it("is lost where one call gives one result again and again: a note at the third, the end at the limit", () => {
    const verdicts = judged(
      times(5, () => answered()),
      { identical: 5 },
    );
    expect(actions(verdicts)).toEqual(["go", "go", "warn", "go", "end"]);
    expect(verdicts[2]).toEqual({
      action: "warn",
      limit: "identicalCalls",
      note:
        '[note: this call of "look" has now given the same result 3 times. ' +
        "Do something else, or answer with what you have; the run ends if it goes on.]",
    });
    expect(verdicts[4]).toMatchObject({
      error: {
        kind: "runtime",
        code: "RUN_NO_PROGRESS",
        detail: { limit: "identicalCalls", tool: "look", count: 5 },
        message:
          'The call of "look" gave the same result 5 times, so the run was ended. ' +
          "Change the task or the tool, or raise limits.identicalCalls if repeating is right.",
      },
    });
  });

  it("is no note away from its end where the limit is three or less, and goes on without a limit", () => {
    expect(
      actions(
        judged(
          times(3, () => answered()),
          { identical: 3 },
        ),
      ),
    ).toEqual(["go", "go", "end"]);
    expect(
      actions(
        judged(
          times(4, () => answered()),
          { identical: 4 },
        ),
      ),
    ).toEqual(["go", "go", "warn", "end"]);
    const endless = { identical: Number.POSITIVE_INFINITY, failures: Number.POSITIVE_INFINITY };
    expect(
      new Set(
        actions(
          judged(
            times(9, () => answered()),
            endless,
          ),
        ),
      ),
    ).toEqual(new Set(["go"]));
    expect(
      new Set(
        actions(
          judged(
            times(9, (n) => failure(`${n}`)),
            endless,
          ),
        ),
      ),
    ).toEqual(new Set(["go"]));
  });

  it("is there where the result, the arguments or the tool differ", () => {
    const different = times(9, (n) => answered({ result: { ok: true, value: n } }));
    const asked = times(9, (n) => answered({ args: { q: n } }));
    const named = times(9, (n) => answered({ name: `look${n}` }));
    for (const calls of [different, asked, named])
      expect(new Set(actions(judged(calls, { identical: 2 })))).toEqual(new Set(["go"]));
    const [first, second] = [answered({ args: { a: 1, b: 2 } }), answered({ args: { b: 2, a: 1 } })];
    expect(actions(judged([first, second], { identical: 2 }))).toEqual(["go", "end"]);
    expect(actions(judged([answered({ text: "x" }), failure("x"), answered({ text: "x" })], { identical: 2 }))).toEqual(
      ["go", "go", "end"],
    );
  });

  it("is made by whatever changes the world, if it succeeds", () => {
    const change = (ok: boolean) =>
      ok ? answered({ name: "write", changesWorld: true }) : { ...failure("no"), name: "write", changesWorld: true };
    expect(actions(judged([answered(), change(true), answered()], { identical: 2 }))).toEqual(["go", "go", "go"]);
    expect(actions(judged([answered(), change(false), answered()], { identical: 2 }))).toEqual(["go", "go", "end"]);
    expect(
      actions(judged([answered(), { ...change(true), changesWorld: false }, answered()], { identical: 2 })),
    ).toEqual(["go", "go", "end"]);
  });

  it("remembers eight results of a call", () => {
    const value = (n: number) => answered({ result: { ok: true, value: n } });
    const seen = times(8, value);
    expect(judged([...seen, value(0)], { identical: 2 }).at(-1)?.action).toBe("end");
    expect(judged([...seen, value(8), value(0)], { identical: 2 }).at(-1)?.action).toBe("go");
    expect(judged([...seen, value(8), value(1)], { identical: 2 }).at(-1)?.action).toBe("end");
  });

  it("is lost by failures in a row", () => {
    const verdicts = judged(
      times(5, (n) => failure(`no ${n}`)),
      { failures: 5 },
    );
    expect(actions(verdicts)).toEqual(["go", "go", "warn", "go", "end"]);
    expect(verdicts[2]).toEqual({
      action: "warn",
      limit: "consecutiveToolFailures",
      note: "[note: 3 tool calls in a row have failed. Try another way, or answer with what you have; the run ends if it goes on.]",
    });
    expect(verdicts[4]).toMatchObject({
      error: {
        code: "RUN_NO_PROGRESS",
        message: "5 tool calls in a row failed, so the run was ended. The last failure: no 4",
        detail: { limit: "consecutiveToolFailures", count: 5 },
      },
    });
    const broken = [
      failure("a"),
      failure("b"),
      answered({ result: { ok: true, value: 1 } }),
      failure("c"),
      failure("d"),
    ];
    expect(actions(judged(broken, { failures: 3 }))).toEqual(["go", "go", "go", "go", "go"]);
    expect(
      actions(
        judged(
          times(3, (n) => failure(`${n}`)),
          { failures: 3 },
        ),
      ),
    ).toEqual(["go", "go", "end"]);
  });

  it("is not lost by commands that end with an error: that says something about the command", () => {
    const exits = times(9, (n) => failure(`exit ${n}`, { code: "TOOL_PROCESS_EXIT" }));
    expect(new Set(actions(judged(exits, { failures: 3 })))).toEqual(new Set(["go"]));
  });

  it("is lost by three denials in a row", () => {
    const denied = (n: number) => failure(`not ${n}`, { kind: "permission", code: "PERMISSION_DENIED" });
    const verdicts = judged(times(3, denied));
    expect(actions(verdicts)).toEqual(["go", "go", "end"]);
    expect(verdicts[2]).toMatchObject({
      error: {
        kind: "permission",
        code: "PERMISSION_DENIED",
        message: "3 tool calls in a row were denied, so the run was ended. The last reason: not 2",
      },
    });
    expect(actions(judged([denied(1), denied(2), failure("x"), denied(3), denied(4)]))).toEqual([
      ...["go", "go", "warn", "go", "go"],
    ]);
    expect(actions(judged([denied(1), denied(2), answered(), denied(3), denied(4)]))).not.toContain("end");
  });
});
