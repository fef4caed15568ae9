/**
 * The error of a sandbox that did not let a command run.
 *
 * Floor 2 (process).
 */
import { ToolError } from "../../errors/index.ts";

/** Nothing was run. The message says why, and what to do about it. */
export function sandboxFailure(message: string, cause?: unknown): ToolError {
  return new ToolError(message, { code: "TOOL_SANDBOX_FAILED", cause });
}

/** Whether `error` says that a sandbox refused. */
export function isSandboxFailure(error: unknown): error is ToolError {
  return error instanceof ToolError && error.code === "TOOL_SANDBOX_FAILED";
}
