import fc from "fast-check";
import { assertWellFormed, type Message, type ModelResponse, type Part, type ToolMessage } from "harness-kit";
import { type CompactionOptions, compaction } from "harness-kit/compaction";
import { describe, expect, it } from "vitest";
import { DONE, lastSent, overflow, pass, SUMMARY, user } from "./kit.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), fc.nat(150))
    .map(([unit, times]) => unit.repeat(times)),
);
const parts = fc.array(
  fc.oneof(
    text.map((words): Part => ({ type: "text", text: words })),
    fc.constant<Part>({ type: "image", url: "https://example.org/a.png" }),
  ),
  { minLength: 1, maxLength: 3 },
);
const content = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: parts });
const call = fc.record({
  name: fc.constantFrom("read", "grep", "bash"),
  args: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
  result: content,
  isError: fc.boolean(),
});
const block = fc.oneof(
  { weight: 2, arbitrary: fc.record({ role: fc.constantFrom("user", "user", "user", "system"), content }) },
  {
    weight: 1,
    arbitrary: fc.record({ role: fc.constant("assistant"), content: text.filter((words) => words !== "") }),
  },
  { weight: 4, arbitrary: fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }), content: text }) },
);

/** A history that a run could have come to: it begins with what the user wants, and every call has its result. */
const histories: fc.Arbitrary<readonly Message[]> = fc
  .tuple(fc.boolean(), text, fc.array(block, { maxLength: 25 }))
  .map(([hasSystem, task, blocks]) => {
    const messages: Message[] = [...(hasSystem ? [{ role: "system", content: "Be brief." } as const] : []), user(task)];
    for (const [at, entry] of blocks.entries()) {
      if (!("calls" in entry)) {
        messages.push(entry as Message);
        continue;
      }
      const ids = entry.calls.map((_call, index) => `${at}-${index}`);
      const toolCalls = entry.calls.map(({ name, args }, index) => ({ id: ids[index] ?? "", name, arguments: args }));
      messages.push({ role: "assistant", content: entry.content, toolCalls });
      for (const [index, { name, result, isError }] of entry.calls.entries()) {
        messages.push({ role: "tool", toolCallId: ids[index] ?? "", name, content: result, isError });
      }
    }
    return messages.map((message) => Object.freeze(message));
  });

const options = fc.record({
  maxTokens: fc.integer({ min: 1, max: 4_000 }),
  keepTurns: fc.integer({ min: 1, max: 5 }),
  resultChars: fc.integer({ min: 100, max: 500 }),
  summaryTokens: fc.integer({ min: 1, max: 400 }),
  imageTokens: fc.nat(300),
  countTokens: fc.constantFrom(
    undefined,
    (words: string) => words.length,
    (words: string) => Math.ceil(words.length / 3),
  ),
});

const summaries = fc.constantFrom<() => ModelResponse>(
  () => SUMMARY,
  () => ({ ...SUMMARY, content: "long ".repeat(2_000) }),
  () => ({ ...SUMMARY, content: "" }),
  () => {
    throw new Error("no summary");
  },
);

/** What stands in a request of a message of the history: itself, or the same with a shorter result. */
function standsFor(sent: Message, message: Message): boolean {
  if (sent === message) return true;
  if (sent.role !== "tool" || message.role !== "tool") return false;
  const { content: _short, ...facts } = sent;
  const { content: _whole, ...others } = message as ToolMessage;
  return JSON.stringify(facts) === JSON.stringify(others);
}

