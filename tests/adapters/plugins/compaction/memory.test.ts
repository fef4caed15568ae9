import { assertWellFormed, type Message } from "harness-kit";
import { type CompactionOptions, compaction } from "harness-kit/compaction";
import { describe, expect, it } from "vitest";
import { DONE, lastSent, overflow, pass, quarter, SUMMARY, system, turns, user } from "./kit.ts";

const task = user("Count the files.");
const tight: CompactionOptions = { maxTokens: 3_000, keepTurns: 2, countTokens: quarter };
const numbered = () => {
  let count = 0;
  return () => ({ ...SUMMARY, content: `Summary ${++count}.` });
};

describe("a summary", () => {
  it("is made once and used in all later turns, until there is no room again", async () => {
    const plugin = compaction(tight);
    const whole = [task, ...turns(40, 1_000)];
    const behind = { summary: numbered() };
    const compacted: number[] = [];
    let asked = 0;
    for (let length = 3; length <= whole.length; length += 2) {
      const passed = await pass(plugin, whole.slice(0, length), behind);
      assertWellFormed(lastSent(passed));
      asked += passed.aside.length;
      expect(passed.notices.length).toBe(passed.aside.length);
      if (passed.notices.length > 0) compacted.push(length);
      expect(lastSent(passed).at(-1)).toBe(whole[length - 1]);
    }
    // 3,000 tokens are eleven turns, and each compaction makes room for five or so.
    expect(asked).toBe(compacted.length);
    expect(asked).toBeGreaterThanOrEqual(4);
    expect(asked).toBeLessThanOrEqual(12);
    const gaps = compacted.slice(1).map((length, index) => length - (compacted[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(4);
  });

  it("leaves the beginning of later requests as it was, so that a provider's cache fits", async () => {
    const plugin = compaction(tight);
    const whole = [system("Be brief."), task, ...turns(14, 1_000)];
    const first = lastSent(await pass(plugin, whole.slice(0, -4)));
    const second = lastSent(await pass(plugin, whole.slice(0, -2)));
    expect(second.slice(0, first.length)).toEqual(first);
    for (const [index, message] of first.entries()) expect(second[index]).toBe(message);
    expect(second).toHaveLength(first.length + 2);
  });

  it("of a summary and newer turns takes over what is kept word by word", async () => {
    const plugin = compaction({ ...tight, maxTokens: 4_000 });
    const before = [task, ...turns(12, 1_000), user("Only in src."), ...turns(4, 1_000, "d")];
    const behind = { summary: numbered() };
    await pass(plugin, before, behind);
    const after = await pass(plugin, [...before, ...turns(14, 1_000, "e")], behind);
    const note = String(lastSent(after)[0]?.content);
    expect(note).toContain("The user's first message:\nCount the files.\n\n");
    expect(note).toContain("The user's latest message among them:\nOnly in src.\n\n");
    expect(note).toContain("Summary of them:\nSummary 2.");
    expect(String(after.aside[0]?.messages[1]?.content)).toContain("Summary of them:\nSummary 1.");
    const covered = Number(/^\[(\d+) earlier/.exec(note)?.[1]);
    const calls = Number(/read \((\d+) times\)/.exec(note)?.[1]);
    expect(lastSent(after)).toHaveLength(1 + before.length + 28 - covered);
    expect(calls * 2 + 2).toBe(covered);
  });

  it("belongs to its history: another one that is equal gets its own", async () => {
    const plugin = compaction(tight);
    const behind = { summary: numbered() };
    const once = await pass(plugin, [task, ...turns(12, 1_000)], behind);
    const twice = await pass(plugin, [task, ...turns(12, 1_000)], behind);
    expect(String(lastSent(once)[0]?.content)).toContain("Summary 1.");
    expect(String(lastSent(twice)[0]?.content)).toContain("Summary 2.");
  });

  it("is not used when something else stands before its last message", async () => {
    const plugin = compaction(tight);
    const whole = [task, ...turns(12, 1_000)];
    const behind = { summary: numbered() };
    await pass(plugin, whole, behind);
    const changed: Message[][] = [
      [user("Another task."), ...whole.slice(1)],
      whole.slice(2),
      [user("More."), ...whole],
    ];
    for (const messages of changed) {
      const passed = await pass(plugin, messages, behind);
      expect(passed.aside).toHaveLength(1);
    }
  });

  it("is made once for two tries of the same call", async () => {
    const plugin = compaction(tight);
    const whole = [task, ...turns(12, 1_000)];
    let tries = 0;
    const answer = () => {
      if (++tries === 1) throw Object.assign(new Error("Overloaded"), { status: 503 });
      return DONE;
    };
    await expect(pass(plugin, whole, { answer })).rejects.toThrow("Overloaded");
    const second = await pass(plugin, whole, { answer });
    expect(second.aside).toEqual([]);
    expect(second.notices).toEqual([]);
    expect(lastSent(second)[0]).toMatchObject({ content: expect.stringContaining("The summary.") });
  });
});

describe("what a summary used", () => {
  const used = { ...SUMMARY, usage: { inputTokens: 700, outputTokens: 50, cachedInputTokens: 20, reasoningTokens: 5 } };
  const whole = [task, ...turns(12, 1_000)];

  it("is added to the usage of the answer", async () => {
    const usage = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 7 };
    const answer = () => ({ ...DONE, usage });
    const passed = await pass(compaction(tight), whole, { answer, summary: () => used });
    expect(passed.response).toEqual({
      ...DONE,
      usage: { inputTokens: 800, outputTokens: 60, cachedInputTokens: 27, reasoningTokens: 5 },
    });
  });

  it("is the usage of an answer that has none, and what is no count is nothing", async () => {
    const passed = await pass(compaction(tight), whole, { summary: () => used });
    expect(passed.response.usage).toEqual(used.usage);
    const strange = { inputTokens: "12", outputTokens: -1, cachedInputTokens: Number.NaN, reasoningTokens: 2 ** 60 };
    const bad = await pass(compaction(tight), whole, { summary: () => ({ ...SUMMARY, usage: strange }) });
    expect(bad.response.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    for (const usage of [undefined, null, "many"]) {
      const none = await pass(compaction(tight), whole, { summary: () => ({ ...SUMMARY, usage }) });
      expect(none.response).toBe(DONE);
    }
  });

  it("is counted once, also when the answer comes at a later try or in a later turn", async () => {
    const plugin = compaction(tight);
    const refused = { answer: () => Promise.reject(new Error("x")), summary: () => used };
    await expect(pass(plugin, whole, refused)).rejects.toThrow("x");
    const next = await pass(plugin, whole);
    expect(next.response.usage).toEqual(used.usage);
    expect((await pass(plugin, [...whole, ...turns(1, 10, "d")])).response).toBe(DONE);
  });

  it("is counted when nothing came of it", async () => {
    const empty = { ...used, content: "" };
    const passed = await pass(compaction(tight), whole, { summary: () => empty });
    expect(passed.response.usage).toEqual(used.usage);
  });

  it("is added up over two summaries of one call", async () => {
    const options = { maxTokens: 12_000, keepTurns: 1, summaryTokens: 100, countTokens: quarter };
    let tries = 0;
    const answer = () => {
      if (++tries === 1) throw overflow();
      return DONE;
    };
    const passed = await pass(compaction(options), [task, ...turns(60, 1_000)], { answer, summary: () => used });
    expect(passed.aside).toHaveLength(2);
    expect(passed.response.usage).toMatchObject({ inputTokens: 1_400, outputTokens: 100 });
  });
});

describe("the memory of a plugin", () => {
  it("holds neither histories nor summaries that nobody else holds", async () => {
    if (globalThis.gc === undefined) {
      const { setFlagsFromString } = await import("node:v8");
      const { runInNewContext } = await import("node:vm");
      setFlagsFromString("--expose-gc");
      globalThis.gc = runInNewContext("gc") as typeof globalThis.gc;
    }
    const plugin = compaction(tight);
    const held: WeakRef<object>[] = [];
    const use = async () => {
      const whole = [user("Count."), ...turns(12, 1_000)];
      const passed = await pass(plugin, whole);
      const longer = await pass(plugin, [...whole, ...turns(12, 1_000, "d")]);
      for (const message of [...whole, ...lastSent(passed), ...lastSent(longer)]) held.push(new WeakRef(message));
    };
    for (let round = 0; round < 5; round++) await use();
    let alive = held.length;
    for (let round = 0; round < 20 && alive > 0; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      globalThis.gc?.();
      alive = held.filter((ref) => ref.deref() !== undefined).length;
    }
    expect(alive).toBe(0);
    expect(plugin.name).toBe("compaction");
  });
});
