/**
 * Runs the work of one call and makes a `ToolResult` of however it ends.
 *
 * Wing (adapters). Refusals are values; what nobody expected is thrown and adopted by the runtime.
 */
import type { ToolContext, ToolResult } from "../../../contract/tool.ts";
import { type HarnessError, isHarnessError } from "../../../errors/index.ts";
import { clipMiddle } from "../../../util/text.ts";
import { systemRefusal } from "./refusal.ts";
import type { Workspace } from "./workspace.ts";

/** A call, as far as its answer depends on it. */
export interface Answering {
  readonly workspace: Workspace;
  /** `undefined` or incomplete where a host calls the tool by hand. */
  readonly context: Partial<ToolContext> | undefined;
  /** The path that was asked for, for the errors of the system. */
  readonly subject: string;
}

/**
 * The text of `work`, never longer than the workspace allows.
 *
 * @throws The reason of the signal, once it has fired and the work did not end all the same.
 */
export async function answer(
  { workspace, context, subject }: Answering,
  work: (signal: AbortSignal) => Promise<string>,
): Promise<ToolResult> {
  const signal = context?.signal ?? new AbortController().signal;
  const { outputChars } = workspace.options;
  signal.throwIfAborted();
  try {
    return { ok: true, value: clipMiddle(await work(signal), outputChars) };
  } catch (error) {
    signal.throwIfAborted();
    const refusal = isHarnessError(error) ? error : systemRefusal(error, subject);
    if (refusal === undefined) throw error;
    return failure(refusal, outputChars);
  }
}

function failure({ message, kind, retryable, code }: HarnessError, maxChars: number): ToolResult {
  return { ok: false, error: clipMiddle(message, maxChars), kind, retryable, code };
}