/** Checks that a request is the head of the history, at most one note, and the rest of the history in its order. */
function expectFaithful(sent: readonly Message[], history: readonly Message[]): void {
  assertWellFormed(sent);
  const notes = sent.filter((message) => !history.some((known) => standsFor(message, known)));
  expect(notes.length).toBeLessThanOrEqual(1);
  for (const note of notes)
    expect(note).toMatchObject({ role: "user", content: expect.stringMatching(/^\[\d+ earlier messages/) });
  let at = 0;
  for (const message of sent) {
    if (notes.includes(message)) continue;
    while (at < history.length && !standsFor(message, history[at] as Message)) at++;
    expect(at).toBeLessThan(history.length);
    at++;
  }
  const at0 = sent.findIndex((message) => notes.includes(message));
  // After the note nothing is missing.
  if (at0 !== -1) expect(sent.length - at0 - 1).toBeLessThan(history.length);
  for (const message of history) if (message.role === "system") expect(sent).toContain(message);
  expect(sent.at(-1)).toSatisfy((last: Message) => standsFor(last, history.at(-1) as Message));
}

describe("a compacted request", () => {
  it("is well formed, in order, and within the limit or as small as it can be", async () => {
    await fc.assert(
      fc.asyncProperty(histories, options, summaries, async (history, chosen, summary) => {
        const passed = await pass(compaction(chosen), history, { summary });
        const sent = lastSent(passed);
        expectFaithful(sent, history);
        const [notice] = passed.notices;
        if (notice === undefined) {
          expect(sent).toBe(history);
          return;
        }
        expect(passed.notices).toHaveLength(1);
        expect(notice.tokensBefore).toBeGreaterThan(chosen.maxTokens);
        expect(notice.messagesAfter).toBe(sent.length);
        expect(history.length - sent.length).toBe(Math.max(0, notice.summarized + notice.dropped - 1));
        if (notice.tokensAfter <= chosen.maxTokens) return;
        for (const { role, content: shown } of sent) {
          if (role !== "tool") continue;
          const shownText = typeof shown === "string" ? shown : "";
          expect(shownText.length).toBeLessThanOrEqual(chosen.resultChars);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is the same when it is compacted again, by the same plugin or by a new one", async () => {
    await fc.assert(
      fc.asyncProperty(histories, options, summaries, async (history, chosen, summary) => {
        const plugin = compaction(chosen);
        const once = lastSent(await pass(plugin, history, { summary }));
        for (const again of [plugin, compaction(chosen)]) {
          const twice = await pass(again, once, { summary });
          expect(twice.sent[0]?.messages).toBe(once);
          expect(twice.aside).toEqual([]);
          expect(twice.notices).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is the same for the same messages, whoever sends them", async () => {
    await fc.assert(
      fc.asyncProperty(histories, options, async (history, chosen) => {
        const plugin = compaction(chosen);
        const first = await pass(plugin, history);
        const second = await pass(plugin, history);
        const other = await pass(compaction(chosen), history);
        expect(lastSent(second)).toEqual(lastSent(first));
        expect(lastSent(other)).toEqual(lastSent(first));
        expect(other.notices).toEqual(first.notices);
        expect(second.aside).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("is well formed in every turn of a growing history, and the history is never touched", async () => {
    await fc.assert(
      fc.asyncProperty(histories, options, summaries, async (history, chosen, summary) => {
        const plugin = compaction(chosen);
        const before = JSON.stringify(history);
        for (let length = 1; length <= history.length; length++) {
          if (history[length]?.role === "tool") continue;
          const soFar = history.slice(0, length);
          const passed = await pass(plugin, soFar, { summary });
          expectFaithful(lastSent(passed), soFar);
          expect(passed.aside.length).toBeLessThanOrEqual(1);
        }
        expect(JSON.stringify(history)).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it("after an overflow is smaller than the one that overflowed, or there is none", async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.record({ ...{ keepTurns: fc.integer({ min: 1, max: 3 }) } }),
        summaries,
        async (history, chosen, summary) => {
          let asked = 0;
          const first = overflow();
          const answer = () => {
            if (++asked === 1) throw first;
            return DONE;
          };
          const settings: CompactionOptions = { ...chosen, resultChars: 100, countTokens: (words) => words.length };
          const passed = await pass(compaction(settings), history, { answer, summary }).catch(
            (error: unknown) => error,
          );
          if (passed === first) return;
          const { sent, notices } = passed as Awaited<ReturnType<typeof pass>>;
          expect(sent).toHaveLength(2);
          expectFaithful(sent[1]?.messages ?? [], history);
          expect(notices[0]?.tokensAfter).toBeLessThan(notices[0]?.tokensBefore ?? 0);
        },
      ),
      { numRuns: 120 },
    );
  });
});
