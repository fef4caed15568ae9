/**
 * Reads finish reasons, usage and metadata in the form of each version of the specification.
 *
 * Wing adapters (models/ai-sdk).
 */
import type { FinishReason, Usage } from "../../../contract/model.ts";
import { ModelError } from "../../../errors/index.ts";
import { badResponse, reportedFailure } from "../http/failures.ts";
import { countOrNothing, isRecord, type JsonRecord, present, textOrNothing } from "../http/json.ts";
import type { NameMap } from "../http/names.ts";
import type { CallSettings } from "./language-model.ts";

/** What reading an answer needs to know. */
export interface AnswerContext {
  readonly names: NameMap;
  readonly settings: CallSettings;
}

/** The tokens of a call: flat counts (V2) or counts by kind (V3 and later). */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const { inputTokens: input, outputTokens: output } = usage;
  const inputTokens = totalOf(input);
  const outputTokens = totalOf(output);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cached = isRecord(input) ? input["cacheRead"] : usage["cachedInputTokens"];
  const reasoning = isRecord(output) ? output["reasoning"] : usage["reasoningTokens"];
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...present("cachedInputTokens", countOrNothing(cached)),
    ...present("reasoningTokens", countOrNothing(reasoning)),
  };
}

function totalOf(count: unknown): number | undefined {
  return countOrNothing(isRecord(count) ? count["total"] : count);
}

const FINISH_REASONS = new Map<unknown, FinishReason>([
  ["stop", "stop"],
  ["tool-calls", "toolCalls"],
  ["length", "length"],
  ["content-filter", "filtered"],
]);

/** What an answer consists of. */
export interface AnswerFacts {
  readonly hasText: boolean;
  readonly hasCalls: boolean;
}

/**
 * The finish reason that fits the answer; `undefined` when the provider knew none.
 *
 * @throws ModelError for a reason that reports an error, and for an answer that was filtered away whole.
 */
export function toFinishReason(said: unknown, { hasText, hasCalls }: AnswerFacts): FinishReason | undefined {
  const unified = isRecord(said) ? said["unified"] : said;
  if (unified === "error") {
    throw reportedFailure(
      { message: "The provider broke off its answer (finish reason error).", code: "server_error" },
      NO_FACTS,
    );
  }
  const reason = FINISH_REASONS.get(unified) ?? (isUnknown(said) ? undefined : "other");
  if (reason === "filtered" && !hasText && !hasCalls) {
    throw new ModelError("The provider's content filter withheld the whole answer. Change what is asked.", {
      code: "MODEL_CONTENT_FILTERED",
    });
  }
  if (reason === "filtered" || reason === "length") return reason;
  if (hasCalls) return "toolCalls";
  if (reason === "toolCalls") return hasText ? "stop" : "other";
  return reason;
}

const NO_FACTS = { secrets: [] };

/** V2 says "unknown", later versions "other" without the provider's own word. */
function isUnknown(said: unknown): boolean {
  if (isRecord(said)) return said["raw"] === undefined || said["raw"] === null;
  return said === undefined || said === "unknown";
}

/**
 * Providers end a stream that was cut off with a finish whose reason nobody gave.
 *
 * @throws ModelError when there is neither a reason nor a count of tokens, which come at the very end.
 * @see https://github.com/vercel/ai/issues/19165
 */
export function checkFinished(reason: FinishReason | undefined, said: unknown, usage: Usage | undefined): FinishReason {
  if (usage === undefined && isUnknown(said)) {
    throw badResponse("The model's stream ended before the answer was finished: no finish reason came.");
  }
  return reason ?? "other";
}

/** Who answered, for the record. */
export function aboutAnswer(metadata: JsonRecord, headers: unknown): { model?: string; requestId?: string } {
  const given = isRecord(headers) ? headers : {};
  const id = given["x-request-id"] ?? given["request-id"] ?? metadata["id"];
  return { ...present("model", textOrNothing(metadata["modelId"])), ...present("requestId", textOrNothing(id)) };
}
