import { assertWellFormed, type Message } from "harness-kit";
import { type CompactionOptions, compaction } from "harness-kit/compaction";
import { describe, expect, it } from "vitest";
import { charTokens, DONE, filler, lastSent, pass, said, system, turn, turns, user } from "./kit.ts";

/** A token per character, so that figures can be read off. */
const exact: CompactionOptions = { countTokens: (text) => text.length };

const task = user("Count the files.");
const textOf = (message: Message | undefined) => String(message?.content);

describe("a request within the limit", () => {
  it("is sent as it is, with no event", async () => {
    const history = [system("Be brief."), task, ...turns(6, 5_000)];
    const passed = await pass(compaction({ maxTokens: 100_000 }), history);
    expect(passed.sent[0]?.messages).toBe(history);
    expect(passed.response).toBe(DONE);
    expect(passed.notices).toEqual([]);
  });

  it("may have exactly as many tokens as the limit says", async () => {
    // 4 tokens a message beside its text.
    const history = [system("ssss"), user("uuuuuu"), said("aa")];
    const at = (maxTokens: number) => pass(compaction({ ...exact, maxTokens, keepTurns: 1 }), history);
    expect((await at(24)).sent[0]?.messages).toBe(history);
    const counted: string[] = [];
    await pass(compaction({ maxTokens: 24, countTokens: (text) => counted.push(text) * 0 }), history);
    expect(counted).toEqual(["ssss", "uuuuuu", "aa"]);
  });

  it("counts its tools, their results, calls, reasoning and images", async () => {
    const read: Message = {
      role: "assistant",
      content: "cc",
      toolCalls: [{ id: "1", name: "read", arguments: { a: 1 } }],
      reasoning: [{ text: "hmm", data: "opaque" }],
    };
    const result: Message = { role: "tool", toolCallId: "1", name: "read", content: "rrr" };
    const pictured: Message = {
      role: "user",
      content: [
        { type: "text", text: "see" },
        { type: "image", url: `data:image/png;base64,${"A".repeat(10_000)}` },
      ],
    };
    const tool = { name: "read", description: "Reads.", parameters: { type: "object" } };
    const texts: string[] = [];
    const counted = compaction({
      maxTokens: 1_000,
      imageTokens: 7,
      countTokens: (text) => texts.push(text) * 0 + text.length,
    });
    await pass(counted, [pictured, read, result], { tools: [tool] });
    expect(texts.sort()).toEqual(
      [JSON.stringify(tool), '"opaque"', "cc", "hmm", "read", "read", "rrr", "see", '{"a":1}'].sort(),
    );
    const tokens = texts.join("").length + 3 * 4 + 2 * 8 + 7;
    const passes = async (maxTokens: number) => {
      const options = { ...exact, maxTokens, imageTokens: 7, keepTurns: 1 };
      // What is too large is shown by the summary that is tried.
      const old = [...turns(2, 200), pictured, read, result];
      const extra = 2 * (4 + 8 + "read".length + '{"path":"c0"}'.length + 4 + "read".length + 200);
      return (
        (await pass(compaction({ ...options, maxTokens: maxTokens + extra }), old, { tools: [tool] })).notices
          .length === 0
      );
    };
    expect(await passes(tokens)).toBe(true);
    expect(await passes(tokens - 1)).toBe(false);
  });

  it("counts the schema of the answer that it asks for", async () => {
    const texts: string[] = [];
    const plugin = compaction({ maxTokens: 1_000, countTokens: (text) => texts.push(text) * 0 });
    const schema = { type: "object" };
    const request = { messages: [task], tools: [], settings: { responseFormat: { name: "a", schema } } };
    const context = { signal: new AbortController().signal, attempt: 1, runId: "r", delivered: 0, compacted: () => {} };
    await plugin.wrapModel?.(request, async () => DONE, context);
    await plugin.wrapModel?.(request, async () => DONE, context);
    expect(texts.sort()).toEqual([task.content, JSON.stringify(schema)].sort());
  });

  it("has each of its messages counted once, however many turns there are", async () => {
    const texts: string[] = [];
    const plugin = compaction({ maxTokens: 1_000_000, countTokens: (text) => texts.push(text) * 0 });
    const history = [task, ...turns(50, 100)];
    for (let turn = 1; turn <= history.length; turn += 2) await pass(plugin, history.slice(0, turn));
    expect(texts.filter((text) => text === filler(100, 3))).toHaveLength(1);
    expect(texts).toHaveLength(1 + 50 * 4);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "12", undefined])(
    "fails by name when the counter gives %s",
    async (tokens) => {
      const plugin = compaction({ maxTokens: 10, countTokens: () => tokens as number });
      await expect(pass(plugin, [task])).rejects.toThrow(/countTokens gave .* 16 characters. Return a number/);
    },
  );
});

