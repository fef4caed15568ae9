/**
 * The options of the Chat Completions adapter, checked and completed at the door.
 *
 * Wing adapters (models/openai).
 */
import {
  type ApiFacts,
  type Connection,
  type ConnectionOptions,
  checkChoice,
  resolveConnection,
} from "../http/connection.ts";

/** What {@link openaiModel} takes. Only `model` is required. `baseUrl` is "https://api.openai.com/v1" when left out. */
export interface OpenAIModelOptions extends ConnectionOptions {
  /** How `maxOutputTokens` is called. @defaultValue "max_completion_tokens" at api.openai.com, else "max_tokens" */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | undefined;
  /** The role under which system messages are sent. @defaultValue "system" */
  readonly systemRole?: "system" | "developer" | undefined;
  /** Whether the model may ask for several calls at once. Left out, the endpoint decides. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Whether schemas of tools and replies are sent with `strict: true`. @defaultValue false */
  readonly strictSchemas?: boolean | undefined;
  /**
   * How a reply in JSON is asked for: by its schema, as "some JSON object", or by words alone. The last
   * two add the schema to the instructions. @defaultValue "json_schema"
   */
  readonly jsonMode?: "json_schema" | "json_object" | "instructions" | undefined;
  /** Whether usage is asked for when streaming (`stream_options.include_usage`). @defaultValue true */
  readonly streamUsage?: boolean | undefined;
  /**
   * The field in which earlier readable reasoning is sent back. Opaque reasoning, which only its own
   * endpoint understands, always goes back there. @defaultValue "omit"
   */
  readonly sendReasoning?: "omit" | "reasoning_content" | "reasoning" | undefined;
  /** Whether `<think>…</think>` at the start of a reply is read as reasoning. @defaultValue false */
  readonly thinkTags?: boolean | undefined;
}

/** The options, complete. */
export interface OpenAISettings extends Connection {
  /** Where opaque reasoning may be sent back to. */
  readonly origin: string;
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  readonly systemRole: "system" | "developer";
  readonly parallelToolCalls: boolean | undefined;
  readonly strictSchemas: boolean;
  readonly jsonMode: "json_schema" | "json_object" | "instructions";
  readonly streamUsage: boolean;
  readonly sendReasoning: "omit" | "reasoning_content" | "reasoning";
  readonly thinkTags: boolean;
}

const OWNER = "openaiModel";
const CHOICES = {
  maxTokensField: ["max_tokens", "max_completion_tokens"],
  systemRole: ["system", "developer"],
  jsonMode: ["json_schema", "json_object", "instructions"],
  sendReasoning: ["omit", "reasoning_content", "reasoning"],
  parallelToolCalls: [true, false],
  strictSchemas: [true, false],
  streamUsage: [true, false],
  thinkTags: [true, false],
} as const satisfies { [Option in keyof OpenAIModelOptions]?: readonly OpenAIModelOptions[Option][] };

const API: ApiFacts = {
  owner: OWNER,
  example: "gpt-5",
  label: "openai",
  baseUrl: "https://api.openai.com/v1",
  path: () => "/chat/completions",
  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
};

/** @throws TypeError that says what to write instead. */
export function resolveOptions(options: OpenAIModelOptions): OpenAISettings {
  const connection = resolveConnection(API, options);
  for (const [option, allowed] of Object.entries(CHOICES)) {
    checkChoice(OWNER, option, options[option as keyof typeof CHOICES], allowed);
  }
  const { origin, hostname } = new URL(connection.url);
  const isOpenAI = hostname === "api.openai.com";
  return {
    ...connection,
    origin,
    maxTokensField: options.maxTokensField ?? (isOpenAI ? "max_completion_tokens" : "max_tokens"),
    systemRole: options.systemRole ?? "system",
    parallelToolCalls: options.parallelToolCalls,
    strictSchemas: options.strictSchemas ?? false,
    jsonMode: options.jsonMode ?? "json_schema",
    streamUsage: options.streamUsage ?? true,
    sendReasoning: options.sendReasoning ?? "omit",
    thinkTags: options.thinkTags ?? false,
  };
}
