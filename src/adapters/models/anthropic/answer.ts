/**
 * Reads the members that whole answers and streams have in common.
 *
 * Wing adapters (models/anthropic).
 */
import type { FinishReason, Usage } from "../../../contract/model.ts";
import { ModelError } from "../../../errors/index.ts";
import type { AnswerContext } from "../http/exchange.ts";
import { requestId } from "../http/failures.ts";
import { countOrNothing, isRecord, type JsonRecord, present, textOrNothing } from "../http/json.ts";
import type { AnthropicSettings } from "./options.ts";

/** What reading an answer needs to know. */
export type MessageContext = AnswerContext<AnthropicSettings>;

/**
 * The tokens that a `usage` member reports. The API counts what the cache gave or took apart from
 * `input_tokens`; here all of it is input.
 */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const input = countOrNothing(usage["input_tokens"]);
  const output = countOrNothing(usage["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  const cached = countOrNothing(usage["cache_read_input_tokens"]);
  const written = countOrNothing(usage["cache_creation_input_tokens"]) ?? 0;
  const details = isRecord(usage["output_tokens_details"]) ? usage["output_tokens_details"] : {};
  return {
    inputTokens: (input ?? 0) + (cached ?? 0) + written,
    outputTokens: output ?? 0,
    ...present("cachedInputTokens", cached),
    ...present("reasoningTokens", countOrNothing(details["thinking_tokens"])),
  };
}

const FINISH_REASONS = new Map<string, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "toolCalls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "filtered"],
]);

/** What an answer consists of, beside what it says of itself. */
export interface AnswerFacts {
  readonly hasText: boolean;
  readonly hasCalls: boolean;
  /** Why the filter stepped in, as far as the API says so. */
  readonly stopDetails: unknown;
}

/**
 * The finish reason that fits the answer.
 *
 * @throws ModelError MODEL_CONTENT_FILTERED when the model refused and said nothing.
 */
export function toFinishReason(said: string, facts: AnswerFacts, { response }: MessageContext): FinishReason {
  const reason = FINISH_REASONS.get(said) ?? "other";
  if (reason === "filtered" && !facts.hasText && !facts.hasCalls) throw refused(facts.stopDetails, response);
  if (reason === "filtered" || reason === "length") return reason;
  if (facts.hasCalls) return "toolCalls";
  if (reason === "toolCalls") return facts.hasText ? "stop" : "other";
  return reason;
}

function refused(details: unknown, response: Response): ModelError {
  const why = isRecord(details) ? textOrNothing(details["explanation"]) : undefined;
  const message = "The model refused to answer. Change what is asked.";
  return new ModelError(why === undefined ? message : `${message} It says: ${why}`, {
    code: "MODEL_CONTENT_FILTERED",
    requestId: requestId(response),
    ...(isRecord(details) ? present("providerCode", textOrNothing(details["category"])) : {}),
  });
}

/** Who answered, for the record. */
export function aboutAnswer(message: JsonRecord, response: Response): { model?: string; requestId?: string } {
  return {
    ...present("model", textOrNothing(message["model"])),
    ...present("requestId", requestId(response) ?? textOrNothing(message["id"])),
  };
}
