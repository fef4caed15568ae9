/**
 * Decides what the rule-based model says: tool calls for what was asked, then the answer from their results.
 *
 * Wing (models/local). Deterministic: the same request gives the same response.
 */
import type { ModelRequest, ModelResponse } from "../../../contract/model.ts";
import { type Intent, type Language, languageOf, type Wish } from "./intent.ts";
import { INTENTS } from "./intents.ts";
import { LOCAL_MODEL_LABEL } from "./label.ts";
import { readTurn, type Turn } from "./turn.ts";

/** More calls in one turn would only flood the record. */
const MAX_CALLS = 20;

/** Answers one request. */
export function answer(request: ModelRequest): ModelResponse {
  const turn = readTurn(request);
  const language = languageOf(turn.question);
  const { wishes, hints } = readWishes(turn.question, language);
  const possible = wishes.filter(({ tool }) => turn.toolNames.has(tool));
  if (turn.outcomes.length === 0 && possible.length > 0) return callsFor(possible, turn);
  const told = turn.outcomes.map((outcome) => tellerOf(outcome.wish.tool).tell(outcome, language));
  const paragraphs = [...told, ...tellMissing(wishes, turn, language), ...tellLeftOut(possible, language), ...hints];
  return say(paragraphs.length > 0 ? paragraphs.join("\n") : abilities(turn, language));
}

function readWishes(question: string, language: Language): { wishes: Wish[]; hints: string[] } {
  const wishes: Wish[] = [];
  const hints: string[] = [];
  let rest = question;
  for (const intent of INTENTS) {
    const reading = intent.read(rest, language);
    wishes.push(...reading.wishes);
    if (reading.hint !== undefined) hints.push(reading.hint);
    rest = reading.rest;
  }
  // A hint is for a wish that nothing else understood.
  return { wishes, hints: wishes.length > 0 ? [] : hints };
}

function callsFor(wishes: readonly Wish[], turn: Turn): ModelResponse {
  let next = turn.usedIds.size;
  const newId = (): string => {
    const id = `call_${++next}`;
    return turn.usedIds.has(id) ? newId() : id;
  };
  const toolCalls = wishes
    .slice(0, MAX_CALLS)
    .map((wish) => ({ id: newId(), name: wish.tool, arguments: wish.arguments }));
  return { content: "", toolCalls, finishReason: "toolCalls" };
}

function tellMissing(wishes: readonly Wish[], turn: Turn, language: Language): string[] {
  const missing = new Set(wishes.map(({ tool }) => tool).filter((tool) => !turn.toolNames.has(tool)));
  return [...missing].map((tool) =>
    language === "zh"
      ? `这需要工具 ${tool}，但它没有提供给我。`
      : `That needs the tool ${tool}, which I was not given.`,
  );
}

function tellLeftOut(possible: readonly Wish[], language: Language): string[] {
  const count = possible.length - MAX_CALLS;
  if (count <= 0) return [];
  return language === "zh"
    ? [`其余 ${count} 项没有做：一次最多 ${MAX_CALLS} 项。`]
    : [`I left out the other ${count}: ${MAX_CALLS} at a time is the most.`];
}

function tellerOf(tool: string): Pick<Intent, "tell"> {
  return INTENTS.find((intent) => intent.tool === tool) ?? anyTool;
}

/** For calls of the history that another model had made. */
const anyTool: Pick<Intent, "tell"> = {
  tell: ({ wish, text, failed }) => `${wish.tool}${failed ? " failed" : ""}: ${text}`,
};

function abilities(turn: Turn, language: Language): string {
  const able = INTENTS.filter(({ tool }) => turn.toolNames.has(tool)).map(({ ability }) => `- ${ability[language]}`);
  if (able.length === 0) {
    return language === "zh"
      ? `我是基于规则的演示模型（${LOCAL_MODEL_LABEL}），没有可用的工具，所以什么也做不了。`
      : `I am a ${LOCAL_MODEL_LABEL}, and without tools there is nothing I can do.`;
  }
  const intro =
    language === "zh"
      ? `我是基于规则的演示模型（${LOCAL_MODEL_LABEL}），听不懂这句话。我会：`
      : `I am a ${LOCAL_MODEL_LABEL}, and I did not understand that. I can:`;
  return [intro, ...able].join("\n");
}

function say(content: string): ModelResponse {
  return { content, toolCalls: [], finishReason: "stop" };
}
