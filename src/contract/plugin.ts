/**
 * Plugins: code of the host around model and tool calls.
 *
 * Floor 3 (contract). Listeners observe and are never felt; plugins intervene, in the order in which
 * they are listed, the first one outermost. One that throws ends the call with RUNTIME_HOOK_THREW.
 */
import type { AgentEvent, CompactionNotice } from "./event.ts";
import type { ToolCall } from "./message.ts";
import type { ModelCallContext, ModelRequest, ModelResponse } from "./model.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** How a plugin's own question to the model differs from that of the run. */
export interface NextModelOptions {
  /**
   * Asks beside the run: the model is not streamed, so that nobody takes its text for the run's answer.
   *
   * @defaultValue false
   */
  readonly aside?: boolean | undefined;
  /**
   * Stops this question alone. Let it fire with the signal of the context, too.
   *
   * @defaultValue the signal of the context
   */
  readonly signal?: AbortSignal | undefined;
}

/** Asks the model behind a plugin, by way of the plugins behind it. What it rejects with is a `HarnessError`. */
export type NextModel = (request: ModelRequest, options?: NextModelOptions) => Promise<ModelResponse>;

/** What a plugin gets with each attempt of a model call. */
export interface PluginCallContext extends ModelCallContext {
  /** How many pieces of the answer a consumer has received; once there are some, asking again would repeat them. */
  readonly delivered: number;
  /** Tells "context:compacted". Dropped when the attempt is over. */
  compacted(notice: CompactionNotice): void;
}

/** Goes around every model call, every tool call, and hears every event. */
export interface Plugin {
  readonly name: string;
  /** Around each attempt of a model call. May change the request or the response, or answer by itself. */
  wrapModel?(request: ModelRequest, next: NextModel, context: PluginCallContext): Promise<ModelResponse>;
  /** Around each attempt of a tool call, after validation and permission. May change the result. */
  wrapTool?(call: ToolCall, next: () => Promise<ToolResult>, context: ToolContext): Promise<ToolResult>;
  /** Hears every event of every run. */
  onEvent?(event: AgentEvent): void;
}
