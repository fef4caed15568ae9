/**
 * What a host may say about compaction, and the check of it.
 *
 * Adapter wing.
 */
import type { Message } from "../../../contract/message.ts";
import type { Model, ModelLike, Usage } from "../../../contract/model.ts";
import { type Clock, systemClock } from "../../../util/clock.ts";
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { INSTRUCTIONS } from "./instructions.ts";

/** What is to be summarised. */
export interface SummaryRequest {
  /** The messages that the summary will stand for, oldest first, whole turns only. */
  readonly messages: readonly Message[];
  /** The same as text, shortened so that a model can read all of it. */
  readonly transcript: string;
  /** Most tokens that are kept of the summary. */
  readonly maxTokens: number;
}

/** Summarises old turns. What it throws means that there is no summary. */
export type Summarize = (
  request: SummaryRequest,
  context: { readonly signal: AbortSignal; readonly runId: string },
) =>
  | string
  | { readonly text: string; readonly usage?: Usage | undefined }
  | Promise<string | { readonly text: string; readonly usage?: Usage | undefined }>;

/** How a compaction works. Every option has a default. */
export interface CompactionOptions {
  /**
   * Most tokens of a request, tools included: the window of the model less the room for its reply.
   *
   * @defaultValue none: only an overflow that the model reports leads to a compaction
   */
  readonly maxTokens?: number | undefined;
  /**
   * How many tokens a request is to have when turns had to be summarised.
   *
   * @defaultValue half of what may be used beside the system messages and tools
   */
  readonly targetTokens?: number | undefined;
  /** Counts the tokens of a text. @defaultValue {@link estimateTokens} */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** What one image counts, in tokens. @defaultValue 1_500 */
  readonly imageTokens?: number | undefined;
  /** How many of the newest turns are never summarised, with the user messages right before them. @defaultValue 4 */
  readonly keepTurns?: number | undefined;
  /** How many characters of a tool result stay when it is shortened, 100 or more. @defaultValue 2_000 */
  readonly resultChars?: number | undefined;
  /** Most tokens that are kept of a summary. @defaultValue 1_500 */
  readonly summaryTokens?: number | undefined;
  /** Longest wait for a summary in milliseconds; 0 and Infinity: as long as the model call may take. @defaultValue 60_000 */
  readonly summaryTimeoutMs?: number | undefined;
  /** Summarises by itself; `false` leaves the oldest turns out without a summary. @defaultValue the model of the run is asked */
  readonly summarize?: Summarize | false | undefined;
  /** The model that is asked for summaries. @defaultValue the model of the run */
  readonly model?: ModelLike | undefined;
  /** What the summarising model is told to write. */
  readonly instructions?: string | undefined;
  /** @defaultValue the real clock */
  readonly clock?: Clock | undefined;
}

/** The same, complete. */
export interface Settings {
  readonly maxTokens: number | undefined;
  readonly targetTokens: number | undefined;
  readonly countTokens: (text: string) => number;
  readonly imageTokens: number;
  readonly keepTurns: number;
  readonly resultChars: number;
  readonly summaryTokens: number;
  /** `Infinity` for no limit. */
  readonly summaryTimeoutMs: number;
  readonly summarize: Summarize | false | undefined;
  readonly model: Model | undefined;
  readonly instructions: string;
  readonly clock: Clock;
}

/** Below this the note of what was left out would not fit beside anything else. */
const MIN_RESULT_CHARS = 100;

/** Fills in the defaults. @throws TypeError when an option is wrong; it says what to write instead. */
export function resolveOptions(options: CompactionOptions): Settings {
  const maxTokens = optional("maxTokens", options.maxTokens);
  const targetTokens = optional("targetTokens", options.targetTokens);
  if (maxTokens !== undefined && targetTokens !== undefined && targetTokens > maxTokens) {
    throw misuse(`targetTokens must not be above maxTokens (${maxTokens}), got ${targetTokens}.`);
  }
  const { summarize, model, countTokens = estimateTokens, instructions = INSTRUCTIONS, clock = systemClock } = options;
  if (summarize !== undefined && model !== undefined) {
    throw misuse("Both summarize and model say who summarises. Give one of them.");
  }
  if (summarize !== undefined && summarize !== false) checkFunction("summarize", summarize);
  checkFunction("countTokens", countTokens);
  if (typeof instructions !== "string") throw misuse(`instructions must be text, got ${quoteValue(instructions)}.`);
  return {
    maxTokens,
    targetTokens,
    countTokens,
    imageTokens: options.imageTokens === 0 ? 0 : wholeNumber("imageTokens", options.imageTokens, 1_500),
    keepTurns: wholeNumber("keepTurns", options.keepTurns, 4),
    resultChars: wholeNumber("resultChars", options.resultChars, 2_000, MIN_RESULT_CHARS),
    summaryTokens: wholeNumber("summaryTokens", options.summaryTokens, 1_500),
    summaryTimeoutMs: milliseconds("summaryTimeoutMs", options.summaryTimeoutMs, 60_000),
    summarize,
    model: model === undefined ? undefined : toModel(model),
    instructions,
    clock,
  };
}

function optional(option: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : wholeNumber(option, value, 0);
}

function wholeNumber(option: string, given: number | undefined, fallback: number, least = 1): number {
  const value = given ?? fallback;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw misuse(
    `${option} of compaction must be a whole number from ${least} up, got ${quoteValue(value)}. Or leave it out.`,
  );
}

function milliseconds(option: string, given: number | undefined, fallback: number): number {
  const value = given ?? fallback;
  if (typeof value === "number" && value >= 0) return value === 0 ? Number.POSITIVE_INFINITY : value;
  throw misuse(`${option} of compaction must be a number of milliseconds from 0 up, got ${quoteValue(value)}.`);
}

function checkFunction(option: string, value: unknown): void {
  if (typeof value !== "function") throw misuse(`${option} must be a function, got ${quoteValue(value)}.`);
}

function toModel(model: ModelLike): Model {
  if (typeof model === "function") return { generate: async (request, context) => model(request, context) };
  if (typeof model === "object" && model !== null && typeof model.generate === "function") return model;
  throw misuse(`model of compaction must be a model, got ${quoteValue(model)}. Write for example openaiModel({ … }).`);
}
