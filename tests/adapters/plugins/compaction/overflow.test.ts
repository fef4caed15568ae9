import { assertWellFormed, ModelError, type ModelResponse } from "harness-kit";
import { compaction } from "harness-kit/compaction";
import { describe, expect, it } from "vitest";
import { type Behind, charTokens, DONE, lastSent, overflow, pass, said, system, turns, user } from "./kit.ts";

const task = user("Count the files.");
const history = [system("Be brief."), task, ...turns(10, 4_000)];
const exact = { countTokens: (text: string) => text.length };

/** Answers as each of these in turn; an error is thrown. */
function answers(...given: (ModelResponse | Error)[]): Pick<Behind, "answer"> {
  let asked = 0;
  return {
    answer: () => {
      const answer = given[asked++];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

describe("a request that overflows the model", () => {
  it("is asked once more, at most half as long", async () => {
    const whole = [system("Be brief."), task, ...turns(10, 10_000)];
    const passed = await pass(compaction({ ...exact, keepTurns: 2 }), whole, answers(overflow(), DONE));
    expect(passed.sent.map(({ messages }) => messages.length)).toEqual([22, 22]);
    expect(passed.sent[0]?.messages).toBe(whole);
    expect(passed.response).toBe(DONE);
    assertWellFormed(lastSent(passed));
    const tokens = { tokensBefore: charTokens(whole), tokensAfter: charTokens(lastSent(passed)) };
    expect(tokens.tokensAfter).toBeLessThan(tokens.tokensBefore / 2);
    expect(passed.notices).toEqual([
      { reason: "overflow", messagesBefore: 22, messagesAfter: 22, ...tokens, summarized: 0, dropped: 0, shortened: 8 },
    ]);
  });

  it("is summarised when shortening its old results is not enough", async () => {
    const long = [task, ...turns(20, 1_500)];
    const passed = await pass(compaction({ ...exact, keepTurns: 2 }), long, answers(overflow(), DONE));
    expect(passed.aside).toHaveLength(1);
    expect(passed.notices).toMatchObject([{ reason: "overflow", shortened: 0, dropped: 0 }]);
    expect(passed.notices[0]?.summarized).toBeGreaterThan(10);
    expect(charTokens(lastSent(passed))).toBeLessThanOrEqual(charTokens(long) / 2);
  });

  it("is recognised by whatever error says so", async () => {
    const errors = [
      new ModelError("Too long.", { code: "MODEL_CONTEXT_OVERFLOW" }),
      Object.assign(new Error("Payload Too Large"), { status: 413 }),
      Object.assign(new Error("prompt is too long: 210000 tokens > 200000 maximum"), { status: 400 }),
    ];
    for (const error of errors) {
      const passed = await pass(compaction(exact), history, answers(error, DONE));
      expect(passed.sent).toHaveLength(2);
    }
  });

  it("is recognised also in an error that came as an answer", async () => {
    const refusal = { error: { code: "context_length_exceeded", message: "Too long." } } as unknown as ModelResponse;
    const passed = await pass(compaction(exact), history, answers(refusal, DONE));
    expect(passed.response).toBe(DONE);
    expect(passed.notices).toHaveLength(1);
  });

  it("fails by the second overflow when it overflows again", async () => {
    const second = overflow();
    const behind = answers(overflow(), second, DONE);
    await expect(pass(compaction(exact), history, behind)).rejects.toBe(second);
  });

  it("fails as it did when nothing in it can be left out", async () => {
    const first = overflow();
    await expect(pass(compaction(exact), [task, said("Yes?"), user("Go.")], answers(first, DONE))).rejects.toBe(first);
    const refusal = { error: { code: "context_length_exceeded" } } as unknown as ModelResponse;
    const passed = await pass(compaction(exact), [task], answers(refusal, DONE));
    expect(passed.response).toBe(refusal);
    expect(passed.notices).toEqual([]);
  });

  it("is not repeated once a part of the answer was delivered", async () => {
    const first = overflow();
    const behind = { ...answers(first, DONE), delivered: 1 };
    await expect(pass(compaction(exact), history, behind)).rejects.toBe(first);
  });

  it("may follow a compaction by the limit, and is compacted further", async () => {
    const plugin = compaction({ ...exact, maxTokens: 30_000, keepTurns: 2 });
    const passed = await pass(plugin, history, answers(overflow(), DONE));
    expect(passed.notices.map(({ reason }) => reason)).toEqual(["limit", "overflow"]);
    const [limit, after] = passed.notices;
    expect(after?.tokensBefore).toBe(limit?.tokensAfter);
    expect(after?.messagesBefore).toBe(limit?.messagesAfter);
    expect(after?.tokensAfter).toBeLessThanOrEqual((limit?.tokensAfter ?? 0) / 2 + 20);
    assertWellFormed(lastSent(passed));
  });

  it("stays compacted in later turns, so that the model does not overflow again", async () => {
    const plugin = compaction({ ...exact, keepTurns: 2 });
    const first = await pass(plugin, history, answers(overflow(), DONE));
    const longer = [...history, said("Done."), user("And the folders?")];
    const second = await pass(plugin, longer);
    expect(second.notices).toEqual([]);
    expect(second.aside).toEqual([]);
    expect(lastSent(second)).toEqual([...lastSent(first), ...longer.slice(-2)]);
    expect(lastSent(second)[3]).toBe(lastSent(first)[3]);
  });

  it("aims at the target of the host when that is lower", async () => {
    const plugin = compaction({ ...exact, keepTurns: 2, targetTokens: 9_000 });
    const long = [task, ...turns(40, 1_500)];
    const passed = await pass(plugin, long, answers(overflow(), DONE));
    expect(passed.notices[0]?.tokensAfter).toBeLessThanOrEqual(9_000);
    const high = await pass(
      compaction({ ...exact, keepTurns: 2, targetTokens: 90_000 }),
      long,
      answers(overflow(), DONE),
    );
    expect(high.notices[0]?.tokensAfter).toBeLessThanOrEqual(charTokens(long) / 2);
    expect(high.notices[0]?.tokensAfter).toBeGreaterThan(9_000);
  });
});

describe("another failure of the model", () => {
  it("passes through unchanged, also one that is no error", async () => {
    const errors = [Object.assign(new Error("Overloaded"), { status: 503 }), new Error("Bug"), undefined, null, "no"];
    for (const error of errors) {
      const behind: Behind = { answer: () => Promise.reject(error) };
      await expect(pass(compaction(exact), history, behind)).rejects.toBe(error);
    }
  });

  it("that came as an answer is left to the runtime", async () => {
    const strange = [{ error: { message: "Overloaded" } }, { ...DONE, error: null }, {}];
    for (const answer of strange) {
      const passed = await pass(compaction(exact), history, answers(answer as unknown as ModelResponse));
      expect(passed.response).toBe(answer);
    }
  });
});
