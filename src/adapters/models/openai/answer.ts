/**
 * Reads the members that whole answers and streamed pieces have in common.
 *
 * Wing adapters (models/openai).
 */
import type { FinishReason, Usage } from "../../../contract/model.ts";
import { badResponse } from "../http/failures.ts";
import { countOrNothing, isRecord, type JsonRecord, present } from "../http/json.ts";

/** The text of a message's content, and the reasoning that some vendors put among its parts. */
export interface ReadContent {
  readonly text: string;
  readonly reasoning: string;
}

const NOTHING: ReadContent = { text: "", reasoning: "" };

/** Reads content in any form that is in use: text, null, or a list of parts (Mistral). */
export function readContent(content: unknown): ReadContent {
  if (typeof content === "string") return { text: content, reasoning: "" };
  if (content === undefined || content === null) return NOTHING;
  if (isRecord(content) && typeof content["text"] === "string") return { text: content["text"], reasoning: "" };
  if (!Array.isArray(content)) throw badResponse(`The model's content is of type ${typeof content}, not text.`);
  const parts = content.map(readPart);
  return { text: parts.map((part) => part.text).join(""), reasoning: parts.map((part) => part.reasoning).join("") };
}

function readPart(part: unknown): ReadContent {
  if (isRecord(part) && part["type"] === "thinking") return { text: "", reasoning: readContent(part["thinking"]).text };
  if (isRecord(part) && typeof part["text"] === "string") return { text: part["text"], reasoning: "" };
  return typeof part === "string" ? { text: part, reasoning: "" } : NOTHING;
}

/** The tokens that a `usage` member reports, under the names of all vendors. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = isRecord(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const completion = isRecord(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  const input = countOrNothing(usage["prompt_tokens"]) ?? countOrNothing(usage["input_tokens"]);
  const output = countOrNothing(usage["completion_tokens"]) ?? countOrNothing(usage["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  // DeepSeek says `prompt_cache_hit_tokens`, Moonshot `cached_tokens`.
  const cached = [prompt["cached_tokens"], usage["prompt_cache_hit_tokens"], usage["cached_tokens"]].map(
    countOrNothing,
  );
  const reasoning = countOrNothing(completion["reasoning_tokens"]);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...present(
      "cachedInputTokens",
      cached.find((count) => count !== undefined),
    ),
    ...present("reasoningTokens", reasoning),
  };
}

const FINISH_REASONS = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_calls", "toolCalls"],
  ["function_call", "toolCalls"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "filtered"],
  ["sensitive", "filtered"],
  ["refusal", "filtered"],
  ["safety", "filtered"],
]);

/** Finish reasons that report a failure of the provider in the middle of its answer. */
const FAILURES = new Set(["error", "network_error", "insufficient_system_resource", "abort"]);

/** What the answer consists of; decides where the finish reason lies. */
export interface AnswerFacts {
  readonly hasText: boolean;
  readonly hasCalls: boolean;
  readonly refused: boolean;
}

/**
 * The finish reason that fits the answer. Servers end tool calls with "stop", and say "tool_calls"
 * without any; "length" and a filter are believed, because then the last call may be cut.
 */
export function toFinishReason(said: string, { hasText, hasCalls, refused }: AnswerFacts): FinishReason {
  const reason = FINISH_REASONS.get(said) ?? "other";
  if (refused || reason === "filtered") return "filtered";
  if (reason === "length") return "length";
  if (hasCalls) return "toolCalls";
  if (reason === "toolCalls") return hasText ? "stop" : "other";
  return reason;
}

/** The error behind a finish reason that reports one, to be adopted as the provider's. */
export function failedFinish(choice: JsonRecord): JsonRecord | undefined {
  const reason = choice["finish_reason"];
  if (typeof reason !== "string" || !FAILURES.has(reason)) return undefined;
  if (isRecord(choice["error"])) return choice["error"];
  const message = `The provider broke off its answer (finish_reason ${JSON.stringify(reason)}).`;
  return { message, code: reason === "insufficient_system_resource" ? "overloaded" : "server_error" };
}