describe("a request above the limit", () => {
  it("first loses the middle of old tool results, and nothing of the newest turns", async () => {
    const history = [system("Be brief."), task, ...turns(6, 4_000)];
    const passed = await pass(compaction({ ...exact, maxTokens: 21_000, keepTurns: 4 }), history);
    const sent = lastSent(passed);
    expect(sent).toHaveLength(history.length);
    for (const index of [3, 5]) {
      expect(textOf(sent[index])).toMatch(
        /^\d: lorem[^[]*\n\[\.\.\. 2,0\d\d of 4,000 characters omitted \.\.\.\]\n.* ipsum l$/s,
      );
      expect(textOf(sent[index])).toHaveLength(2_000);
      expect(sent[index]).toMatchObject({ role: "tool", name: "read" });
      expect(Object.isFrozen(sent[index])).toBe(true);
    }
    for (const index of [0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13]) expect(sent[index]).toBe(history[index]);
    expect(passed.aside).toEqual([]);
    expect(passed.notices).toMatchObject([
      { reason: "limit", messagesBefore: 14, messagesAfter: 14, summarized: 0, dropped: 0, shortened: 2 },
    ]);
    const [notice] = passed.notices;
    expect((notice?.tokensBefore ?? 0) - (notice?.tokensAfter ?? 0)).toBe(4_000);
    expect(Object.keys(notice ?? {})).not.toContain("error");
  });

  it("keeps results that are as long as they may be", async () => {
    const history = [task, ...turn({ a: filler(500), b: filler(501) }), ...turns(1, 1_000)];
    const passed = await pass(
      compaction({ ...exact, maxTokens: charTokens(history) - 1, keepTurns: 1, resultChars: 500 }),
      history,
    );
    expect(lastSent(passed)[2]).toBe(history[2]);
    expect(textOf(lastSent(passed)[3])).toMatch(/ of 501 characters omitted /);
    expect(passed.notices[0]?.shortened).toBe(1);
  });

  it("keeps a failure a failure when it is shortened", async () => {
    const [asked, answer] = turn({ a: filler(1_000) });
    const failure = { ...answer, isError: true } as Message;
    const history = [task, asked as Message, failure, ...turns(1, 100)];
    const passed = await pass(compaction({ ...exact, maxTokens: 600, keepTurns: 1, resultChars: 100 }), history);
    expect(lastSent(passed)[2]).toMatchObject({ role: "tool", toolCallId: "a", isError: true });
  });

  it("leaves the images of old results out with a note", async () => {
    const [asked] = turn({ a: "" });
    const image = { type: "image", url: "https://example.org/a.png" } as const;
    const pictured: Message = {
      role: "tool",
      toolCallId: "a",
      name: "read",
      content: [{ type: "text", text: "see" }, image, image],
    };
    const bare: Message = { ...pictured, content: [image] };
    for (const [result, expected] of [
      [pictured, "see\n[image left out]\n[image left out]"],
      [bare, "[image left out]"],
    ] as const) {
      const history = [task, asked as Message, result, ...turns(1, 100)];
      const passed = await pass(compaction({ ...exact, maxTokens: 900, imageTokens: 1_000, keepTurns: 1 }), history);
      expect(textOf(lastSent(passed)[2])).toBe(expected);
      expect(passed.notices).toMatchObject([{ shortened: 1, summarized: 0 }]);
    }
  });

  it("then has its oldest turns summarised by the model, asked aside and without tools", async () => {
    const history = [system("Be brief."), task, ...turns(10, 1_000), user("And now?")];
    const passed = await pass(compaction({ ...exact, maxTokens: 8_000 }), history);
    const sent = lastSent(passed);
    expect(passed.aside).toHaveLength(1);
    expect(passed.aside[0]).toMatchObject({ tools: [], messages: [{ role: "system" }, { role: "user" }] });
    expect(passed.aside[0]?.settings).toBeUndefined();
    expect(sent[0]).toBe(history[0]);
    expect(sent[1]?.role).toBe("user");
    expect(textOf(sent[1])).toMatch(/^\[\d+ earlier messages of this conversation were replaced by a summary/);
    expect(textOf(sent[1])).toContain(
      "The user's first message:\nCount the files.\n\nTools called in them:\nread (6 times)",
    );
    expect(textOf(sent[1])).toMatch(/\n\nSummary of them:\nThe summary\.$/);
    expect(sent.slice(2)).toEqual(history.slice(-(sent.length - 2)));
    assertWellFormed(sent);
    const covered = history.length - 1 - (sent.length - 2);
    expect(passed.notices).toMatchObject([
      {
        reason: "limit",
        messagesBefore: 23,
        messagesAfter: sent.length,
        summarized: covered,
        dropped: 0,
        shortened: 0,
      },
    ]);
    expect(passed.notices[0]?.tokensAfter).toBe(charTokens(sent));
    expect(passed.notices[0]?.tokensBefore).toBe(charTokens(history));
  });

  it("summarises no more than it takes to reach the target", async () => {
    const history = [task, ...turns(20, 1_000)];
    const lengths: number[] = [];
    for (const targetTokens of [18_000, 14_000, 10_000, 7_000, 100]) {
      const passed = await pass(compaction({ ...exact, maxTokens: 19_000, targetTokens, keepTurns: 2 }), history);
      lengths.push(lastSent(passed).length);
      if (targetTokens > 100) expect(passed.notices[0]?.tokensAfter).toBeLessThanOrEqual(targetTokens);
    }
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect(new Set(lengths).size).toBe(lengths.length);
    // A note and two turns.
    expect(lengths.at(-1)).toBe(5);
  });

  it("keeps the newest turns and the user messages right before them", async () => {
    const tail = [user("One more thing."), user("Please."), ...turns(2, 500, "new"), user("Go on.")];
    const history = [task, ...turns(8, 500), ...tail];
    const passed = await pass(compaction({ ...exact, maxTokens: 3_000, targetTokens: 1, keepTurns: 2 }), history);
    expect(lastSent(passed).slice(1)).toEqual(tail);
  });

  it("shows the summarising model every call, result and word of what it is to summarise", async () => {
    const [asked, answer] = turn({ x: "It is broken." }, "I look.");
    const failure = { ...answer, isError: true } as Message;
    const picture: Message = { role: "user", content: [{ type: "image", url: "https://example.org/a.png" }] };
    const history = [
      task,
      ...turn({ a: "First.", b: "Second." }),
      asked as Message,
      failure,
      picture,
      ...turns(9, 1_000),
    ];
    const passed = await pass(compaction({ ...exact, maxTokens: 7_000, keepTurns: 1 }), history);
    const text = textOf(passed.aside[0]?.messages[1]);
    for (const part of [
      '[user]\nCount the files.\n\n[calls read]\n{"path":"a"}\n\n[calls read]\n{"path":"b"}\n\n[result of read]\nFirst.',
      '[result of read]\nSecond.\n\n[assistant]\nI look.\n\n[calls read]\n{"path":"x"}\n\n[failure of read]\nIt is broken.',
      "[user]\n[image]",
    ])
      expect(text).toContain(part);
    expect(text).toMatch(
      /^<record>\n.*\n<\/record>\n\nSummarise this record, oldest first, in at most 1500 tokens\.$/s,
    );
  });

  it("shortens the longest entries of the transcript first, so that all of it fits", async () => {
    const short = turns(30, 100, "short");
    const history = [task, ...turn({ long: "x".repeat(100_000) }), ...short, ...turns(1, 100, "new")];
    const options = { ...exact, maxTokens: 12_000, keepTurns: 1, resultChars: 50_000 };
    const passed = await pass(compaction({ ...options, targetTokens: 1 }), history);
    const text = textOf(passed.aside[0]?.messages[1]);
    expect(text.length).toBeLessThan(12_000);
    for (const message of short) if (message.role === "tool") expect(text).toContain(`\n${textOf(message)}\n`);
    expect(text).toMatch(/xxx\n\[\.\.\. [\d,]+ of 50,0\d\d characters omitted \.\.\.\]\nxxx/);
  });

  it("cuts the transcript in its middle where not even the least of every entry has room", async () => {
    const history = [task, ...turns(400, 60), ...turns(1, 100, "new")];
    const passed = await pass(compaction({ ...exact, maxTokens: 4_000, keepTurns: 1, targetTokens: 1 }), history);
    const text = textOf(passed.aside[0]?.messages[1]);
    expect(text.length).toBeLessThan(4_000);
    expect(text).toMatch(/^<record>\n\[user\]\nCount the files\..*characters omitted.*<\/record>/s);
  });

  it("keeps of a summary what has room", async () => {
    const history = [task, ...turns(10, 1_000)];
    const long = "s".repeat(50_000);
    const options = { ...exact, maxTokens: 8_000, summaryTokens: 300 };
    const passed = await pass(compaction(options), history, { summary: () => ({ ...DONE, content: long }) });
    const note = textOf(lastSent(passed)[0]);
    expect(note).toMatch(/Summary of them:\ns+\n\[\.\.\. [\d,]+ of 50,000 characters omitted \.\.\.\]\ns+$/);
    expect(note.length).toBeLessThan(700);
    expect(textOf(passed.aside[0]?.messages[1])).toContain("at most 300 tokens");
  });

  it("keeps the first and the latest message of the user word by word, as far as there is room", async () => {
    const history = [
      user(`Begin. ${"w".repeat(5_000)} End.`),
      ...turns(5, 800),
      user("Only in src."),
      ...turns(9, 800),
    ];
    const passed = await pass(compaction({ ...exact, maxTokens: 9_600, keepTurns: 1, targetTokens: 2_000 }), history);
    const note = textOf(lastSent(passed)[0]);
    expect(note).toMatch(/The user's first message:\nBegin\. w+\n\[\.\.\. .* omitted \.\.\.\]\nw+ End\.\n\n/);
    expect(note).toContain("The user's latest message among them:\nOnly in src.\n\n");
    expect(note.length).toBeLessThan(1_600);
  });

  it("says of a picture of the user's that it is left out", async () => {
    const picture: Message = {
      role: "user",
      content: [
        { type: "text", text: "See here." },
        { type: "image", url: "https://example.org/a.png" },
      ],
    };
    const passed = await pass(compaction({ ...exact, maxTokens: 5_000, keepTurns: 1 }), [picture, ...turns(8, 900)]);
    expect(textOf(lastSent(passed)[0])).toContain("The user's first message:\nSee here.\n[image left out]\n\n");
  });

  it("names at most ten tools", async () => {
    const call = (name: string, id: string): Message[] => [
      { role: "assistant", content: "", toolCalls: [{ id, name, arguments: {} }] },
      { role: "tool", toolCallId: id, name, content: filler(500) },
    ];
    const many = Array.from({ length: 12 }, (_, index) => call(`t${index}`, `c${index}`)).flat();
    const options = { ...exact, maxTokens: 5_000, targetTokens: 1, keepTurns: 1 };
    const passed = await pass(compaction(options), [task, ...many, ...call("t0", "again"), ...turns(1, 500)]);
    expect(textOf(lastSent(passed)[0])).toContain(
      "Tools called in them:\nt0 (2 times), t1, t2, t3, t4, t5, t6, t7, t8, t9, 2 other tools\n\n",
    );
  });

  it("keeps system messages that stand among old turns", async () => {
    const rule = system("From now on answer in French.");
    const history = [task, ...turns(4, 1_000), rule, ...turns(6, 1_000, "d")];
    const passed = await pass(compaction({ ...exact, maxTokens: 8_000, keepTurns: 1, targetTokens: 1 }), history);
    expect(lastSent(passed)[0]).toBe(rule);
    expect(textOf(lastSent(passed)[1])).toMatch(/^\[19 earlier messages/);
    expect(textOf(passed.aside[0]?.messages[1])).not.toContain("French");
    expect(passed.notices[0]?.summarized).toBe(19);
  });

  it("at last loses the middle of the newest results, no more than it must", async () => {
    const [first, second] = [turn({ a: filler(40_000) }), turn({ b: filler(3_000) })];
    const history = [task, ...first, ...second];
    const passed = await pass(compaction({ ...exact, maxTokens: 14_000 }), history);
    expect(textOf(lastSent(passed)[2])).toHaveLength(10_000);
    expect(lastSent(passed)[4]).toBe(history[4]);
    expect(passed.notices).toMatchObject([{ shortened: 1, summarized: 0 }]);
    expect(passed.aside).toEqual([]);
  });

  it("keeps the newest images as long as shorter text is enough", async () => {
    const [asked] = turn({ a: "" });
    const image = { type: "image", url: "https://example.org/a.png" } as const;
    const result = (chars: number): Message => ({
      role: "tool",
      toolCallId: "a",
      name: "read",
      content: [{ type: "text", text: filler(chars) }, image],
    });
    const shown = async (maxTokens: number) => {
      const options = { ...exact, maxTokens, imageTokens: 500, resultChars: 1_000 };
      return lastSent(await pass(compaction(options), [task, asked as Message, result(10_000)]))[2]?.content;
    };
    expect(await shown(6_000)).toEqual([{ type: "text", text: expect.stringMatching(/ omitted /) }, image]);
    expect(await shown(1_200)).toMatch(/ omitted .*\[image left out\]$/s);
  });

  it("is sent as it is when nothing in it can be left out", async () => {
    const history = [system("s".repeat(500)), user("u".repeat(500)), said("a".repeat(500)), user("Go on.")];
    const passed = await pass(compaction({ ...exact, maxTokens: 100 }), history);
    expect(passed.sent[0]?.messages).toBe(history);
    expect(passed.notices).toEqual([]);
    expect(passed.aside).toEqual([]);
  });

  it("is not summarised when a note would hardly be shorter", async () => {
    const history = [task, ...turns(2, 20), ...turns(1, 50, "new")];
    const passed = await pass(compaction({ ...exact, maxTokens: 60, keepTurns: 1 }), history);
    expect(passed.sent[0]?.messages).toBe(history);
    expect(passed.aside).toEqual([]);
  });
});
