/**
 * The options of the Messages adapter, checked and completed at the door.
 *
 * Wing adapters (models/anthropic).
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import { type Connection, type ConnectionOptions, checkChoice, resolveConnection } from "../http/connection.ts";
import type { Keeper } from "../http/kept-blocks.ts";

/** What {@link anthropicModel} takes. Only `model` is required. `baseUrl` is "https://api.anthropic.com" when left out. */
export interface AnthropicModelOptions extends ConnectionOptions {
  /** Most tokens in a reply, for requests that do not say so themselves; the API wants a number. @defaultValue 16_000 */
  readonly maxTokens?: number | undefined;
  /**
   * Whether the model thinks before it answers: with a budget of tokens that comes on top of the reply's, or
   * as much as it sees fit ("adaptive", newer models). While it thinks, the API takes no temperature, and a
   * request that forces a tool call goes out without thinking. @defaultValue the endpoint decides
   */
  readonly thinking?: { readonly budgetTokens: number } | "adaptive" | "disabled" | undefined;
  /** How much work the model puts into an answer (newer models). @defaultValue the endpoint decides */
  readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" | undefined;
  /** Marks tools, system prompt and the newest messages for the prompt cache, for so long. @defaultValue true, which is "5m" */
  readonly cache?: boolean | "5m" | "1h" | undefined;
  /** Sent as `anthropic-beta`. */
  readonly betas?: readonly string[] | undefined;
  /** Whether the model may ask for several calls at once. @defaultValue true */
  readonly parallelToolCalls?: boolean | undefined;
  /** How a reply in JSON is asked for: by words, or by its schema (newer models only). @defaultValue "instructions" */
  readonly jsonMode?: "instructions" | "json_schema" | undefined;
}

/** The options, complete. */
export interface AnthropicSettings extends Connection {
  readonly keeper: Keeper;
  readonly maxTokens: number;
  readonly thinking: { readonly budgetTokens: number } | "adaptive" | "disabled" | undefined;
  readonly effort: string | undefined;
  readonly cache: "5m" | "1h" | undefined;
  readonly parallelToolCalls: boolean;
  readonly jsonMode: "instructions" | "json_schema";
}

const OWNER = "anthropicModel";
const API_VERSION = "2023-06-01";

/** @throws TypeError that says what to write instead. */
export function resolveOptions(options: AnthropicModelOptions): AnthropicSettings {
  const betas = checkBetas(options?.betas);
  const connection = resolveConnection(
    {
      owner: OWNER,
      example: "claude-sonnet-4-5",
      label: "anthropic",
      baseUrl: "https://api.anthropic.com",
      path: messagesPath,
      headers: (key) => ({
        "anthropic-version": API_VERSION,
        ...(key === undefined ? {} : { "x-api-key": key }),
        ...(betas === "" ? {} : { "anthropic-beta": betas }),
      }),
    },
    options,
  );
  checkOptions(options);
  const { cache = true } = options;
  return {
    ...connection,
    keeper: { provider: "anthropic", origin: connection.origin },
    maxTokens: options.maxTokens ?? 16_000,
    thinking: options.thinking,
    effort: options.effort,
    cache: cache === true ? "5m" : cache === false ? undefined : cache,
    parallelToolCalls: options.parallelToolCalls ?? true,
    jsonMode: options.jsonMode ?? "instructions",
  };
}

/** Both forms of the base URL are in use, with and without the version. */
function messagesPath(baseUrl: unknown): string {
  return typeof baseUrl === "string" && /\/(v1|messages)\/*(?:[?#]|$)/.test(baseUrl.trim())
    ? "/messages"
    : "/v1/messages";
}

function checkBetas(betas: unknown): string {
  if (betas === undefined) return "";
  const isList = Array.isArray(betas) && betas.every((beta) => typeof beta === "string" && /^[\w.-]+$/.test(beta));
  if (isList) return betas.join(",");
  throw misuse(
    `${OWNER}: \`betas\` must be a list of names such as ["context-1m-2025-08-07"], got ${quoteValue(betas)}.`,
  );
}

function checkOptions({
  maxTokens,
  thinking,
  cache,
  effort,
  parallelToolCalls,
  jsonMode,
}: AnthropicModelOptions): void {
  if (maxTokens !== undefined && !isCount(maxTokens)) {
    throw misuse(`${OWNER}: \`maxTokens\` must be a whole number from 1 up, got ${quoteValue(maxTokens)}.`);
  }
  const isBudget = typeof thinking === "object" && thinking !== null && isCount(thinking.budgetTokens);
  if (thinking !== undefined && !isBudget && thinking !== "adaptive" && thinking !== "disabled") {
    throw misuse(
      `${OWNER}: \`thinking\` must be { budgetTokens: 4_000 }, "adaptive" or "disabled", got ${quoteValue(thinking)}.`,
    );
  }
  checkChoice(OWNER, "cache", cache, [true, false, "5m", "1h"]);
  checkChoice(OWNER, "effort", effort, ["low", "medium", "high", "xhigh", "max"]);
  checkChoice(OWNER, "parallelToolCalls", parallelToolCalls, [true, false]);
  checkChoice(OWNER, "jsonMode", jsonMode, ["instructions", "json_schema"]);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}
