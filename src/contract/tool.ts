/**
 * The tool contract: what a host registers so that a model can act.
 *
 * Floor 3 (contract).
 */
import type { ErrorCode, ErrorKind, SerializedError } from "../errors/index.ts";
import type { SchemaLike } from "./schema.ts";

/** What a tool may do to the world. Without a gate, "write" and "exec" need `permission: allowTools(…)`. */
export type ToolAccess = "none" | "read" | "write" | "exec";

/** A call that worked. */
export interface ToolSuccess {
  readonly ok: true;
  readonly value: unknown;
}

/** A call that failed: a normal state, which the model reads and may react to. */
export interface ToolFailure {
  readonly ok: false;
  /** The error's own message, unchanged. */
  readonly error: string;
  readonly kind: ErrorKind;
  /** Whether the same call may succeed unchanged. */
  readonly retryable: boolean;
  readonly code?: ErrorCode | undefined;
  /** The error with its causes, as JSON. */
  readonly detail?: SerializedError | undefined;
}

/** How one tool call ended. */
export type ToolResult = ToolSuccess | ToolFailure;

/** What the runtime gives to each tool call. */
export interface ToolContext {
  /** Fires when the call is to stop: abort, timeout or deadline. Its reason is a HarnessError. */
  readonly signal: AbortSignal;
  readonly runId: string;
  readonly callId: string;
  /** 1 for the first try of this call. */
  readonly attempt: number;
  /** When the call will be stopped, in milliseconds since the epoch; `Infinity` without a limit. */
  readonly deadline: number;
  /** The same for every attempt of this call, also after a crash: give it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Tells listeners of `tool:progress` how far the call is. Takes JSON. */
  report(progress: unknown): void;
}

/** A tool with its arguments typed as `Arguments`. */
export interface Tool<Arguments = never> {
  /** 1 to 64 characters, unique in its registry. */
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** A zod schema, any Standard Schema that can show a JSON Schema, or a plain JSON Schema; an object at its root. */
  readonly parameters: SchemaLike;
  /** JSON Schema to show to the model where `parameters` has none of its own (zod/mini, valibot, …). */
  readonly jsonSchema?: object | undefined;
  /** Does the work. Returns a plain value or a {@link ToolResult}; what it throws becomes a failed result. */
  execute(args: Arguments, context: ToolContext): unknown;
  /** Longest time for one call in milliseconds; 0 or Infinity for none. @defaultValue the runtime's `toolTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** Whether the same call may be made twice without harm. Only such tools are ever retried. @defaultValue false */
  readonly idempotent?: boolean | undefined;
  /** Whether no other tool may run at the same time. @defaultValue true for access "write" and "exec" */
  readonly exclusive?: boolean | undefined;
  /** What the tool may do to the world. @defaultValue nothing declared, treated as "none" */
  readonly access?: ToolAccess | undefined;
  /** Longest text of a result that the model reads, in characters. @defaultValue 200_000 */
  readonly maxResultChars?: number | undefined;
}

/** Any tool, whatever its arguments. */
export type AnyTool = Tool;
