/**
 * Turns a failed command into the error that the rest of the package understands.
 *
 * Floor 2 (process).
 */
import { RuntimeError, ToolError } from "../errors/index.ts";
import { assertNever } from "../util/assert-never.ts";
import { describeProcess } from "./describe.ts";
import type { ProcessFailure } from "./result.ts";

/** The error codes that say what became of a process. */
export type ProcessErrorCode =
  | "TOOL_PROCESS_NOT_STARTED"
  | "TOOL_SANDBOX_FAILED"
  | "TOOL_PROCESS_TIMEOUT"
  | "TOOL_PROCESS_OUTPUT_LIMIT"
  | "TOOL_PROCESS_SIGNALED"
  | "TOOL_PROCESS_EXIT";

/**
 * Makes an error of a result that is not `ok`. Its message is {@link describeProcess}, its
 * `detail.processCode` the result's own code. A cancelled command is no failure of a tool: it becomes
 * a `RuntimeError` with `RUN_ABORTED`.
 *
 * @example
 * const result = await runProcess("make");
 * if (!result.ok) throw toToolError(result);
 */
export function toToolError(result: ProcessFailure): ToolError | RuntimeError {
  const code = processErrorCode(result);
  const message = describeProcess(result);
  const detail = { processCode: result.code, ...numbersOf(result) };
  return code === undefined
    ? new RuntimeError(message, { code: "RUN_ABORTED", cause: result.cause, detail })
    : new ToolError(message, { code, retryable: result.retryable, cause: result.cause, detail });
}

/** `undefined` for a cancelled command. */
export function processErrorCode(result: ProcessFailure): ProcessErrorCode | undefined {
  if (result.status === "completed") return "TOOL_PROCESS_EXIT";
  if (result.status === "notStarted") {
    if (result.code === "ABORTED_BEFORE_START") return undefined;
    return result.code === "SANDBOX_FAILED" ? "TOOL_SANDBOX_FAILED" : "TOOL_PROCESS_NOT_STARTED";
  }
  switch (result.reason) {
    case "timeout":
      return "TOOL_PROCESS_TIMEOUT";
    case "outputLimit":
      return "TOOL_PROCESS_OUTPUT_LIMIT";
    case "signal":
      return "TOOL_PROCESS_SIGNALED";
    case "aborted":
      return undefined;
    default:
      return assertNever(result.reason);
  }
}

function numbersOf(result: ProcessFailure): Record<string, unknown> {
  switch (result.status) {
    case "completed":
      return { exitCode: result.exitCode };
    case "terminated":
      return { exitCode: result.exitCode, signal: result.signal, limit: result.limit };
    case "notStarted":
      return { subject: result.subject, errno: result.errno };
    default:
      return assertNever(result);
  }
}
