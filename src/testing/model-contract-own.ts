/**
 * The model contract for models that bring their own answers: what holds whatever they say.
 *
 * Testing wing (Node).
 */
import type { Message } from "../contract/message.ts";
import type { ModelResponse } from "../contract/model.ts";
import { RuntimeError } from "../errors/index.ts";
import {
  addTool,
  answerOf,
  ask,
  type ContractCase,
  type ContractKit,
  settled,
  type Way,
} from "./model-contract-kit.ts";

const HISTORY: readonly Message[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "What is 17 + 38?" },
  { role: "assistant", content: "", toolCalls: [{ id: "call_one", name: "add", arguments: { a: 17, b: 38 } }] },
  { role: "tool", toolCallId: "call_one", name: "add", content: "55" },
];

const REQUESTS = {
  "a question": ask("What is 17 + 38?"),
  "a question with tools and a system prompt": ask(HISTORY.slice(0, 2), { tools: [addTool] }),
  "a history with calls and results": ask(HISTORY, { tools: [addTool] }),
};

/** The cases, for one or both ways of asking. */
export function ownCases(streams: boolean): readonly ContractCase[] {
  const ways: readonly Way[] = streams ? ["generate", "stream"] : ["generate"];
  return ways.flatMap((way) => [
    ...Object.entries(REQUESTS).map(
      ([what, request]): ContractCase => ({
        sentence: `answers ${what} in the agreed shape and changes nothing of it${way === "stream" ? ", streaming" : ""}`,
        run: async ({ model, expect }) => expect(problemsOf(await settled(answerOf(model, request, way)))).toEqual([]),
      }),
    ),
    {
      sentence: `answers calls that are made at the same time${way === "stream" ? ", streaming" : ""}`,
      async run({ model, expect }) {
        const answers = await settled(
          Promise.all(Object.values(REQUESTS).map((request) => answerOf(model, request, way))),
        );
        expect(answers.flatMap(problemsOf)).toEqual([]);
      },
    },
    {
      sentence: `settles when its signal has fired, or fires${way === "stream" ? ", streaming" : ""}`,
      run: (kit) => checkAborts(kit, way),
    },
  ]);
}

async function checkAborts({ model, expect }: ContractKit, way: Way): Promise<void> {
  const reason = new RuntimeError("The user clicked stop.", { code: "RUN_ABORTED" });
  const controller = new AbortController();
  const outcomes = [AbortSignal.abort(reason), controller.signal].map((signal) =>
    answerOf(model, REQUESTS["a question"], way, signal).then(
      (answer) => problemsOf(answer),
      () => [],
    ),
  );
  setTimeout(() => controller.abort(reason), 5);
  // An answer that was ready at once is as good as a rejection.
  expect((await settled(Promise.all(outcomes))).flat()).toEqual([]);
}

const FINISH_REASONS: readonly unknown[] = [undefined, "stop", "toolCalls", "length", "filtered", "other"];

/** What is wrong with an answer, in words; nothing for a good one. */
function problemsOf(answer: ModelResponse): string[] {
  const { content, toolCalls, finishReason, usage } = (answer ?? {}) as Partial<Record<keyof ModelResponse, unknown>>;
  const problems: string[] = [];
  if (typeof content !== "string") problems.push(`content is no text but ${typeof content}`);
  if (!Array.isArray(toolCalls)) problems.push("toolCalls is no list");
  const calls = Array.isArray(toolCalls) ? (toolCalls as ModelResponse["toolCalls"]) : [];
  if (calls.some((call) => typeof call?.name !== "string" || call.name === "")) problems.push("a call has no name");
  if (calls.some((call) => typeof call?.id !== "string")) problems.push("a call has no id");
  if (!FINISH_REASONS.includes(finishReason)) problems.push(`finishReason is ${String(finishReason)}`);
  if (usage !== undefined && !hasCounts(usage)) problems.push("usage has no counts of tokens");
  if (content === "" && calls.length === 0 && finishReason !== "stop") problems.push("the answer is empty");
  return problems;
}

function hasCounts(usage: unknown): boolean {
  const { inputTokens, outputTokens } = (usage ?? {}) as Partial<Record<string, unknown>>;
  return [inputTokens, outputTokens].every((count) => typeof count === "number" && count >= 0);
}
