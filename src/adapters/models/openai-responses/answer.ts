/**
 * Reads the members that whole answers and streams have in common.
 *
 * Wing adapters (models/openai-responses).
 */
import type { FinishReason, Usage } from "../../../contract/model.ts";
import { ModelError } from "../../../errors/index.ts";
import { type AnswerContext, factsOf } from "../http/exchange.ts";
import { badResponse, reportedFailure, requestId } from "../http/failures.ts";
import { countOrNothing, isRecord, type JsonRecord, present, textOrNothing } from "../http/json.ts";
import type { OpenAIResponsesSettings } from "./options.ts";

/** What reading an answer needs to know. */
export type ResponseContext = AnswerContext<OpenAIResponsesSettings>;

/** The tokens that a `usage` member reports. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const input = countOrNothing(usage["input_tokens"]);
  const output = countOrNothing(usage["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...present("cachedInputTokens", detail(usage["input_tokens_details"], "cached_tokens")),
    ...present("reasoningTokens", detail(usage["output_tokens_details"], "reasoning_tokens")),
  };
}

function detail(details: unknown, name: string): number | undefined {
  return isRecord(details) ? countOrNothing(details[name]) : undefined;
}

/** What an answer consists of. */
export interface AnswerFacts {
  readonly hasText: boolean;
  readonly hasCalls: boolean;
  readonly refused: boolean;
}

/**
 * The finish reason that fits the status of a response and what it consists of.
 *
 * @throws ModelError for a response that failed, was cancelled, is not finished, or was filtered away whole.
 */
export function toFinishReason(answer: JsonRecord, facts: AnswerFacts, context: ResponseContext): FinishReason {
  // Some servers leave the status out; what they send whole is whole.
  const status = textOrNothing(answer["status"]) ?? "completed";
  if (status === "failed") throw failureOf(answer["error"], context);
  if (status === "incomplete") return incompleteReason(answer["incomplete_details"], facts, context);
  if (status !== "completed") {
    throw badResponse(
      `The model's response is not finished, its status is ${JSON.stringify(status)}.`,
      factsOf(context),
    );
  }
  if (facts.refused) return "filtered";
  return facts.hasCalls ? "toolCalls" : "stop";
}

function incompleteReason(details: unknown, facts: AnswerFacts, { response }: ResponseContext): FinishReason {
  const reason = isRecord(details) ? details["reason"] : undefined;
  if (reason === "max_output_tokens") return "length";
  if (reason !== "content_filter") return "other";
  if (facts.hasText || facts.hasCalls) return "filtered";
  throw new ModelError("The provider's content filter withheld the whole answer. Change what is asked.", {
    code: "MODEL_CONTENT_FILTERED",
    requestId: requestId(response),
  });
}

/** Codes that the API alone uses, in words that every part of the package knows. */
const MEANINGS: readonly (readonly [codes: RegExp, type: string])[] = [
  [/policy/, "content_policy_violation"],
  [/^invalid_|image/, "invalid_request_error"],
];

/** The error of a response that failed. */
export function failureOf(report: unknown, context: ResponseContext): ModelError {
  const facts = factsOf(context);
  if (!isRecord(report)) return reportedFailure({ message: "The response failed.", code: "server_error" }, facts);
  const code = textOrNothing(report["code"]) ?? "";
  const type = textOrNothing(report["type"]) ?? MEANINGS.find(([codes]) => codes.test(code))?.[1];
  return reportedFailure({ ...report, ...present("type", type) }, facts);
}

/** Who answered, for the record. */
export function aboutAnswer(answer: JsonRecord, response: Response): { model?: string; requestId?: string } {
  return {
    ...present("model", textOrNothing(answer["model"])),
    ...present("requestId", requestId(response) ?? textOrNothing(answer["id"])),
  };
}
