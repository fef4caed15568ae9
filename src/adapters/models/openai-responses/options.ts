/**
 * The options of the Responses adapter, checked and completed at the door.
 *
 * Wing adapters (models/openai-responses).
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import { type Connection, type ConnectionOptions, checkChoice, resolveConnection } from "../http/connection.ts";
import type { Keeper } from "../http/kept-blocks.ts";

/** What {@link openaiResponsesModel} takes. Only `model` is required. `baseUrl` is "https://api.openai.com/v1" when left out. */
export interface OpenAIResponsesModelOptions extends ConnectionOptions {
  /** How much the model reasons, and whether it shows a summary. @defaultValue the endpoint decides */
  readonly reasoning?: { readonly effort?: string | undefined; readonly summary?: string | undefined } | undefined;
  /** Whether the endpoint keeps the answer on its side. The history is sent whole in either case. @defaultValue false */
  readonly store?: boolean | undefined;
  /**
   * Whether encrypted reasoning is asked for, kept in the history and sent back; models that do not reason
   * refuse it. @defaultValue true, but for the names of models that do not (gpt-3, gpt-4, chatgpt, -chat)
   */
  readonly keepReasoning?: boolean | undefined;
  /** Whether the model may ask for several calls at once. Left out, the endpoint decides. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Whether schemas of tools and replies are sent with `strict: true`. @defaultValue false */
  readonly strictSchemas?: boolean | undefined;
}

/** The options, complete. */
export interface OpenAIResponsesSettings extends Connection {
  readonly keeper: Keeper;
  readonly reasoning: { readonly effort?: string | undefined; readonly summary?: string | undefined } | undefined;
  readonly store: boolean;
  readonly keepReasoning: boolean;
  readonly parallelToolCalls: boolean | undefined;
  readonly strictSchemas: boolean;
}

const OWNER = "openaiResponsesModel";
const DOES_NOT_REASON = /(^|\/)(gpt-3|gpt-4|chatgpt)|-chat\b/;

/** @throws TypeError that says what to write instead. */
export function resolveOptions(options: OpenAIResponsesModelOptions): OpenAIResponsesSettings {
  const connection = resolveConnection(
    {
      owner: OWNER,
      example: "gpt-5",
      label: "openai-responses",
      baseUrl: "https://api.openai.com/v1",
      path: () => "/responses",
      headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    options,
  );
  checkOptions(options);
  return {
    ...connection,
    keeper: { provider: "openai-responses", origin: connection.origin },
    reasoning: options.reasoning,
    store: options.store ?? false,
    keepReasoning: options.keepReasoning ?? !DOES_NOT_REASON.test(options.model),
    parallelToolCalls: options.parallelToolCalls,
    strictSchemas: options.strictSchemas ?? false,
  };
}

function checkOptions(options: OpenAIResponsesModelOptions): void {
  const { reasoning } = options;
  if (reasoning !== undefined && (typeof reasoning !== "object" || reasoning === null || Array.isArray(reasoning))) {
    throw misuse(
      `${OWNER}: \`reasoning\` must be an object such as { effort: "low", summary: "auto" }, got ${quoteValue(reasoning)}.`,
    );
  }
  for (const option of ["store", "keepReasoning", "parallelToolCalls", "strictSchemas"] as const) {
    checkChoice(OWNER, option, options[option], [true, false]);
  }
}
