/**
 * The model contract: what a host or an adapter implements so that the runtime can think.
 *
 * Floor 3 (contract). `generate` alone is enough, and so is a bare function.
 */
import type { ErrorCode } from "../errors/index.ts";
import type { Message, Reasoning, ToolCall } from "./message.ts";
import type { JsonSchema } from "./schema.ts";

/** A tool as a model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, always of type "object". */
  readonly parameters: JsonSchema;
}

/** Settings that most providers know. An adapter ignores what its provider lacks. */
export interface ModelSettings {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Most tokens in the reply. */
  readonly maxOutputTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  /** Whether the model may, must or must not call tools, or which one it must call. @defaultValue "auto" */
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string } | undefined;
  /** Asks for a reply in JSON that fits `schema`. */
  readonly responseFormat?: { readonly name: string; readonly schema: JsonSchema } | undefined;
}

/** What one model call is about. */
export interface ModelRequest {
  /** The history, with the system prompt as its first message when the run has one. The messages are frozen. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly settings?: ModelSettings | undefined;
}

/** Tokens of one model call. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that the provider read from its cache. */
  readonly cachedInputTokens?: number | undefined;
  /** The part of `outputTokens` that was reasoning. */
  readonly reasoningTokens?: number | undefined;
}

/** Why a model stopped writing. */
export type FinishReason = "stop" | "toolCalls" | "length" | "filtered" | "other";

/** What a model answered. */
export interface ModelResponse {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason?: FinishReason | undefined;
  readonly usage?: Usage | undefined;
  readonly reasoning?: readonly Reasoning[] | undefined;
  /** The exact model that answered, as its provider names it. */
  readonly model?: string | undefined;
  /** The provider's id of this request, for its support. */
  readonly requestId?: string | undefined;
}

/**
 * One piece of a streamed answer. A stream is complete only when it gave a "finish". Pieces of reasoning with
 * one `provider` are one entry of the answer, up to and with the one that carries `data`.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "reasoning";
      readonly text: string;
      readonly provider?: string | undefined;
      readonly data?: unknown;
    }
  | {
      readonly type: "toolCall";
      /** The position of the call in the answer; pieces of one call share it. */
      readonly index: number;
      readonly id?: string | undefined;
      readonly name?: string | undefined;
      /** The next piece of the JSON text of the arguments. */
      readonly arguments?: string | undefined;
    }
  | { readonly type: "usage"; readonly usage: Usage }
  /** The provider sent something that is no part of the answer (a keep-alive, a ping): it is alive, nothing more. */
  | { readonly type: "heartbeat" }
  | {
      readonly type: "finish";
      readonly finishReason: FinishReason;
      readonly model?: string | undefined;
      readonly requestId?: string | undefined;
    };

/** What the runtime gives to each model call. */
export interface ModelCallContext {
  /** Fires when the call is to stop: abort, timeout or deadline. Its reason is a HarnessError. */
  readonly signal: AbortSignal;
  /** 1 for the first try of this call. */
  readonly attempt: number;
  readonly runId: string;
}

/** What an adapter knows about its client's errors. */
export interface ErrorHint {
  readonly code?: ErrorCode | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A model, by whatever client. */
export interface Model {
  /** Shown in records and events. @defaultValue "model" */
  readonly name?: string | undefined;
  /** Answers one request. Throws on failure; any thrown value is adopted as a `ModelError`. */
  generate(request: ModelRequest, context: ModelCallContext): Promise<ModelResponse>;
  /** Answers one request piece by piece. */
  stream?(request: ModelRequest, context: ModelCallContext): AsyncIterable<ModelEvent>;
  /** Names what the client's own errors mean; consulted before the general rules. */
  classifyError?(error: unknown): ErrorHint | undefined;
}

/** The shortest model: a function. */
export type ModelFunction = (
  request: ModelRequest,
  context: ModelCallContext,
) => ModelResponse | Promise<ModelResponse>;

/** What `createRuntime` takes as a model. */
export type ModelLike = Model | ModelFunction;

/** The name of a model in records and events. */
export function nameOf(model: Model): string {
  return typeof model.name === "string" ? model.name : "model";
}
