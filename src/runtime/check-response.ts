/**
 * Looks at what a model answered before anybody relies on it.
 *
 * Floor 5 (runtime). Several clients return normally from failures: HTML with status 200, an error inside
 * a 200, an empty body. None of it passes here.
 */
import type { ToolCall } from "../contract/message.ts";
import type { FinishReason, ModelResponse, Usage } from "../contract/model.ts";
import { ModelError, toHarnessError } from "../errors/index.ts";
import type { Draft } from "../util/draft.ts";
import { freezeJson, toJson } from "../util/json.ts";
import { cleanText, quoteValue } from "../util/text.ts";

const FINISH_REASONS: readonly unknown[] = ["stop", "toolCalls", "length", "filtered", "other"];

/**
 * Brings a response into the one form that the record holds.
 *
 * @param own - Makes calls of the run's own out of those that were read.
 * @throws HarnessError of kind "model" when it is malformed, carries an error, or is empty without claiming to be finished.
 */
export function checkModelResponse(
  response: unknown,
  own: (calls: readonly ToolCall[]) => readonly ToolCall[] = (calls) => calls,
): ModelResponse {
  if (typeof response !== "object" || response === null)
    throw badResponse(`The model answered ${quoteValue(response)}`);
  const fields = response as Partial<Record<keyof ModelResponse | "error", unknown>>;
  if (fields.error !== undefined && fields.error !== null) throw toHarnessError(fields.error, "model");
  const content = readContent(fields.content);
  const toolCalls = readCalls(fields.toolCalls);
  const finishReason = FINISH_REASONS.includes(fields.finishReason) ? (fields.finishReason as FinishReason) : undefined;
  if (content === "" && toolCalls.length === 0) checkEmpty(fields, finishReason);
  const usage = readUsage(fields.usage);
  const reasoning =
    Array.isArray(fields.reasoning) && fields.reasoning.length > 0 ? toJson(fields.reasoning) : undefined;
  const checked: Draft<ModelResponse> = { content, toolCalls: own(toolCalls) };
  if (finishReason !== undefined) checked.finishReason = finishReason;
  if (usage !== undefined) checked.usage = usage;
  if (reasoning !== undefined) checked.reasoning = freezeJson(reasoning) as unknown as ModelResponse["reasoning"];
  if (typeof fields.model === "string") checked.model = fields.model;
  if (typeof fields.requestId === "string") checked.requestId = fields.requestId;
  return Object.freeze(checked);
}

function readContent(content: unknown): string {
  if (typeof content === "string") return cleanText(content);
  if (content === undefined || content === null) return "";
  if (Array.isArray(content)) return cleanText(content.map(partText).join(""));
  throw badResponse(`The content of the model's answer is ${quoteValue(content)}`);
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const text: unknown = typeof part === "object" && part !== null ? Reflect.get(part, "text") : undefined;
  return typeof text === "string" ? text : "";
}

function readCalls(calls: unknown): readonly ToolCall[] {
  if (calls === undefined || calls === null) return NO_CALLS;
  if (!Array.isArray(calls)) throw badResponse(`The tool calls of the model's answer are ${quoteValue(calls)}`);
  return calls.length === 0 ? NO_CALLS : calls.map(readCall);
}

const NO_CALLS: readonly ToolCall[] = Object.freeze([]);

function readCall(call: unknown): ToolCall {
  const { id, name, arguments: args } = (call ?? {}) as Partial<Record<keyof ToolCall, unknown>>;
  if (typeof name !== "string" || name === "")
    throw badResponse(`A tool call of the model's answer has the name ${quoteValue(name)}`);
  return { id: typeof id === "string" ? cleanText(id) : "", name: cleanText(name), arguments: args };
}

/** An empty answer is only an answer when it says that it is finished. */
function checkEmpty(
  fields: Partial<Record<keyof ModelResponse, unknown>>,
  finishReason: FinishReason | undefined,
): void {
  const isWhole = typeof fields.content === "string" && Array.isArray(fields.toolCalls);
  if (finishReason === "stop" || (finishReason === undefined && isWhole)) return;
  if (finishReason === "filtered") {
    throw new ModelError("The model's answer was held back by a content filter. Change the request.", {
      code: "MODEL_CONTENT_FILTERED",
    });
  }
  if (finishReason === "length") {
    throw new ModelError("The model reached its output limit before it wrote anything. Raise maxOutputTokens.", {
      code: "MODEL_OUTPUT_LIMIT",
    });
  }
  throw badResponse("The model's answer is empty");
}

/** Reads token counts; what is no count is 0 or left out. */
export function readUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage as Partial<
    Record<keyof Usage, unknown>
  >;
  const read: Draft<Usage> = { inputTokens: count(inputTokens) ?? 0, outputTokens: count(outputTokens) ?? 0 };
  const cached = count(cachedInputTokens);
  const reasoning = count(reasoningTokens);
  if (cached !== undefined) read.cachedInputTokens = cached;
  if (reasoning !== undefined) read.reasoningTokens = reasoning;
  return Object.freeze(read);
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

function badResponse(what: string): ModelError {
  return new ModelError(`${what}, which is no answer. An adapter returns { content, toolCalls, finishReason }.`, {
    code: "MODEL_BAD_RESPONSE",
  });
}
