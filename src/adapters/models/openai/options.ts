/**
 * The options of the Chat Completions adapter, checked and completed at the door.
 *
 * Wing adapters (models/openai).
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import { checkApiKey, checkHeaders, isCredentialHeader, resolveEndpoint } from "../http/endpoint.ts";

/** What {@link openaiModel} takes. Only `model` is required. */
export interface OpenAIModelOptions {
  /** The model as the endpoint names it, for example "gpt-5" or "qwen3:8b". */
  readonly model: string;
  /** Sent as `Authorization: Bearer …`. Left out, no such header is sent. The environment is not read. */
  readonly apiKey?: string | undefined;
  /** Where the API lives; `/chat/completions` is appended. A query is kept. @defaultValue "https://api.openai.com/v1" */
  readonly baseUrl?: string | undefined;
  /** Sent with every request, and stronger than what the adapter sets. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Used in place of the global `fetch`: for proxies, for signing, for tests. */
  readonly fetch?: typeof fetch | undefined;
  /** Merged into every request body last; a member that is `undefined` removes what the adapter set. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Shown in records and events. @defaultValue "openai:<model>" */
  readonly name?: string | undefined;
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
export interface OpenAISettings {
  readonly name: string;
  readonly model: string;
  readonly url: string;
  /** Where opaque reasoning may be sent back to. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Exact values that must not show up in a message. */
  readonly secrets: readonly string[];
  readonly fetch: typeof fetch;
  readonly extraBody: Readonly<Record<string, unknown>>;
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
const OPENAI_URL = "https://api.openai.com/v1";
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

/** @throws TypeError that says what to write instead. */
export function resolveOptions(options: OpenAIModelOptions): OpenAISettings {
  checkOptions(options);
  const { apiKey, model } = options;
  const endpoint = resolveEndpoint(OWNER, options.baseUrl ?? OPENAI_URL, "/chat/completions");
  const key = checkApiKey(OWNER, apiKey);
  const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const headers = { ...authorization, ...checkHeaders(OWNER, options.headers ?? {}) };
  const credentials = Object.keys(headers).flatMap((name) => (isCredentialHeader(name) ? [headers[name] ?? ""] : []));
  const isOpenAI = new URL(endpoint).hostname === "api.openai.com";
  return {
    name: options.name ?? `openai:${model}`,
    model,
    url: endpoint,
    origin: new URL(endpoint).origin,
    headers,
    secrets: [...(key === undefined ? [] : [key]), ...credentials],
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    extraBody: options.extraBody ?? {},
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

function checkOptions(options: OpenAIModelOptions): void {
  if (typeof options !== "object" || options === null) {
    throw misuse(`${OWNER} takes an object such as { model: "gpt-5", apiKey }, got ${quoteValue(options)}.`);
  }
  if (typeof options.model !== "string" || options.model.trim() === "") {
    throw misuse(`${OWNER} needs \`model\`, the name of a model such as "gpt-5", got ${quoteValue(options.model)}.`);
  }
  for (const [option, allowed] of Object.entries(CHOICES)) {
    const value = options[option as keyof typeof CHOICES];
    if (value === undefined || (allowed as readonly unknown[]).includes(value)) continue;
    const list = allowed.map((choice) => JSON.stringify(choice)).join(" or ");
    throw misuse(`${OWNER}: \`${option}\` must be ${list}, got ${quoteValue(value)}.`);
  }
  if (options.name !== undefined && (typeof options.name !== "string" || options.name === "")) {
    throw misuse(`${OWNER}: \`name\` must be a text, got ${quoteValue(options.name)}. Or leave it out.`);
  }
  if (options.fetch !== undefined && typeof options.fetch !== "function") {
    throw misuse(`${OWNER}: \`fetch\` must be a function like the global fetch, got ${quoteValue(options.fetch)}.`);
  }
  checkExtraBody(options.extraBody);
}

function checkExtraBody(extraBody: unknown): void {
  if (extraBody === undefined) return;
  if (typeof extraBody !== "object" || extraBody === null || Array.isArray(extraBody)) {
    throw misuse(`${OWNER}: \`extraBody\` must be an object of body members, got ${quoteValue(extraBody)}.`);
  }
  try {
    JSON.stringify(extraBody);
  } catch (error) {
    throw misuse(
      `${OWNER}: \`extraBody\` must be plain JSON: ${error instanceof Error ? error.message : "it is not"}.`,
    );
  }
}
