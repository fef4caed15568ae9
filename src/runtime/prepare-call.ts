/**
 * Finds the tool of a call and validates its arguments, within a time of its own.
 *
 * Floor 5 (runtime).
 */
import type { ToolCall } from "../contract/message.ts";
import { ToolError, toHarnessError } from "../errors/index.ts";
import type { PreparedCall } from "../registry/tool-registry.ts";
import { failureOf } from "../registry/tool-result.ts";
import type { JsonValue } from "../util/json.ts";
import type { RunScope } from "./run-scope.ts";

/** Never rejects. A validator of the host's may take its time, but not for ever. */
export function prepareCall(scope: RunScope, call: ToolCall): PreparedCall | Promise<PreparedCall> {
  const prepared = scope.options.registry.prepare(call, call.arguments as JsonValue);
  return prepared instanceof Promise ? waitFor(scope, call, prepared) : prepared;
}

async function waitFor(scope: RunScope, call: ToolCall, prepared: Promise<PreparedCall>): Promise<PreparedCall> {
  const { toolTimeoutMs, graceMs } = scope.options;
  const timeoutError = () =>
    new ToolError(`The arguments of "${call.name}" could not be validated within ${toolTimeoutMs} ms.`, {
      code: "TOOL_TIMEOUT",
    });
  const as = { type: "tool" as const, name: call.name, callId: call.id };
  const outcome = await scope.calls.race(
    { as, deadline: scope.clockNow() + toolTimeoutMs, timeoutError, graceMs },
    () => prepared,
  );
  if (outcome.status === "returned") return outcome.value;
  const error = outcome.status === "stopped" ? outcome.reason : toHarnessError(outcome.error, "tool");
  return { ok: false, result: failureOf(error) };
}
