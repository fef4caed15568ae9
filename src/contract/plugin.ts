/**
 * Plugins: code of the host around model and tool calls.
 *
 * Floor 3 (contract). Listeners observe and are never felt; plugins intervene, in the order in which
 * they are listed, the first one outermost. One that throws ends the call with RUNTIME_HOOK_THREW.
 */
import type { AgentEvent } from "./event.ts";
import type { ToolCall } from "./message.ts";
import type { ModelCallContext, ModelRequest, ModelResponse } from "./model.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** Goes around every model call, every tool call, and hears every event. */
export interface Plugin {
  readonly name: string;
  /** Around each attempt of a model call. May change the request or the response, or answer by itself. */
  wrapModel?(
    request: ModelRequest,
    next: (request: ModelRequest) => Promise<ModelResponse>,
    context: ModelCallContext,
  ): Promise<ModelResponse>;
  /** Around each attempt of a tool call, after validation and permission. May change the result. */
  wrapTool?(call: ToolCall, next: () => Promise<ToolResult>, context: ToolContext): Promise<ToolResult>;
  /** Hears every event of every run. */
  onEvent?(event: AgentEvent): void;
}
